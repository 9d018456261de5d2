import { callMCPTool } from "../../client.js";

export interface GetDocumentInput {
 /** Id of the document, as list_documents shows it. */
 document_id: string;
}

export type GetDocumentOutput = {
 /** Id of the document. */
 id: string;
 title: string;
 /** What it is. */
 kind: "transcript"|"note"|"list";
 /** Who wrote it. */
 author: string;
 /** Day of the last change, such as 2026-09-14. */
 updated: string;
 /** The whole text. */
 content: string;
};

/** Reads one document with its whole content. A transcript may be long. (read) */
export function getDocument(input: GetDocumentInput): Promise<GetDocumentOutput> {
  return callMCPTool("docs__get_document", input);
}
