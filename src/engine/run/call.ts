import type { McpfsError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import type { CallOutcome } from "../../model/call.ts";
import type { Limits, RunReport } from "../../model/run.ts";
import type { Tool } from "../../model/tool.ts";
import { type Caller, isClient } from "../../policy/decision.ts";
import { permissionOf } from "../../policy/permission.ts";
import type { ToolPattern } from "../../policy/tool-pattern.ts";
import { estimateTokens } from "../../tokens/estimate-tokens.ts";
import { resultTokens } from "../../tokens/result-tokens.ts";
import { callWaits } from "../call/waits-for-approval.ts";
import { outcomeWithoutSecrets } from "../call/without-secrets.ts";
import { nextCommand } from "./next-command.ts";
import { openRecordedRun, type RecordedRun, type RecordParts } from "./recorded-run.ts";
import { countCalls, shownWaiting } from "./report.ts";
import { singleCall } from "./single-call.ts";
import { continueWaitingCall } from "./waiting-call.ts";

export interface CallRequest {
  readonly name: string;
  readonly args: Json;
  readonly limits: Limits;
  /** A call of one of these tools needs no person. */
  readonly granted: readonly ToolPattern[];
  readonly signal: AbortSignal;
  /** Who asks, for the policy. */
  readonly caller: Caller;
}

/**
 * Makes one call through the broker, recorded like a run of one call. Where it waits for a person who is not there, that run is
 * suspended: its record holds a script that makes the same call, so that it is resumed like any other. A client that has no means to
 * resume makes the call again.
 * @throws McpfsError TOOL_UNKNOWN, TOOL_UNAVAILABLE for a name that is no tool; all else is in the outcome
 */
export async function callOnce(
  parts: RecordParts,
  request: CallRequest,
): Promise<CallOutcome & { readonly tool: Tool; readonly runId: string }> {
  const tool = parts.lookup.find(request.name);
  const { args, limits } = request;
  const { caller } = request;
  const script = `call ${tool.wire}`;
  const record = { caller, script, text: scriptOf(tool), args, limits, granted: request.granted };
  const waiting = mayWait(parts, tool, caller) ? await continueWaitingCall(parts, record) : undefined;
  await using run = waiting ?? (await openRecordedRun(parts, record));
  const needsApproval = callWaits(run.runId);
  const { atMs: _, ...outcome } = await singleCall(run.broker, tool, request, needsApproval);
  const { warnings } = await run.learn();
  const code = outcome.kind === "ok" ? undefined : outcome.error.code;
  const isSuspended = run.broker.waiting().length > 0;
  await run.end({
    kind: isSuspended ? "suspended" : code === undefined ? "ok" : "failed",
    code,
    lines: 0,
    ...(isSuspended ? { report: suspendedReport(parts, run, { script, limits }, needsApproval) } : {}),
    answerTokens:
      outcome.kind === "ok" ? resultTokens(outcome.value ?? null) : estimateTokens(outcome.error.message),
  });
  const all = [...outcome.warnings, ...warnings];
  return { ...outcomeWithoutSecrets(parts.redactor, { ...outcome, warnings: all }), tool, runId: run.runId };
}

/** True where a person may be asked about the tool: one call of the client's may then wait already. */
function mayWait({ policy }: RecordParts, tool: Tool, caller: Caller): boolean {
  const isAsked = policy.rules.some((rule) => rule.permission === "ask" && rule.arguments !== undefined);
  return isClient(caller) && (isAsked || permissionOf(policy, tool, caller) === "ask");
}

/** The script that makes the same call; its arguments are the run's. */
function scriptOf({ wire }: Tool): string {
  return `export default await callMCPTool(${JSON.stringify(wire)}, args);\n`;
}

function suspendedReport(
  { redactor, clock }: RecordParts,
  record: RecordedRun,
  { script, limits }: { readonly script: string; readonly limits: Limits },
  { code, message, hint }: McpfsError,
): RunReport {
  const { runId, caller } = record;
  const effects = record.broker.effects();
  const waiting = shownWaiting({ record, redactor });
  return {
    runId,
    kind: "suspended",
    value: undefined,
    output: [],
    error: { code, message, hint, stack: "", file: script, line: null, column: null },
    calls: countCalls(effects, waiting),
    effects,
    waiting,
    repeats: [],
    next: nextCommand({ runId, caller, kind: "suspended", code, effects, limits, script }),
    warnings: [],
    usage: {
      wallMs: clock.now() - record.attemptMs,
      guestCpuMs: 0,
      peakMemoryBytes: 0,
      outputBytes: 0,
      estimatedTokens: 0,
    },
  };
}
