import type { createPlaceMapper } from "../../bundle/place.ts";
import { ERROR_CODES, type ErrorCode, type McpfsError } from "../../kernel/errors.ts";
import { type Json, valueText } from "../../kernel/json.ts";
import { count, oneLine, visibleText } from "../../kernel/text.ts";
import { type CallEffect, howToRaise, type Limits, type RunError, type RunReport } from "../../model/run.ts";
import type { GuestError, MadeCall, SandboxEnd } from "../../model/sandbox.ts";
import { estimateTokens } from "../../tokens/estimate-tokens.ts";
import { waitsForApproval } from "../call/waits-for-approval.ts";
import { endlessLoopIn } from "./endless-loop.ts";
import { nextCommand, repeatsOf } from "./next-command.ts";
import type { OneRun } from "./one-run.ts";
import { readRunValue } from "./run-value.ts";

/** A sandbox's end, and why the host stopped it, if it did. */
export interface RunEnd {
  readonly end: SandboxEnd;
  readonly reason: McpfsError | undefined;
}

type PlaceMapper = ReturnType<typeof createPlaceMapper>;

/** The report of a run that ended, in whatever way. */
export function composeReport(
  run: OneRun,
  { end, reason }: RunEnd,
  places: PlaceMapper,
  callWarnings: readonly string[],
): RunReport {
  const effects = run.record.broker.effects();
  const waiting = shownWaiting(run);
  const settled = end.kind === "value" ? readRunValue(run, end.text) : undefined;
  const value = settled?.value;
  const error =
    end.kind === "value"
      ? ownError(run, settled?.error)
      : end.kind === "threw"
        ? thrownError(end.error, places)
        : end.kind === "suspended"
          ? ownError(run, waitsForApproval(run.record.runId, waiting.length))
          : stopError(run, end, reason, places);
  const unhandled = end.unhandled.map((item) => unhandledWarning(item, places));
  const unawaited = unawaitedWarnings(end.unawaited, places);
  const hasDiverged = error?.code === "REPLAY_DIVERGED";
  const kind = error === null ? "ok" : hasDiverged ? "failed" : KINDS[end.kind];
  return {
    runId: run.record.runId,
    kind,
    value,
    output: run.output.lines(settled?.bytes ?? 0),
    error: error === null ? null : toldError(run, error),
    calls: countCalls(effects, waiting),
    effects,
    waiting,
    ...goingOn(run, { kind, error, effects }),
    warnings: [...new Set([...callWarnings, ...unawaited, ...unhandled])].map(run.redactor.redact),
    usage: usageOf(run, value, settled?.bytes ?? 0, end),
  };
}

const KINDS: Readonly<Record<SandboxEnd["kind"], RunReport["kind"]>> = {
  value: "stopped",
  threw: "failed",
  suspended: "suspended",
  stopped: "stopped",
};

/** Calls that wait for a person, as they may be shown. */
export function shownWaiting({
  record,
  redactor,
}: Pick<OneRun, "record" | "redactor">): RunReport["waiting"] {
  return record.broker.waiting().map((call) => ({
    ...call,
    arguments: redactor.redactJson(call.arguments),
    reason: redactor.redact(call.reason),
  }));
}

/** The report of a script that did not bundle: the same shape, zero calls. */
export function bundleFailure(run: OneRun, error: McpfsError): RunReport {
  const { file, line, column } = error.data as { file?: string; line?: number; column?: number };
  const kind = ERROR_CODES[error.code] === ERROR_CODES.LIMIT_BUNDLE ? "stopped" : "failed";
  // What earlier attempts did, where there were some.
  const effects = run.record.broker.effects();
  return {
    runId: run.record.runId,
    kind,
    value: undefined,
    output: [],
    error: toldError(run, {
      code: error.code,
      message: error.message,
      hint: hintFor(error, run),
      stack: "",
      file: file ?? run.source.name,
      line: line ?? null,
      column: column ?? null,
    }),
    calls: countCalls(effects, []),
    effects,
    waiting: [],
    ...goingOn(run, { kind, error, effects }),
    warnings: [],
    usage: usageOf(run, undefined, 0, { guestCpuMs: 0, peakMemoryBytes: 0 }),
  };
}

/** A script can put what a server echoed into any part of an error. */
function toldError(run: OneRun, error: RunError): RunError {
  const { redact } = run.redactor;
  const { message, hint, stack } = error;
  return { ...error, message: redact(message), hint: redact(hint), stack: redact(stack) };
}

/** An error of the report itself, at no line of the script. */
function ownError(run: OneRun, error: McpfsError | undefined): RunError | null {
  if (error === undefined) return null;
  const { code, message } = error;
  return {
    code,
    message,
    hint: hintFor(error, run),
    stack: "",
    file: run.source.name,
    line: null,
    column: null,
  };
}

function thrownError(thrown: GuestError, places: PlaceMapper): RunError {
  const isOurs = thrown.code !== undefined && Object.hasOwn(ERROR_CODES, thrown.code);
  const isPlain = thrown.name === "Error" || thrown.name === "MCPToolError" || thrown.name === "";
  return {
    code: isOurs ? (thrown.code as ErrorCode) : "SCRIPT_ERROR",
    message: visibleText(isPlain ? thrown.message : `${thrown.name}: ${thrown.message}`),
    hint: thrown.hint ?? "Mend the script at this line and run it again.",
    ...places.stack(thrown.stack),
  };
}

function stopError(
  run: OneRun,
  end: Extract<SandboxEnd, { readonly kind: "stopped" }>,
  reason: McpfsError | undefined,
  places: PlaceMapper,
): RunError {
  const found = places.stack(end.stack);
  const guessed =
    end.code === "LIMIT_CPU" && found.line === null ? endlessLoopIn(run.source.text) : undefined;
  const place = { ...found, file: found.file ?? run.source.name, ...guessed };
  if (end.code === "ABORTED") {
    if (reason === undefined) return { code: "INTERNAL", message: end.message, hint: "", ...place };
    return { code: reason.code, message: reason.message, hint: hintFor(reason, run), ...place };
  }
  return { code: end.code, message: end.message, hint: stopHint(run, end.code), ...place };
}

function hintFor({ hint, clientHint }: McpfsError, { reader }: OneRun): string {
  return reader === "client" ? clientHint : hint;
}

/** How each limit is raised, or what the script should do instead. */
function stopHint(
  run: OneRun,
  code: Exclude<Extract<SandboxEnd, { kind: "stopped" }>["code"], "ABORTED">,
): string {
  const { limits, reader } = run;
  const raise = (name: keyof Limits): string => howToRaise(name, limits[name], reader);
  switch (code) {
    case "LIMIT_WALL":
      return `${raise("wallMs")}${reader === "shell" ? " A script that waits long may say --timeout none." : ""}`;
    case "LIMIT_CPU":
      return `Look for a loop that never ends. The clock stands still while a script computes: to wait, await a timer. ${raise("cpuMs")}`;
    case "LIMIT_MEMORY":
      return `Keep less in memory at once. ${raise("memoryBytes")}`;
    case "LIMIT_RESULT":
      return `Return a summary, or write the data to a file below ./workspace/ and return its path. ${raise("resultBytes")}`;
    case "DEADLOCK":
      return "Something is awaited that nothing will settle: look for a promise whose resolve is never called.";
    case "INTERNAL":
      return "This is a fault of mcpfs; please report it with the script.";
  }
}

function unhandledWarning(error: GuestError, places: PlaceMapper): string {
  const { file, line } = places.stack(error.stack);
  const where = file === null ? "" : ` (${file}:${line})`;
  return `Unhandled rejection${where}: ${visibleText(error.message)}`;
}

/** More of them say the same. */
const MAX_UNAWAITED_NAMED = 10;

/** Law 11: calls that nobody awaited are finished and named. */
function unawaitedWarnings(calls: readonly MadeCall[], places: PlaceMapper): readonly string[] {
  const named = calls.slice(0, MAX_UNAWAITED_NAMED).map(({ name, stack }) => {
    const { file, line } = places.stack(stack);
    const where = file === null ? "" : ` (${file}:${line})`;
    return `${oneLine(name)}${where} was still open when the script had ended: write await in front of the call.`;
  });
  const rest = calls.length - named.length;
  return rest === 0 ? named : [...named, `${count(rest, "more call")} of the script had no await either.`];
}

/** What a new run of the script would do twice, and how this one goes on. */
function goingOn(
  run: OneRun,
  ended: {
    readonly kind: RunReport["kind"];
    readonly error: Pick<RunError, "code"> | null;
    readonly effects: readonly CallEffect[];
  },
): Pick<RunReport, "repeats" | "next"> {
  const { limits, source, record } = run;
  return {
    repeats: repeatsOf(ended.kind, ended.effects),
    next: nextCommand({
      ...ended,
      code: ended.error?.code,
      limits,
      script: source.name,
      runId: record.runId,
      caller: record.caller,
    }),
  };
}

export function countCalls(
  effects: readonly CallEffect[],
  waiting: RunReport["waiting"],
): RunReport["calls"] {
  // One that waits for a person may be of either kind: it was never sent, or nobody knows what it did before.
  const waits = new Set(waiting.map(({ call }) => call));
  const ok = effects.filter(({ status }) => status === "done").length;
  const unknown = effects.filter(({ status }) => status === "unknown").length;
  const failed = effects.filter(
    ({ call, status }) => status === "failed" || (status === "never-sent" && !waits.has(call)),
  ).length;
  return { total: effects.length, ok, failed, unknown };
}

function usageOf(
  run: OneRun,
  value: Json | undefined,
  valueBytes: number,
  spent: Pick<SandboxEnd, "guestCpuMs" | "peakMemoryBytes">,
): RunReport["usage"] {
  const shown =
    estimateTokens(run.output.lines(valueBytes).join("\n")) +
    (value === undefined ? 0 : estimateTokens(valueText(value)));
  return {
    wallMs: Math.round(run.clock.now() - run.record.attemptMs),
    guestCpuMs: Math.round(spent.guestCpuMs),
    peakMemoryBytes: spent.peakMemoryBytes,
    outputBytes: run.output.bytes(),
    estimatedTokens: shown,
  };
}

/** `3 calls: 2 done, 1 failed`, for a person. */
export function describeCalls({ total, ok, failed, unknown }: RunReport["calls"]): string {
  const parts = [`${ok} done`, `${failed} failed`, `${unknown} unknown`].filter(
    (part) => !part.startsWith("0 "),
  );
  return `${count(total, "call")}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}
