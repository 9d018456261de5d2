export interface UpdateRecordInput {
 object_type: "Lead"|"Account"|"SalesMeeting" // Type of the record.
 record_id: string // Id of the record, such as L-0001, A-010 or M-0914.
 data: Record<string, string|number|boolean|null> // Fields and their values; describe_object lists the fields.
}
export type UpdateRecordOutput = {
 object_type: "Lead"|"Account"|"SalesMeeting" // Type of the record.
 record_id: string
 version: integer // 1 for a new record; each change adds one. (≥ 1)
 /** Fields whose value is another one now.
  each: Name of a field. */
 changed: string[]
}
/** write: Sets fields of a record. Fields that are not named stay as they are. */
export const updateRecord = tool<UpdateRecordInput, UpdateRecordOutput>("crm__update_record")
