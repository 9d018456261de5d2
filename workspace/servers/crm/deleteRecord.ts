export interface DeleteRecordInput {
 object_type: "Lead"|"Account"|"SalesMeeting" // Type of the record.
 record_id: string // Id of the record, such as L-0001, A-010 or M-0914.
}
export type DeleteRecordOutput = {
 deleted: string // Id of the record that is gone.
}
/** destructive: Deletes a record for good. */
export const deleteRecord = tool<DeleteRecordInput, DeleteRecordOutput>("crm__delete_record")
