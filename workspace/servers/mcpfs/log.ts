export interface LogInput {
 level: "debug"|"log"|"info"|"warn"|"error"
 text: string // The line.
}
export type LogOutput = null
/** write: Prints one line of console output. Nobody waits for it. In a script use console.log. */
export const log = tool<LogInput, LogOutput>("mcpfs__log")
