import { callMCPTool } from "../../client.js";

export interface CreateRecordInput {
 /** Type of the record. */
 object_type: "Lead"|"Account"|"SalesMeeting";
 /** Fields and their values; describe_object lists the fields. */
 data: Record<string, string|number|boolean|null>;
}

export type CreateRecordOutput = {
 /** Type of the record. */
 object_type: "Lead"|"Account"|"SalesMeeting";
 /** Id of the record, such as L-0001, A-010 or M-0914. */
 record_id: string;
 /** 1 for a new record; each change adds one. (integer ≥ 1) */
 version: number;
 /** Fields and their values; describe_object lists the fields. */
 data: Record<string, string|number|boolean|null>;
};

/** Creates a record and returns it with its new id. (write) */
export function createRecord(input: CreateRecordInput): Promise<CreateRecordOutput> {
  return callMCPTool("crm__create_record", input);
}
