export interface RecentChangesInput {
 limit?: integer // Changes to show at most. Default 20. (≥ 1)
}
/** read: Lists what was changed in the CRM since it started, newest first, one change a line. */
export const recentChanges = tool<RecentChangesInput>("crm__recent_changes")
