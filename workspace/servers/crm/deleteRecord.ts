import { callMCPTool } from "../../client.js";

export interface DeleteRecordInput {
 /** Type of the record. */
 object_type: "Lead"|"Account"|"SalesMeeting";
 /** Id of the record, such as L-0001, A-010 or M-0914. */
 record_id: string;
}

export type DeleteRecordOutput = {
 /** Id of the record that is gone. */
 deleted: string;
};

/** Deletes a record for good. (destructive) */
export function deleteRecord(input: DeleteRecordInput): Promise<DeleteRecordOutput> {
  return callMCPTool("crm__delete_record", input);
}
