export interface GetRecordInput {
 object_type: "Lead"|"Account"|"SalesMeeting" // Type of the record.
 record_id: string // Id of the record, such as L-0001, A-010 or M-0914.
}
export type GetRecordOutput = {
 object_type: "Lead"|"Account"|"SalesMeeting" // Type of the record.
 record_id: string
 version: integer // 1 for a new record; each change adds one. (≥ 1)
 data: Record<string, string|number|boolean|null> // Fields and their values; describe_object lists the fields.
}
/** read: Reads one record with all its fields. */
export const getRecord = tool<GetRecordInput, GetRecordOutput>("crm__get_record")
