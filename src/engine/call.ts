import type { Json } from "../kernel/json.ts";
import type { CallOutcome } from "../model/call.ts";
import type { Limits } from "../model/run.ts";
import type { Tool } from "../model/tool.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { resultTokens } from "../tokens/result-tokens.ts";
import { openRecordedRun, type RecordParts } from "./recorded-run.ts";
import { outcomeWithoutSecrets } from "./without-secrets.ts";

export interface CallRequest {
  readonly name: string;
  readonly args: Json;
  readonly limits: Limits;
  readonly signal: AbortSignal;
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
  const { args, limits, signal } = request;
  const run = await openRecordedRun(parts, {
    caller: "call",
    script: `call ${tool.wire}`,
    text: "",
    args,
    limits,
  });
  const outcome = await run.broker.call({ name: request.name, arguments: args, caller: "call", signal });
  const { warnings } = await run.learn();
  const isOk = outcome.kind === "ok";
  await run.end({
    kind: isOk ? "ok" : "failed",
    code: isOk ? undefined : outcome.error.code,
    answerTokens: isOk ? resultTokens(outcome.value ?? null) : estimateTokens(outcome.error.message),
  });
  const all = [...outcome.warnings, ...warnings];
  return { ...outcomeWithoutSecrets(parts.redactor, { ...outcome, warnings: all }), tool };
}
