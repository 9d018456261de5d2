import { type Clock, systemClock } from "../kernel/clock.ts";
import { McpfsError } from "../kernel/errors.ts";
import { howToRaise, type Limits, MAX_WAITING_CALLS } from "../model/run.ts";

/** What a run may still spend on calls to servers. */
export interface Budget {
  /** Takes one call out of the budget. @throws McpfsError LIMIT_CALLS when none is left, LIMIT_RATE when they come too fast */
  readonly spend: () => void;
  /**
   * Waits for one of the places for calls at once, in order of asking; the result gives it back.
   * @throws McpfsError LIMIT_CALLS when ten thousand wait already
   */
  readonly enter: () => Promise<() => void>;
}

const SECOND_MS = 1_000;

/**
 * Creates the budget of one run.
 * @param made calls that earlier attempts of the run made: they count in the total, not in the rate
 */
export function createBudget(
  limits: Pick<Limits, "maxCalls" | "maxCallsAtOnce" | "callsPerSecond">,
  clock: Clock = systemClock,
  made = 0,
): Budget {
  let spent = made;
  let open = 0;
  const waiting: (() => void)[] = [];
  const started = createRateWindow(limits.callsPerSecond);
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) open -= 1;
    else next();
  };
  return {
    spend: () => {
      if (spent >= limits.maxCalls) throw noneLeft(limits.maxCalls);
      if (!started.add(clock.now())) throw tooFast(limits.callsPerSecond);
      spent += 1;
    },
    enter: async () => {
      if (open < limits.maxCallsAtOnce) open += 1;
      else if (waiting.length >= MAX_WAITING_CALLS) throw tooManyWait(limits.maxCallsAtOnce);
      else await new Promise<void>((resolve) => waiting.push(resolve));
      let isLeft = false;
      return () => {
        if (!isLeft) leave();
        isLeft = true;
      };
    },
  };
}

/** The last starts, as many as one second may hold: one more is too many while the oldest of them is younger than that. */
function createRateWindow(perSecond: number): { readonly add: (nowMs: number) => boolean } {
  const starts: number[] = [];
  let next = 0;
  return {
    add: (nowMs) => {
      const oldest = starts[next];
      if (oldest !== undefined && nowMs - oldest < SECOND_MS) return false;
      starts[next] = nowMs;
      next = (next + 1) % perSecond;
      return true;
    },
  };
}

function noneLeft(limit: number): McpfsError {
  return new McpfsError("LIMIT_CALLS", `This run may make ${limit} calls, and has made them all.`, {
    hint: howToRaise("maxCalls", limit),
    data: { limit },
  });
}

function tooFast(limit: number): McpfsError {
  return new McpfsError("LIMIT_RATE", `This run may begin ${limit} calls a second, and has.`, {
    hint: `Wait between calls: await new Promise((resolve) => setTimeout(resolve, 1000)). ${howToRaise("callsPerSecond", limit)}`,
    data: { limit },
  });
}

function tooManyWait(atOnce: number): McpfsError {
  const message = `${MAX_WAITING_CALLS} calls wait already for one of the ${atOnce} places for calls at once.`;
  return new McpfsError("LIMIT_CALLS", message, {
    hint: `Await calls in groups instead of starting all of them first. ${howToRaise("maxCallsAtOnce", atOnce)}`,
    data: { limit: MAX_WAITING_CALLS },
  });
}
