import { setMaxListeners } from "node:events";
import { join } from "node:path";
import type { Builtin } from "../builtin/builtin.ts";
import type { Bundler } from "../bundle/bundler.ts";
import { createPlaceMapper } from "../bundle/place.ts";
import type { BundleWorld } from "../bundle/world.ts";
import { McpfsError, toMcpfsError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import { settlesWithin } from "../kernel/wait.ts";
import type { Bundle, ScriptSource } from "../model/bundle.ts";
import type { LogLine } from "../model/door.ts";
import type { RunTokens } from "../model/ledger.ts";
import type { Limits, RunReport } from "../model/run.ts";
import type { Sandbox } from "../model/sandbox.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { createDoor } from "./door.ts";
import type { OneRun } from "./one-run.ts";
import { createOutputCollector } from "./output.ts";
import { openRecordedRun, type RecordParts } from "./recorded-run.ts";
import { bundleFailure, composeReport } from "./report.ts";

/** What a run is made of; the host puts it together. */
export interface RunParts extends RecordParts {
  readonly bundler: Bundler;
  readonly sandbox: Sandbox;
  readonly world: BundleWorld;
  readonly builtin: Builtin;
}

export interface RunRequest {
  readonly source: ScriptSource;
  readonly args: Json;
  readonly limits: Limits;
  /** Console lines as they happen, within the output budget. */
  readonly onLine: (line: LogLine) => void;
  /** What the run cost a model, once it has ended. */
  readonly onTokens?: ((tokens: RunTokens) => void) | undefined;
  readonly signal?: AbortSignal;
}

/** How long calls that are still out may take to notice that the run is over. */
const CANCEL_GRACE_MS = 1_000;

/**
 * Runs one script: bundle, sandbox, door, broker; then reports. Expected ends (a thrown error, a limit) are in the
 * report; only faults of mcpfs itself are thrown.
 */
export async function runScript(parts: RunParts, request: RunRequest): Promise<RunReport> {
  const { source, args, limits } = request;
  const record = await openRecordedRun(parts, {
    caller: "exec",
    script: source.name,
    text: source.text,
    args,
    limits,
  });
  const stop = new AbortController();
  // Each open call and timer listens; Node would warn on stderr from the eleventh.
  setMaxListeners(0, stop.signal);
  request.signal?.addEventListener("abort", () => stop.abort(request.signal?.reason), { once: true });
  if (request.signal?.aborted) stop.abort(request.signal.reason);
  const output = createOutputCollector({
    maxBytes: limits.outputBytes,
    wholePath: join(record.folder, "output.txt"),
    shownPath: `${record.shownFolder}/output.txt`,
    redact: parts.redactor.redact,
    onLine: request.onLine,
    onFlood: (error) => stop.abort(error),
  });
  const run: OneRun = { source, limits, record, output, redactor: parts.redactor, clock: parts.clock };
  const bundle = await parts.bundler.bundle(source, parts.world).catch(toMcpfsError);
  const report =
    bundle instanceof McpfsError
      ? bundleFailure(run, bundle)
      : await runBundle(parts, request, run, bundle, stop);
  const { kind, error, usage } = report;
  const told = error === null ? 0 : estimateTokens(`${error.message}\n${error.stack}\n${error.hint}`);
  const answerTokens = usage.estimatedTokens + told;
  const tokens = await record.end({ kind, code: error?.code, answerTokens });
  request.onTokens?.(tokens);
  return report;
}

async function runBundle(
  parts: RunParts,
  request: RunRequest,
  run: OneRun,
  bundle: Bundle,
  stop: AbortController,
): Promise<RunReport> {
  const { record } = run;
  const warnings: string[] = [...bundle.warnings];
  const door = createDoor({
    broker: record.broker,
    builtin: parts.builtin,
    redactor: parts.redactor,
    clock: parts.clock,
    signal: stop.signal,
    onWarning: (text) => warnings.push(text),
  });
  const end = await parts.sandbox.run({
    code: bundle.code,
    args: request.args,
    limits: request.limits,
    seed: record.seed,
    nowMs: record.startMs,
    onCall: door.answer,
    onLog: run.output.add,
    signal: stop.signal,
  });
  const reason = stop.signal.aborted ? toMcpfsError(stop.signal.reason) : undefined;
  // Calls that are still out are cancelled at their servers; what they did is then known or "unknown".
  stop.abort(new McpfsError("OUTCOME_UNKNOWN", "The run ended while this call was out."));
  await settlesWithin(door.drained(), CANCEL_GRACE_MS);
  warnings.push(...(await record.learn()).warnings);
  return composeReport(run, { end, reason }, createPlaceMapper(bundle), warnings);
}
