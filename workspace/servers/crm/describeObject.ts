export interface DescribeObjectInput {
 object_type: "Lead"|"Account"|"SalesMeeting" // Type of the record.
}
export type DescribeObjectOutput = {
 object_type: "Lead"|"Account"|"SalesMeeting" // Type of the record.
 fields: string[] // each: Name of a field.
 records: integer // Number of records. (≥ 0)
}
/** read: Lists the fields of an object type and how many records there are. */
export const describeObject = tool<DescribeObjectInput, DescribeObjectOutput>("crm__describe_object")
