import { callMCPTool } from "../../client.js";

export interface RecentChangesInput {
 /** Changes to show at most. Default 20. (integer ≥ 1) */
 limit?: number;
}

/** Lists what was changed in the CRM since it started, newest first, one change a line. (read) */
export function recentChanges(input: RecentChangesInput = {}): Promise<any> {
  return callMCPTool("crm__recent_changes", input);
}
