import { callMCPTool } from "../../client.js";

export interface RenameFileInput {
 /** Path in the files folder, such as ./workspace/leads.csv. */
 from: string;
 /** Path in the files folder, such as ./workspace/leads.csv. */
 to: string;
}

export type RenameFileOutput = null;

/** Gives a file or folder another path; a file at that path is replaced. In a script use fs.rename. (destructive) */
export function renameFile(input: RenameFileInput): Promise<RenameFileOutput> {
  return callMCPTool("mcpfs__rename_file", input);
}
