import type { JournalEvent } from "../../journal/events.ts";
import type { Past, PastCall } from "../../journal/past.ts";
import { stringifyJson } from "../../kernel/json.ts";

/** One call of a run, placed in time. */
export interface TimedCall {
  readonly made: PastCall;
  /** From the start of the run, times between its attempts left out, in milliseconds. */
  readonly startMs: number;
  /** `undefined` where no answer came, or the call never left. */
  readonly tookMs: number | undefined;
  /** UTF-8 bytes of the answer's value or error as JSON. */
  readonly bytes: number | undefined;
  /** Its place among the calls that were open at the same time; `alone` where there was no other. */
  readonly place: "alone" | "first" | "between" | "last";
}

/** The calls of a run in the order in which they began, and how long all took. */
export function timedCalls(
  past: Past,
  events: readonly JournalEvent[],
): { readonly calls: readonly TimedCall[]; readonly totalMs: number } {
  const activeMs = activeTime(events);
  const spans = [...past.calls.values()]
    .map((made) => {
      const { sentMs, answer } = made;
      const startMs = activeMs(sentMs ?? answer?.atMs ?? past.run.atMs);
      const endMs = answer === undefined ? undefined : activeMs(answer.atMs);
      const isTimed = sentMs !== undefined && endMs !== undefined;
      return { made, startMs, endMs, tookMs: isTimed ? endMs - startMs : undefined, bytes: bytesOf(made) };
    })
    .sort((one, other) => one.startMs - other.startMs || one.made.call - other.made.call);
  const totalMs = activeMs(events.at(-1)?.atMs ?? past.run.atMs);
  const calls: TimedCall[] = [];
  for (let first = 0; first < spans.length; ) {
    // A call that begins while another is open belongs to the same group: what one Promise.all started.
    let openUntilMs = spans[first]?.endMs ?? totalMs;
    let end = first + 1;
    for (let span = spans[end]; span !== undefined && span.startMs < openUntilMs; span = spans[end]) {
      openUntilMs = Math.max(openUntilMs, span.endMs ?? totalMs);
      end += 1;
    }
    for (let at = first; at < end; at += 1) {
      const span = spans[at];
      if (span === undefined) break;
      const { made, startMs, tookMs, bytes } = span;
      calls.push({ made, startMs, tookMs, bytes, place: placeOf(at, first, end) });
    }
    first = end;
  }
  return { calls, totalMs };
}

function placeOf(at: number, first: number, end: number): TimedCall["place"] {
  if (end - first === 1) return "alone";
  if (at === first) return "first";
  return at === end - 1 ? "last" : "between";
}

function bytesOf({ answer }: PastCall): number | undefined {
  const shown = answer?.error ?? answer?.value;
  return shown === undefined ? undefined : Buffer.byteLength(stringifyJson(shown));
}

/** Milliseconds since the start of the run; hours between an attempt's end and the next one do not count. */
function activeTime(events: readonly JournalEvent[]): (atMs: number) => number {
  const pauses: { readonly fromMs: number; readonly toMs: number }[] = [];
  for (const [index, event] of events.entries()) {
    const before = events[index - 1];
    if (event.event === "resume" && before !== undefined)
      pauses.push({ fromMs: before.atMs, toMs: event.atMs });
  }
  const startMs = events[0]?.atMs ?? 0;
  return (atMs) => {
    let idleMs = 0;
    for (const { fromMs, toMs } of pauses)
      if (atMs > fromMs) idleMs += Math.max(0, Math.min(atMs, toMs) - fromMs);
    return Math.max(0, atMs - startMs - idleMs);
  };
}
