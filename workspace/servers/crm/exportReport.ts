import { callMCPTool } from "../../client.js";

export interface ExportReportInput {
 /** Which report. */
 report: "pipeline"|"activity";
}

export type ExportReportOutput = {
 /** Where the file can be fetched. */
 url: string;
};

/** Exports a report as a file. The demo's plan allows no exports, so this always fails. (read) */
export function exportReport(input: ExportReportInput): Promise<ExportReportOutput> {
  return callMCPTool("crm__export_report", input);
}
