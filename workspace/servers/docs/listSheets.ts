export type ListSheetsOutput = {
 sheets: {
  id: string // Id of the sheet.
  title: string
  columns: string[] // each: Heading of a column.
  rows: integer // Number of rows. (≥ 0)
 }[]
}
/** read: Lists all sheets with their columns and number of rows. */
export const listSheets = tool<Record<string, never>, ListSheetsOutput>("docs__list_sheets")
