import { callMCPTool } from "../../client.js";

export interface RunBackupInput {
 /** How long it takes. (0–600) */
 seconds: number;
}

export type RunBackupOutput = {
 /** Records in the backup. (integer ≥ 0) */
 records: number;
};

/** Writes a backup of all records, which takes as many seconds as asked for. Reports progress. */
export function runBackup(input: RunBackupInput): Promise<RunBackupOutput> {
  return callMCPTool("crm__run_backup", input);
}
