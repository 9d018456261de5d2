export interface GetDocumentInput {
 document_id: string // Id of the document, as list_documents shows it.
}
export type GetDocumentOutput = {
 id: string // Id of the document.
 title: string
 kind: "transcript"|"note"|"list" // What it is.
 author: string // Who wrote it.
 updated: string // Day of the last change, such as 2026-09-14.
 content: string // The whole text.
}
/** read: Reads one document with its whole content. A transcript may be long. */
export const getDocument = tool<GetDocumentInput, GetDocumentOutput>("docs__get_document")
