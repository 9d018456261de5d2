import { callMCPTool } from "../../client.js";

export interface SearchToolsInput {
 /** What the tool should do. (not empty) */
 query: string;
 /** Default 5. (integer 1–50) */
 limit?: number;
}

export type SearchToolsOutput = {
 server: string;
 tool: string;
 name: string;
 /** The wrapper, to be read before use. */
 file: string;
 description: string;
 score?: number;
}[];

/** Finds tools of all servers by words, best first. (read) */
export function searchTools(input: SearchToolsInput): Promise<SearchToolsOutput> {
  return callMCPTool("mcpfs__search_tools", input);
}
