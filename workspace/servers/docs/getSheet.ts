export interface GetSheetInput {
 sheet_id: string // Id of the sheet, as list_sheets shows it.
 offset?: integer // Rows to skip. Default 0. (≥ 0)
 limit?: integer // Rows to return at most. Default: all. (≥ 1)
}
export type GetSheetOutput = {
 sheet_id: string
 total: integer // Rows of the whole sheet. (≥ 0)
 rows: {
  Order: string // Number of the order.
  Customer: string // Name of the customer.
  Email: string // The customer's e-mail address.
  Phone: string // The customer's phone number.
  Lead: string // Id of the customer's lead in the CRM.
  Status: "pending"|"paid"|"shipped"|"delivered"|"cancelled"|"refunded" // How far the order is.
  Amount: number // US dollars.
  Ordered: string // Day of the order, such as 2026-03-14.
 }[]
}
/** read: Reads the rows of a sheet, all of them unless a limit is given. orders-2026 has 10,000 rows with names, e-mail addresses and phone numbers of customers. */
export const getSheet = tool<GetSheetInput, GetSheetOutput>("docs__get_sheet")
