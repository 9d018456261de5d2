import { callMCPTool } from "../../client.js";

export interface UpdateRecordInput {
 /** Type of the record. */
 object_type: "Lead"|"Account"|"SalesMeeting";
 /** Id of the record, such as L-0001, A-010 or M-0914. */
 record_id: string;
 /** Fields and their values; describe_object lists the fields. */
 data: Record<string, string|number|boolean|null>;
}

export type UpdateRecordOutput = {
 /** Type of the record. */
 object_type: "Lead"|"Account"|"SalesMeeting";
 /** Id of the record, such as L-0001, A-010 or M-0914. */
 record_id: string;
 /** 1 for a new record; each change adds one. (integer ≥ 1) */
 version: number;
 /** Fields whose value is another one now.
  each: Name of a field. */
 changed: string[];
};

/** Sets fields of a record. Fields that are not named stay as they are. (write) */
export function updateRecord(input: UpdateRecordInput): Promise<UpdateRecordOutput> {
  return callMCPTool("crm__update_record", input);
}
