import { callMCPTool } from "../../client.js";

export interface SleepInput {
 /** 0–2147483647 */
 ms: number;
}

export type SleepOutput = null;

/** Waits for some milliseconds. In a script use setTimeout. (read) */
export function sleep(input: SleepInput): Promise<SleepOutput> {
  return callMCPTool("mcpfs__sleep", input);
}
