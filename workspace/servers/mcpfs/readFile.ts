import { callMCPTool } from "../../client.js";

export interface ReadFileInput {
 /** Path in the files folder, such as ./workspace/leads.csv. */
 path: string;
 /** Default utf8. */
 encoding?: "utf8"|"base64";
}

export type ReadFileOutput = string;

/** Reads a whole file as text, or as base64 for bytes. In a script use fs.readFile. (read) */
export function readFile(input: ReadFileInput): Promise<ReadFileOutput> {
  return callMCPTool("mcpfs__read_file", input);
}
