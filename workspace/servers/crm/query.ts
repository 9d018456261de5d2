export interface QueryInput {
 object_type: "Lead"|"Account"|"SalesMeeting" // Type of the record.
 where?: Record<string, string|number|boolean|null> // Fields and the values they must have. Default: all records.
 limit?: integer // Records to return at most. Default 100. (≥ 1)
}
export type QueryOutput = {
 total: integer // Records found, also those beyond the limit. (≥ 0)
 records: {
  object_type: "Lead"|"Account"|"SalesMeeting" // Type of the record.
  record_id: string // Id of the record, such as L-0001, A-010 or M-0914.
  version: integer // 1 for a new record; each change adds one. (≥ 1)
  data: Record<string, string|number|boolean|null> // Fields and their values; describe_object lists the fields.
 }[]
}
/** read: Finds the records of one type whose fields have given values, in the order of their ids. */
export const query = tool<QueryInput, QueryOutput>("crm__query")
