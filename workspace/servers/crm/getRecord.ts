import { callMCPTool } from "../../client.js";

export interface GetRecordInput {
 /** Type of the record. */
 object_type: "Lead"|"Account"|"SalesMeeting";
 /** Id of the record, such as L-0001, A-010 or M-0914. */
 record_id: string;
}

export type GetRecordOutput = {
 /** Type of the record. */
 object_type: "Lead"|"Account"|"SalesMeeting";
 /** Id of the record, such as L-0001, A-010 or M-0914. */
 record_id: string;
 /** 1 for a new record; each change adds one. (integer ≥ 1) */
 version: number;
 /** Fields and their values; describe_object lists the fields. */
 data: Record<string, string|number|boolean|null>;
};

/** Reads one record with all its fields. (read) */
export function getRecord(input: GetRecordInput): Promise<GetRecordOutput> {
  return callMCPTool("crm__get_record", input);
}
