export type ListDocumentsOutput = {
 documents: {
  id: string // Id of the document.
  title: string
  kind: "transcript"|"note"|"list" // What it is.
  author: string // Who wrote it.
  updated: string // Day of the last change, such as 2026-09-14.
  characters: integer // Length of the content. (≥ 0)
 }[]
}
/** read: Lists all documents with title and size, without their content. */
export const listDocuments = tool<Record<string, never>, ListDocumentsOutput>("docs__list_documents")
