export interface SleepInput {
 ms: number // 0–2147483647
}
export type SleepOutput = null
/** read: Waits for some milliseconds. In a script use setTimeout. */
export const sleep = tool<SleepInput, SleepOutput>("mcpfs__sleep")
