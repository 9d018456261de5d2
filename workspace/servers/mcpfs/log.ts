import { callMCPTool } from "../../client.js";

export interface LogInput {
 level: "debug"|"log"|"info"|"warn"|"error";
 /** The line. */
 text: string;
}

export type LogOutput = null;

/** Prints one line of console output. Nobody waits for it. In a script use console.log. (write) */
export function log(input: LogInput): Promise<LogOutput> {
  return callMCPTool("mcpfs__log", input);
}
