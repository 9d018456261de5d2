import { construct, defineGlobal, defineProperty, NativeDate } from "./primordials.ts";

/**
 * The guest's clock: it stands still while the script computes and moves when an answer is delivered, so that a
 * replay sees the same times (law 4).
 */
let startMs = 0;
let nowMs = 0;
let reads = 0;

export function startClock(ms: number): void {
  startMs = ms;
  nowMs = ms;
}

/** Moves the clock to the time of an answer; never backwards. */
export function moveClock(ms: number): void {
  reads = 0;
  if (ms > nowMs) nowMs = ms;
}

function readClock(): number {
  reads += 1;
  return nowMs;
}

/** Milliseconds since the start of the run. */
export function elapsedMs(): number {
  return readClock() - startMs;
}

/** How often the script has read the clock since it last moved: a loop that polls it reads thousands of times. */
export function clockReads(): number {
  return reads;
}

/** Replaces `Date` by one that reads this clock. Local time is UTC already: the host sees to that. */
export function installClock(): void {
  function FrozenDate(...parts: unknown[]): unknown {
    if (new.target === undefined) return new NativeDate(readClock()).toString();
    const target = new.target === FrozenDate ? NativeDate : new.target;
    return construct(NativeDate, parts.length === 0 ? [readClock()] : parts, target);
  }
  const statics = { now: readClock, parse: NativeDate.parse, UTC: NativeDate.UTC };
  for (const [name, value] of Object.entries(statics))
    defineProperty(FrozenDate, name, { value, writable: true, enumerable: false, configurable: true });
  defineProperty(FrozenDate, "prototype", { value: NativeDate.prototype, writable: false });
  defineProperty(FrozenDate, "name", { value: "Date", configurable: true });
  defineProperty(FrozenDate, "length", { value: 7, configurable: true });
  defineProperty(NativeDate.prototype, "constructor", {
    value: FrozenDate,
    writable: true,
    enumerable: false,
    configurable: true,
  });
  defineGlobal("Date", FrozenDate);
  defineGlobal("performance", {
    now: () => elapsedMs(),
    get timeOrigin() {
      return startMs;
    },
  });
}
