import { callMCPTool } from "../../client.js";

export interface StatFileInput {
 /** Path in the files folder, such as ./workspace/leads.csv. */
 path: string;
}

export type StatFileOutput = {
 kind: "file"|"folder"|"other";
 /** Bytes. (integer) */
 size: number;
 /** Milliseconds since 1970. (integer) */
 modifiedMs: number;
};

/** Says what a path is, its size and when it changed. In a script use fs.stat. (read) */
export function statFile(input: StatFileInput): Promise<StatFileOutput> {
  return callMCPTool("mcpfs__stat_file", input);
}
