import { McpfsError } from "../../kernel/errors.ts";
import type { Tool } from "../../model/tool.ts";

/** The error of a call that belongs to no run which could be resumed. */
export function callNeedsApproval({ server, raw }: Tool): McpfsError {
  return new McpfsError(
    "APPROVAL_NEEDED",
    `${server}/${raw} needs the approval of a person, and nobody is there to ask.`,
    {
      hint: `Make the call at a terminal, or allow it with --grant '${server}/${raw}'. "mcpfs policy explain" says why.`,
    },
  );
}

/** The error of a run that goes on when a person has decided. */
export function waitsForApproval(runId: string, calls: number): McpfsError {
  const what = calls === 1 ? "1 call waits" : `${calls} calls wait`;
  return new McpfsError(
    "APPROVAL_NEEDED",
    `${what} for the approval of a person, and nothing else can go on.`,
    {
      hint: `"mcpfs runs approve ${runId}" allows ${calls === 1 ? "it" : "them"}, "mcpfs runs deny ${runId}" does not; then "mcpfs runs resume ${runId}".`,
      data: { runId },
    },
  );
}
