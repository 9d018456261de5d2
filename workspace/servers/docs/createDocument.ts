export interface CreateDocumentInput {
 title: string
 content: string // The whole text.
}
export type CreateDocumentOutput = {
 id: string // Id of the new document.
 title: string
}
/** write: Writes a new note and returns its id. Nothing is overwritten. */
export const createDocument = tool<CreateDocumentInput, CreateDocumentOutput>("docs__create_document")
