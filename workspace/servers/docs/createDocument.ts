import { callMCPTool } from "../../client.js";

export interface CreateDocumentInput {
 title: string;
 /** The whole text. */
 content: string;
}

export type CreateDocumentOutput = {
 /** Id of the new document. */
 id: string;
 title: string;
};

/** Writes a new note and returns its id. Nothing is overwritten. (write) */
export function createDocument(input: CreateDocumentInput): Promise<CreateDocumentOutput> {
  return callMCPTool("docs__create_document", input);
}
