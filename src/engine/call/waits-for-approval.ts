import { McpfsError } from "../../kernel/errors.ts";
import { approveCall, approveRun } from "../../kernel/next-steps.ts";
import type { Tool } from "../../model/tool.ts";

/** The error of a call that is made for a sync, and waits for nobody. */
export function callNeedsApproval({ server, raw }: Tool): McpfsError {
  return new McpfsError(
    "APPROVAL_NEEDED",
    `${server}/${raw} needs the approval of a person, and nobody is there to ask.`,
    {
      hint: '"mcpfs policy explain" says why.',
    },
  );
}

/** The error of a single call, which goes on when a person has decided. */
export function callWaits(runId: string): McpfsError {
  return new McpfsError("APPROVAL_NEEDED", "The call waits for the approval of a person.", {
    hint: approveCall(runId),
    data: { runId },
  });
}

/** The error of a run that goes on when a person has decided. */
export function waitsForApproval(runId: string, calls: number): McpfsError {
  const what = calls === 1 ? "1 call waits" : `${calls} calls wait`;
  return new McpfsError(
    "APPROVAL_NEEDED",
    `${what} for the approval of a person, and nothing else can go on.`,
    {
      hint: approveRun(runId, calls),
      data: { runId },
    },
  );
}
