export interface ExportReportInput {
 report: "pipeline"|"activity" // Which report.
}
export type ExportReportOutput = {
 url: string // Where the file can be fetched.
}
/** read: Exports a report as a file. The demo's plan allows no exports, so this always fails. */
export const exportReport = tool<ExportReportInput, ExportReportOutput>("crm__export_report")
