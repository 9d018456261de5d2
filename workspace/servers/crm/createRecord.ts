export interface CreateRecordInput {
 object_type: "Lead"|"Account"|"SalesMeeting" // Type of the record.
 data: Record<string, string|number|boolean|null> // Fields and their values; describe_object lists the fields.
}
export type CreateRecordOutput = {
 object_type: "Lead"|"Account"|"SalesMeeting" // Type of the record.
 record_id: string // Id of the record, such as L-0001, A-010 or M-0914.
 version: integer // 1 for a new record; each change adds one. (≥ 1)
 data: Record<string, string|number|boolean|null>
}
/** write: Creates a record and returns it with its new id. */
export const createRecord = tool<CreateRecordInput, CreateRecordOutput>("crm__create_record")
