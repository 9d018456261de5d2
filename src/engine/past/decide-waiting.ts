import { undecidedCalls } from "../../journal/undecided-calls.ts";
import type { Clock } from "../../kernel/clock.ts";
import { McpfsError } from "../../kernel/errors.ts";
import { showRun } from "../../kernel/next-steps.ts";
import type { AskedEvent } from "../../model/call-event.ts";
import type { WaitingCall } from "../../model/run.ts";
import { takeRun } from "../run/past-run.ts";
import type { JournalParts } from "../run/run-folder.ts";

/** What a person says of calls that wait. */
export interface WaitingDecision {
  readonly decision: "approved" | "denied";
  /** Only this call; absent: all that wait. */
  readonly call?: number;
  /** `run-tool`: also for all later calls of the same tool in this run. */
  readonly scope: "call" | "run-tool";
}

/**
 * Writes decisions into the journal of a suspended run, which nobody else works on meanwhile. What resumes it finds them there.
 * @returns the calls that were decided
 * @throws McpfsError USAGE for a run or a call that does not wait, RUN_BUSY, JOURNAL_INVALID
 */
export async function decideWaiting(
  parts: JournalParts & { readonly clock: Clock },
  runId: string,
  { decision, call, scope }: WaitingDecision,
): Promise<readonly WaitingCall[]> {
  const run = await takeRun(parts, runId);
  try {
    const waiting = run.past.end?.kind === "suspended" ? undecidedCalls(run.read.events) : [];
    const meant = call === undefined ? waiting : waiting.filter((asked) => asked.call === call);
    if (meant.length === 0) throw notWaiting(runId, waiting, call);
    const journal = await run.openJournal();
    try {
      for (const asked of meant)
        journal.append({
          event: "decided",
          ...{ call: asked.call, decision, scope },
          by: "command",
          atMs: parts.clock.now(),
        });
    } finally {
      await journal.close();
    }
    return meant.map(({ call, server, tool, arguments: args, reason }) => ({
      ...{ call, server, tool, reason },
      arguments: args,
    }));
  } finally {
    await run.release();
  }
}

function notWaiting(runId: string, waiting: readonly AskedEvent[], call: number | undefined): McpfsError {
  if (waiting.length === 0)
    return new McpfsError("USAGE", `No call of the run ${runId} waits for an approval.`, {
      hint: showRun(runId),
    });
  return new McpfsError("USAGE", `Call ${call} of the run ${runId} does not wait for an approval.`, {
    hint: `These do: ${waiting.map((asked) => `${asked.call} (${asked.server}/${asked.tool})`).join(", ")}.`,
  });
}
