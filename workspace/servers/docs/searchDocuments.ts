import { callMCPTool } from "../../client.js";

export interface SearchDocumentsInput {
 /** Text to look for. (not empty) */
 query: string;
 /** Lines to return at most. Default 20. (integer ≥ 1) */
 limit?: number;
}

export type SearchDocumentsOutput = {
 /** Matching lines in all documents. (integer ≥ 0) */
 total: number;
 matches: {
  document_id: string;
  /** Number of the line. (integer ≥ 1) */
  line: number;
  /** The line. */
  text: string;
 }[];
};

/** Finds the lines of all documents that contain a text, ignoring upper and lower case. (read) */
export function searchDocuments(input: SearchDocumentsInput): Promise<SearchDocumentsOutput> {
  return callMCPTool("docs__search_documents", input);
}
