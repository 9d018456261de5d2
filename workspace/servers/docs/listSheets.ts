import { callMCPTool } from "../../client.js";

export type ListSheetsInput = Record<string, never>;

export type ListSheetsOutput = {
 sheets: {
  /** Id of the sheet. */
  id: string;
  title: string;
  /** each: Heading of a column. */
  columns: string[];
  /** Number of rows. (integer ≥ 0) */
  rows: number;
 }[];
};

/** Lists all sheets with their columns and number of rows. (read) */
export function listSheets(input: ListSheetsInput = {}): Promise<ListSheetsOutput> {
  return callMCPTool("docs__list_sheets", input);
}
