import type { JournalEvent } from "../../journal/events.ts";
import { effectOf, type Past } from "../../journal/past.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { CallError } from "../../model/call.ts";
import type { RunError, RunReport } from "../../model/run.ts";
import { nextCommand, repeatsOf } from "../run/next-command.ts";
import { countCalls } from "../run/report.ts";
import { endKind } from "./end-kind.ts";

/**
 * The report of a run of the past: the one that it gave, or, where its process ended before it could give one (or it still goes
 * on), what its journal tells.
 */
export function pastReport(past: Past, events: readonly JournalEvent[], isRunning: boolean): RunReport {
  const given = past.end?.report;
  if (!isRunning && isJsonObject(given)) return given as unknown as RunReport;
  const { runId } = past.run;
  const effects = [...past.calls.values()].map(effectOf).sort((one, other) => one.call - other.call);
  const kind = isRunning ? "stopped" : endKind(past.end?.kind);
  const failure = [...past.calls.values()].find(({ answer }) => answer?.error !== undefined)?.answer?.error;
  const [only] = past.calls.values();
  const { limits, script } = past.script;
  const code = kind === "ok" ? undefined : "INTERRUPTED";
  const { caller, text } = past.run;
  // The calls that were made to learn types hold no script.
  const isOver = caller === "call" && text === "";
  const next =
    !isRunning && !isOver ? nextCommand({ runId, caller, kind, code, effects, limits, script }) : null;
  return {
    runId,
    kind,
    value: kind === "ok" ? only?.answer?.value : undefined,
    output: [],
    error: kind === "ok" ? null : errorOf(past, isRunning, next, failure),
    calls: countCalls(effects, []),
    effects,
    waiting: [],
    repeats: repeatsOf(kind, effects),
    next,
    warnings: [],
    usage: {
      wallMs: Math.max(0, (events.at(-1)?.atMs ?? 0) - past.run.atMs),
      guestCpuMs: 0,
      peakMemoryBytes: 0,
      outputBytes: 0,
      estimatedTokens: 0,
    },
  };
}

function errorOf(
  past: Past,
  isRunning: boolean,
  next: string | null,
  failure: CallError | undefined,
): RunError {
  const place = { stack: "", file: past.script.script, line: null, column: null };
  if (isRunning)
    return {
      code: "RUN_BUSY",
      message: "The run still goes on in another process.",
      hint: "Wait for it to end.",
      ...place,
    };
  if (past.end !== undefined && failure !== undefined)
    return { code: failure.code as ErrorCode, message: failure.message, hint: failure.hint, ...place };
  const hint = next === null ? "Nothing goes on in the background." : `Go on with it: ${next}`;
  return { code: "INTERRUPTED", message: "The process of the run ended before the run did.", hint, ...place };
}
