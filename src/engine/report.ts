import type { createPlaceMapper } from "../bundle/place.ts";
import type { Clock } from "../kernel/clock.ts";
import { ERROR_CODES, type ErrorCode, type McpfsError } from "../kernel/errors.ts";
import { isDeeperThan, type Json, parseJson } from "../kernel/json.ts";
import type { Redactor } from "../kernel/log.ts";
import { count, visibleText } from "../kernel/text.ts";
import type { ScriptSource } from "../model/bundle.ts";
import type { CallEffect, Limits, RunError, RunReport } from "../model/run.ts";
import type { GuestError, SandboxEnd } from "../model/sandbox.ts";
import type { OutputCollector } from "./output.ts";
import type { RecordedRun } from "./recorded-run.ts";

/** One run while it goes on, as far as its report needs it. */
export interface OneRun {
  readonly source: ScriptSource;
  readonly limits: Limits;
  readonly record: RecordedRun;
  readonly output: OutputCollector;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

/** A sandbox's end, and why the host stopped it, if it did. */
export interface RunEnd {
  readonly end: SandboxEnd;
  readonly reason: McpfsError | undefined;
}

type PlaceMapper = ReturnType<typeof createPlaceMapper>;

/** The report of a run that ended, in whatever way. */
export function composeReport(
  run: OneRun,
  { end: given, reason }: RunEnd,
  places: PlaceMapper,
  callWarnings: readonly string[],
): RunReport {
  const effects = run.record.broker.effects();
  const parsed = given.kind === "value" && given.text !== "" ? parseJson(given.text) : undefined;
  const end: SandboxEnd = isDeeperThan(parsed, MAX_VALUE_DEPTH) ? { ...given, ...TOO_DEEP } : given;
  const value = end.kind === "value" && parsed !== undefined ? run.redactor.redactJson(parsed) : undefined;
  const error =
    end.kind === "value"
      ? null
      : end.kind === "threw"
        ? thrownError(end.error, places)
        : stopError(run, end, reason, places);
  const unhandled = end.unhandled.map((item) => unhandledWarning(item, places));
  return {
    runId: run.record.runId,
    kind: end.kind === "value" ? "ok" : end.kind === "threw" ? "failed" : "stopped",
    value,
    output: run.output.lines(),
    error: error === null ? null : withoutSecrets(run, error),
    calls: countCalls(effects),
    effects,
    waiting: [],
    warnings: [...new Set([...callWarnings, ...unhandled])].map((text) => run.redactor.redact(text)),
    usage: usageOf(run, value, end),
  };
}

/** Printing a value walks it by recursion, which overflows the stack some thousand levels down. */
const MAX_VALUE_DEPTH = 1_000;
const TOO_DEEP = {
  kind: "stopped",
  code: "LIMIT_RESULT",
  message: `The value nests deeper than ${MAX_VALUE_DEPTH} levels.`,
  stack: "",
} as const;

/** The report of a script that did not bundle: the same shape, zero calls. */
export function bundleFailure(run: OneRun, error: McpfsError): RunReport {
  const { file, line, column } = error.data as { file?: string; line?: number; column?: number };
  const isLimit = ERROR_CODES[error.code] === ERROR_CODES.LIMIT_BUNDLE;
  return {
    runId: run.record.runId,
    kind: isLimit ? "stopped" : "failed",
    value: undefined,
    output: [],
    error: withoutSecrets(run, {
      code: error.code,
      message: error.message,
      hint: error.hint,
      stack: "",
      file: file ?? run.source.name,
      line: line ?? null,
      column: column ?? null,
    }),
    calls: countCalls([]),
    effects: [],
    waiting: [],
    warnings: [],
    usage: usageOf(run, undefined, { guestCpuMs: 0, peakMemoryBytes: 0 }),
  };
}

/** A script can put what a server echoed into any part of an error. */
function withoutSecrets(run: OneRun, error: RunError): RunError {
  const { redact } = run.redactor;
  const { message, hint, stack } = error;
  return { ...error, message: redact(message), hint: redact(hint), stack: redact(stack) };
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
  const place = { ...found, file: found.file ?? run.source.name };
  if (end.code === "ABORTED") {
    const { code, message, hint } = reason ?? { code: "INTERNAL" as const, message: end.message, hint: "" };
    return { code, message, hint, ...place };
  }
  return { code: end.code, message: end.message, hint: stopHint(run, end.code), ...place };
}

/** How each limit is raised, or what the script should do instead. */
function stopHint(
  run: OneRun,
  code: Exclude<Extract<SandboxEnd, { kind: "stopped" }>["code"], "ABORTED">,
): string {
  const { limits } = run;
  switch (code) {
    case "LIMIT_WALL":
      return `Raise it with --timeout ${Math.ceil((limits.wallMs * 5) / 1000)}s, or make fewer and smaller calls.`;
    case "LIMIT_CPU":
      return 'Look for a loop that never ends. The clock stands still while a script computes: to wait, await a timer. The limit is "limits": {"cpu": …} in mcpfs.json.';
    case "LIMIT_MEMORY":
      return `Raise it with --memory ${Math.ceil((limits.memoryBytes * 2) / 1024 / 1024)}mb, or keep less in memory at once.`;
    case "LIMIT_RESULT":
      return "Return a summary, or write the data to a file below ./workspace/ and return its path.";
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

function countCalls(effects: readonly CallEffect[]): RunReport["calls"] {
  const ok = effects.filter((effect) => effect.status === "done").length;
  const unknown = effects.filter((effect) => effect.status === "unknown").length;
  return { total: effects.length, ok, failed: effects.length - ok - unknown, unknown };
}

/** A token of a language model is about four characters of English or JSON. */
const CHARACTERS_PER_TOKEN = 4;

function usageOf(
  run: OneRun,
  value: Json | undefined,
  spent: Pick<SandboxEnd, "guestCpuMs" | "peakMemoryBytes">,
): RunReport["usage"] {
  const shown =
    run.output.lines().join("\n").length +
    (value === undefined ? 0 : JSON.stringify(value, printable).length);
  return {
    wallMs: Math.round(run.clock.now() - run.record.startMs),
    guestCpuMs: Math.round(spent.guestCpuMs),
    peakMemoryBytes: spent.peakMemoryBytes,
    outputBytes: run.output.bytes(),
    estimatedTokens: Math.ceil(shown / CHARACTERS_PER_TOKEN),
  };
}

function printable(_key: string, item: unknown): unknown {
  return typeof item === "bigint" ? String(item) : item;
}

/** `3 calls: 2 done, 1 failed`, for a person. */
export function describeCalls({ total, ok, failed, unknown }: RunReport["calls"]): string {
  const parts = [`${ok} done`, `${failed} failed`, `${unknown} unknown`].filter(
    (part) => !part.startsWith("0 "),
  );
  return `${count(total, "call")}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}
