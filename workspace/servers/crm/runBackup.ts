export interface RunBackupInput {
 seconds: number // How long it takes. (0–600)
}
export type RunBackupOutput = {
 records: integer // Records in the backup. (≥ 0)
}
/** Writes a backup of all records, which takes as many seconds as asked for. Reports progress. */
export const runBackup = tool<RunBackupInput, RunBackupOutput>("crm__run_backup")
