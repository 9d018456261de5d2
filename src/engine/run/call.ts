import type { Json } from "../../kernel/json.ts";
import type { CallOutcome } from "../../model/call.ts";
import type { Limits } from "../../model/run.ts";
import type { Tool } from "../../model/tool.ts";
import type { Caller } from "../../policy/decision.ts";
import type { ToolPattern } from "../../policy/tool-pattern.ts";
import { estimateTokens } from "../../tokens/estimate-tokens.ts";
import { resultTokens } from "../../tokens/result-tokens.ts";
import { outcomeWithoutSecrets } from "../call/without-secrets.ts";
import { openRecordedRun, type RecordParts } from "./recorded-run.ts";
import { singleCall } from "./single-call.ts";

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
 * Makes one call through the broker, recorded like a run of one call.
 * @throws McpfsError TOOL_UNKNOWN, TOOL_UNAVAILABLE for a name that is no tool; all else is in the outcome
 */
export async function callOnce(
  parts: RecordParts,
  request: CallRequest,
): Promise<CallOutcome & { readonly tool: Tool }> {
  const tool = parts.lookup.find(request.name);
  const { args, limits } = request;
  const run = await openRecordedRun(parts, {
    caller: "call",
    script: `call ${tool.wire}`,
    text: "",
    args,
    limits,
    granted: request.granted,
  });
  const { atMs: _, ...outcome } = await singleCall(run.broker, tool, request);
  const { warnings } = await run.learn();
  const code = outcome.kind === "ok" ? undefined : outcome.error.code;
  await run.end({
    kind: code === undefined ? "ok" : "failed",
    code,
    lines: 0,
    answerTokens:
      outcome.kind === "ok" ? resultTokens(outcome.value ?? null) : estimateTokens(outcome.error.message),
  });
  const all = [...outcome.warnings, ...warnings];
  return { ...outcomeWithoutSecrets(parts.redactor, { ...outcome, warnings: all }), tool };
}
