import { callMCPTool } from "../../client.js";

export interface QueryInput {
 /** Type of the record. */
 object_type: "Lead"|"Account"|"SalesMeeting";
 /** Fields and the values they must have. Default: all records. */
 where?: Record<string, string|number|boolean|null>;
 /** Records to return at most. Default 100. (integer ≥ 1) */
 limit?: number;
}

export type QueryOutput = {
 /** Records found, also those beyond the limit. (integer ≥ 0) */
 total: number;
 records: {
  /** Type of the record. */
  object_type: "Lead"|"Account"|"SalesMeeting";
  /** Id of the record, such as L-0001, A-010 or M-0914. */
  record_id: string;
  /** 1 for a new record; each change adds one. (integer ≥ 1) */
  version: number;
  /** Fields and their values; describe_object lists the fields. */
  data: Record<string, string|number|boolean|null>;
 }[];
};

/** Finds the records of one type whose fields have given values, in the order of their ids. (read) */
export function query(input: QueryInput): Promise<QueryOutput> {
  return callMCPTool("crm__query", input);
}
