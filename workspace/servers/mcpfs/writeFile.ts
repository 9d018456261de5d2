import { callMCPTool } from "../../client.js";

export interface WriteFileInput {
 /** Path in the files folder, such as ./workspace/leads.csv. */
 path: string;
 /** The content as text. */
 text?: string;
 /** The content as bytes in base64. */
 base64?: string;
 /** Add to the end of the file. Default false. */
 append?: boolean;
}

export type WriteFileOutput = null;

/** Replaces a file in one step, or appends to it; give either text or base64. In a script use fs.writeFile and fs.appendFile. (destructive) */
export function writeFile(input: WriteFileInput): Promise<WriteFileOutput> {
  return callMCPTool("mcpfs__write_file", input);
}
