export interface SearchToolsInput {
 query: string // What the tool should do. (not empty)
 limit?: integer // Default 5. (1–50)
}
export type SearchToolsOutput = {
 server: string
 tool: string
 name: string
 file: string // The wrapper, to be read before use.
 description: string
 score?: number
}[]
/** read: Finds tools of all servers by words, best first. */
export const searchTools = tool<SearchToolsInput, SearchToolsOutput>("mcpfs__search_tools")
