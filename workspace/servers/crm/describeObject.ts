import { callMCPTool } from "../../client.js";

export interface DescribeObjectInput {
 /** Type of the record. */
 object_type: "Lead"|"Account"|"SalesMeeting";
}

export type DescribeObjectOutput = {
 /** Type of the record. */
 object_type: "Lead"|"Account"|"SalesMeeting";
 /** each: Name of a field. */
 fields: string[];
 /** Number of records. (integer ≥ 0) */
 records: number;
};

/** Lists the fields of an object type and how many records there are. (read) */
export function describeObject(input: DescribeObjectInput): Promise<DescribeObjectOutput> {
  return callMCPTool("crm__describe_object", input);
}
