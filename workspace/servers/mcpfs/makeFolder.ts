import { callMCPTool } from "../../client.js";

export interface MakeFolderInput {
 /** Path in the files folder, such as ./workspace/leads.csv. */
 path: string;
 /** Default false. */
 recursive?: boolean;
}

export type MakeFolderOutput = null;

/** Makes a folder; recursive also makes those above it. In a script use fs.mkdir. (write) */
export function makeFolder(input: MakeFolderInput): Promise<MakeFolderOutput> {
  return callMCPTool("mcpfs__make_folder", input);
}
