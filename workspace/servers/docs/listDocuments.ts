import { callMCPTool } from "../../client.js";

export type ListDocumentsInput = Record<string, never>;

export type ListDocumentsOutput = {
 documents: {
  /** Id of the document. */
  id: string;
  title: string;
  /** What it is. */
  kind: "transcript"|"note"|"list";
  /** Who wrote it. */
  author: string;
  /** Day of the last change, such as 2026-09-14. */
  updated: string;
  /** Length of the content. (integer ≥ 0) */
  characters: number;
 }[];
};

/** Lists all documents with title and size, without their content. (read) */
export function listDocuments(input: ListDocumentsInput = {}): Promise<ListDocumentsOutput> {
  return callMCPTool("docs__list_documents", input);
}
