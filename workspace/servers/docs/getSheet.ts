import { callMCPTool } from "../../client.js";

export interface GetSheetInput {
 /** Id of the sheet, as list_sheets shows it. */
 sheet_id: string;
 /** Rows to skip. Default 0. (integer ≥ 0) */
 offset?: number;
 /** Rows to return at most. Default: all. (integer ≥ 1) */
 limit?: number;
}

export type GetSheetOutput = {
 sheet_id: string;
 /** Rows of the whole sheet. (integer ≥ 0) */
 total: number;
 rows: {
  /** Number of the order. */
  Order: string;
  /** Name of the customer. */
  Customer: string;
  /** The customer's e-mail address. */
  Email: string;
  /** The customer's phone number. */
  Phone: string;
  /** Id of the customer's lead in the CRM. */
  Lead: string;
  /** How far the order is. */
  Status: "pending"|"paid"|"shipped"|"delivered"|"cancelled"|"refunded";
  /** US dollars. */
  Amount: number;
  /** Day of the order, such as 2026-03-14. */
  Ordered: string;
 }[];
};

/** Reads the rows of a sheet, all of them unless a limit is given. orders-2026 has 10,000 rows with names, e-mail addresses and phone numbers of customers. (read) */
export function getSheet(input: GetSheetInput): Promise<GetSheetOutput> {
  return callMCPTool("docs__get_sheet", input);
}
