import { setMaxListeners } from "node:events";
import { join } from "node:path";
import type { Builtin } from "../../builtin/builtin.ts";
import type { Bundler } from "../../bundle/bundler.ts";
import { createPlaceMapper } from "../../bundle/place.ts";
import type { BundleWorld } from "../../bundle/world.ts";
import { digestText } from "../../kernel/digest.ts";
import { McpfsError, toMcpfsError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { settlesWithin } from "../../kernel/wait.ts";
import type { Bundle, ScriptSource } from "../../model/bundle.ts";
import type { LogLine } from "../../model/door.ts";
import type { RunTokens } from "../../model/ledger.ts";
import type { Limits, RunReport } from "../../model/run.ts";
import type { Sandbox } from "../../model/sandbox.ts";
import { type Caller, isClient } from "../../policy/decision.ts";
import type { ToolPattern } from "../../policy/tool-pattern.ts";
import { estimateTokens } from "../../tokens/estimate-tokens.ts";
import { createDoor } from "../call/door.ts";
import { recordBuiltin } from "../call/recorded-builtin.ts";
import type { OneRun } from "./one-run.ts";
import { createOutputCollector } from "./output.ts";
import { openRecordedRun, type RecordedRun, type RecordParts } from "./recorded-run.ts";
import type { Replay } from "./replay.ts";
import { bundleFailure, composeReport, type RunEnd } from "./report.ts";

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
  /** Who asks for this run's calls; default: `exec`. */
  readonly caller?: Caller;
  /** Calls of these tools need no person in this run. */
  readonly granted?: readonly ToolPattern[];
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
  const { source, args, limits, caller = "exec", granted = [] } = request;
  const { name: script, path, text } = source;
  await using record = await openRecordedRun(parts, { caller, script, path, text, args, limits, granted });
  const bundle = await bundleOf(parts, source);
  return await runRecorded(parts, request, { record, bundle });
}

/** The script as one module, or why it is none. */
export async function bundleOf(
  parts: Pick<RunParts, "bundler" | "world">,
  source: ScriptSource,
): Promise<Bundle | McpfsError> {
  return await parts.bundler.bundle(source, parts.world).catch(toMcpfsError);
}

/** A run whose journal is open. */
export interface OpenedRun {
  readonly record: RecordedRun;
  readonly bundle: Bundle | McpfsError;
  /** For a run that is resumed. */
  readonly replay?: OpenedReplay;
}

export interface OpenedReplay {
  readonly replay: Replay;
  /** Console lines of this script that were printed before, where that is known. */
  readonly printedLines: number | undefined;
}

/** Runs the script of a run whose journal is open, records its end and closes it. */
export async function runRecorded(
  parts: RunParts,
  request: RunRequest,
  opened: OpenedRun,
): Promise<RunReport> {
  const { record, bundle } = opened;
  const { source, limits } = request;
  const stop = new AbortController();
  // Each open call and timer listens; Node would warn on stderr from the eleventh.
  setMaxListeners(0, stop.signal);
  const follow = (): void => stop.abort(request.signal?.reason);
  request.signal?.addEventListener("abort", follow, { once: true });
  if (request.signal?.aborted) stop.abort(request.signal.reason);
  const reader = isClient(request.caller ?? "exec") ? "client" : "shell";
  const output = createOutputCollector({
    reader,
    maxBytes: limits.outputBytes,
    wholePath: join(record.folder.path, "output.txt"),
    shownPath: `${record.folder.shown}/output.txt`,
    redact: parts.redactor.redact,
    onLine: request.onLine,
    onFlood: (error) => stop.abort(error),
  });
  const run: OneRun = {
    source,
    limits,
    record,
    output,
    redactor: parts.redactor,
    clock: parts.clock,
    reader,
  };
  const lines = createLineCount(opened.replay, output.add);
  if (!(bundle instanceof McpfsError)) {
    const { code, files } = bundle;
    record.journal.append({ event: "bundled", digest: digestText(code), files, atMs: parts.clock.now() });
  }
  const makeReport = async (): Promise<RunReport> =>
    bundle instanceof McpfsError
      ? bundleFailure(run, bundle)
      : await runBundle(parts, request, { ...opened, run, bundle, stop, onLog: lines.add });
  // A caller may stop many runs by one signal, which must not hold them all until then.
  const report = await makeReport().finally(() => request.signal?.removeEventListener("abort", follow));
  const { kind, error, usage } = report;
  const told = error === null ? 0 : estimateTokens(`${error.message}\n${error.stack}\n${error.hint}`);
  const answerTokens = usage.estimatedTokens + told;
  const tokens = await record.end({ kind, code: error?.code, lines: lines.count(), answerTokens, report });
  request.onTokens?.(tokens);
  return report;
}

/** Counts the script's console lines, and lets through those that were not printed by an earlier attempt. */
function createLineCount(
  opened: OpenedReplay | undefined,
  show: (line: LogLine) => void,
): { readonly add: (line: LogLine) => void; readonly count: () => number } {
  let lines = 0;
  const isNew = (): boolean =>
    opened === undefined ||
    (opened.printedLines === undefined ? opened.replay.isPast() : lines > opened.printedLines);
  return {
    add: (line) => {
      lines += 1;
      if (isNew()) show(line);
    },
    count: () => lines,
  };
}

interface Running extends OpenedRun {
  readonly run: OneRun;
  readonly bundle: Bundle;
  readonly stop: AbortController;
  readonly onLog: (line: LogLine) => void;
}

async function runBundle(parts: RunParts, request: RunRequest, running: Running): Promise<RunReport> {
  const { run, bundle, stop, record } = running;
  const replay = running.replay?.replay;
  const { clock, redactor } = parts;
  const { signal } = stop;
  const warnings: string[] = [...bundle.warnings];
  const door = createDoor({
    broker: record.broker,
    caller: request.caller ?? "exec",
    builtin: recordBuiltin({
      builtin: parts.builtin,
      journal: record.journal,
      clock,
      signal,
      ...(replay === undefined ? {} : { recall: replay.recallBuiltin }),
    }),
    handOver: record.handOver,
    redactor,
    clock,
    signal,
    onWarning: (text) => warnings.push(text),
    onDiverged: ({ code, message, hint }, doorCall) =>
      stop.abort(new McpfsError(code, message, { hint, data: { doorCall } })),
  });
  const runToEnd = async (): Promise<RunEnd> => {
    try {
      const end = await parts.sandbox.run({
        code: bundle.code,
        args: request.args,
        limits: request.limits,
        seed: record.seed,
        nowMs: record.startMs,
        onCall: door.answer,
        onLog: running.onLog,
        ...(replay === undefined ? {} : { replay: { onWaiting: replay.onWaiting, over: replay.over } }),
        signal,
      });
      return { end, reason: signal.aborted ? toMcpfsError(signal.reason) : undefined };
    } finally {
      // Calls that are still out are cancelled at their servers; what they did is then known or "unknown".
      stop.abort(new McpfsError("OUTCOME_UNKNOWN", "The run ended while this call was out."));
      await settlesWithin(door.drained(), CANCEL_GRACE_MS);
    }
  };
  const ended = await runToEnd();
  warnings.push(...(await record.learn()).warnings);
  if (replay !== undefined && (ended.end.kind === "value" || replay.isPast()))
    warnings.push(...unmadeWarnings(replay));
  return composeReport(run, ended, createPlaceMapper(bundle), warnings);
}

/** An edited script may leave out calls that were made before it was edited. */
function unmadeWarnings(replay: Replay): readonly string[] {
  return replay
    .unmade()
    .map(
      ({ call, server, tool }) =>
        `Call ${call} to ${server}/${tool} was made before, and the script does not make it any more.`,
    );
}
