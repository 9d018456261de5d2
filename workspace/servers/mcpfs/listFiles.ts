import { callMCPTool } from "../../client.js";

export interface ListFilesInput {
 /** Path in the files folder, such as ./workspace/leads.csv. */
 path: string;
}

export type ListFilesOutput = { name: string; kind: "file"|"folder"|"other" }[];

/** Lists what lies in a folder, sorted by name. In a script use fs.readdir. (read) */
export function listFiles(input: ListFilesInput): Promise<ListFilesOutput> {
  return callMCPTool("mcpfs__list_files", input);
}
