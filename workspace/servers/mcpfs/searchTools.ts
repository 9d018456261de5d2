export interface SearchToolsInput {
 query: string // What should be done; empty lists all.
 limit?: integer // Default 5. (1–50)
 offset?: integer // Hits to pass over. (≥ 0)
 server?: string // Only tools of this server.
 strategy?: "keyword"|"regex"|"semantic"|"model"|"hybrid"
 detail?: "brief"|"full" // full adds the signature.
}
export type SearchToolsOutput = {
 server: string
 tool: string
 name: string
 file: string // The wrapper, to be read before use.
 description: string
 permission?: "allow"|"ask"
 score?: number
 signature?: string
}[]
/** read: Finds tools of all servers by words, best first; several steps in one query get tools for each. */
export const searchTools = tool<SearchToolsInput, SearchToolsOutput>("mcpfs__search_tools")
