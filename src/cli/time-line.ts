import type { ToldRun } from "../engine/past/runs.ts";
import { type TimedCall, timedCalls } from "../engine/run/timed-calls.ts";
import { stringifyJson } from "../kernel/json.ts";
import { count, oneLine } from "../kernel/text.ts";

/** Columns of the bar that shows when a call was open. */
const BAR_WIDTH = 24;
/** Characters of arguments and answers that are shown. */
const MAX_SHOWN = 2_000;

/**
 * A run as lines of text: when each call began, how long it took, the size of its answer, and how it ended; calls that were open at the
 * same time stand in one bracket.
 */
export function timeLine({ past, events, isRunning }: ToldRun, isDetailed: boolean): readonly string[] {
  const { runId, caller, atMs } = past.run;
  const { calls, totalMs } = timedCalls(past, events);
  const state = isRunning ? "still running" : `${(totalMs / 1_000).toFixed(3)} s`;
  const resumes = events.filter(({ event }) => event === "resume").length;
  const attempts = resumes === 0 ? "" : `, ${count(resumes + 1, "attempt")}`;
  const head = `${runId}  ${caller} ${oneLine(past.script.script, 80)}  ${new Date(atMs).toISOString()}  ${state}${attempts}`;
  if (calls.length === 0) return [head, "  no calls to servers"];
  const names = calls.map(({ made }) => `${made.server}/${made.tool}`);
  const width = Math.min(40, Math.max(...names.map((name) => oneLine(name, 40).length)));
  const shown = calls.map((call) => {
    const { made, startMs, tookMs, bytes } = call;
    const name = oneLine(`${made.server}/${made.tool}`, 40).padEnd(width);
    const row = [
      BRACKETS[call.place],
      seconds(startMs),
      tookMs === undefined ? "        –" : seconds(tookMs),
      (bytes === undefined ? "–" : `${bytes} B`).padStart(11),
      bar(call, totalMs),
      `${String(made.call).padStart(4)} ${name}`,
      outcome(call),
    ].join("  ");
    return isDetailed ? [row, ...details(call)] : [row];
  });
  return [head, `      start       took       answer  ${"".padEnd(BAR_WIDTH)}  call`, ...shown.flat()];
}

const BRACKETS: Readonly<Record<TimedCall["place"], string>> = {
  alone: " ",
  first: "┌",
  between: "│",
  last: "└",
};

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`.padStart(9);
}

function bar({ startMs, tookMs, made }: TimedCall, totalMs: number): string {
  const column = (ms: number): number => Math.round((ms / Math.max(1, totalMs)) * (BAR_WIDTH - 1));
  if (made.sentMs === undefined) return "".padEnd(BAR_WIDTH);
  const start = column(startMs);
  const end = tookMs === undefined ? BAR_WIDTH - 1 : column(startMs + tookMs);
  return `${"·".repeat(start)}${(tookMs === undefined ? "?" : "█").repeat(end - start + 1)}`.padEnd(
    BAR_WIDTH,
    "·",
  );
}

function outcome({ made }: TimedCall): string {
  const { effect, answer } = made;
  const error = answer?.error;
  return error === undefined ? effect : `${effect}  ${error.code}: ${oneLine(error.message, 80)}`;
}

function details({ made }: TimedCall): readonly string[] {
  const { answer } = made;
  const given = answer?.error ?? answer?.value;
  return [
    `      ← ${oneLine(stringifyJson(made.arguments), MAX_SHOWN)}`,
    ...(answer === undefined
      ? []
      : [`      → ${given === undefined ? "nothing" : oneLine(stringifyJson(given), MAX_SHOWN)}`]),
  ];
}
