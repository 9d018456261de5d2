export interface SearchDocumentsInput {
 query: string // Text to look for. (not empty)
 limit?: integer // Lines to return at most. Default 20. (≥ 1)
}
export type SearchDocumentsOutput = {
 total: integer // Matching lines in all documents. (≥ 0)
 matches: {
  document_id: string
  line: integer // Number of the line. (≥ 1)
  text: string // The line.
 }[]
}
/** read: Finds the lines of all documents that contain a text, ignoring upper and lower case. */
export const searchDocuments = tool<SearchDocumentsInput, SearchDocumentsOutput>("docs__search_documents")
