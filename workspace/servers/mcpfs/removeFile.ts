import { callMCPTool } from "../../client.js";

export interface RemoveFileInput {
 /** Path in the files folder, such as ./workspace/leads.csv. */
 path: string;
 /** Also a folder with all in it. Default false. */
 recursive?: boolean;
 /** What is missing is fine. Default false. */
 force?: boolean;
}

export type RemoveFileOutput = null;

/** Removes a file, or with recursive a folder and all in it. In a script use fs.rm. (destructive) */
export function removeFile(input: RemoveFileInput): Promise<RemoveFileOutput> {
  return callMCPTool("mcpfs__remove_file", input);
}
