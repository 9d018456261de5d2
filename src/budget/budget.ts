import { type Clock, systemClock } from "../kernel/clock.ts";
import { McpfsError } from "../kernel/errors.ts";
import { count } from "../kernel/text.ts";
import { type Limits, MAX_WAITING_CALLS, raiseHint } from "../model/run.ts";
import { createRateWindow } from "./rate-window.ts";

/** What a run may still spend on calls to servers. */
export interface Budget {
  /**
   * Takes one call out of the budget, or nothing of it when it throws.
   * @param tool names the tool: `crm/get_contact`
   * @throws McpfsError LIMIT_CALLS or LIMIT_TOOL_CALLS when none is left, LIMIT_RATE or LIMIT_RATE_MINUTE when they come too fast
   */
  readonly spend: (tool: string) => void;
  /**
   * Waits for one of the places for calls at once, in order of asking.
   * @throws McpfsError LIMIT_AT_ONCE when ten thousand wait already
   */
  readonly enter: () => Promise<void>;
  /** Gives a place back; to be called once for each that was got. */
  readonly leave: () => void;
}

type CallLimits = Pick<
  Limits,
  "maxCalls" | "maxCallsPerTool" | "maxCallsAtOnce" | "callsPerSecond" | "callsPerMinute"
>;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/**
 * Creates the budget of one run.
 * @param made tools of the calls that earlier attempts of the run made: they count in the totals, not in the rates
 */
export function createBudget(
  limits: CallLimits,
  clock: Clock = systemClock,
  made: readonly string[] = [],
): Budget {
  let spent = made.length;
  let open = 0;
  const spentOn = new Map<string, number>();
  for (const tool of made) spentOn.set(tool, (spentOn.get(tool) ?? 0) + 1);
  const waiting: (() => void)[] = [];
  const inSecond = createRateWindow(limits.callsPerSecond, SECOND_MS);
  const inMinute = createRateWindow(limits.callsPerMinute, MINUTE_MS);
  return {
    spend: (tool) => {
      const now = clock.now();
      const ofTool = spentOn.get(tool) ?? 0;
      if (spent >= limits.maxCalls) throw noneLeft(limits.maxCalls);
      if (ofTool >= limits.maxCallsPerTool) throw noneOfToolLeft(tool, limits.maxCallsPerTool);
      if (!inSecond.hasRoom(now)) throw tooFast(limits.callsPerSecond);
      if (!inMinute.hasRoom(now)) throw tooManyInMinute(limits.callsPerMinute);
      spent += 1;
      spentOn.set(tool, ofTool + 1);
      inSecond.add(now);
      inMinute.add(now);
    },
    enter: async () => {
      if (open < limits.maxCallsAtOnce) open += 1;
      else if (waiting.length >= MAX_WAITING_CALLS) throw tooManyWait(limits.maxCallsAtOnce);
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    leave: () => {
      const next = waiting.shift();
      if (next === undefined) open -= 1;
      else next();
    },
  };
}

function noneLeft(limit: number): McpfsError {
  return new McpfsError("LIMIT_CALLS", `This run may make ${limit} calls, and has made them all.`, {
    hint: raiseHint("", "maxCalls", limit),
    data: { limit },
  });
}

function noneOfToolLeft(tool: string, limit: number): McpfsError {
  return new McpfsError("LIMIT_TOOL_CALLS", `This run may call ${tool} ${count(limit, "time")}, and has.`, {
    hint: raiseHint("", "maxCallsPerTool", limit),
    data: { limit },
  });
}

function tooFast(limit: number): McpfsError {
  return new McpfsError("LIMIT_RATE", `This run may begin ${limit} calls a second, and has.`, {
    hint: raiseHint(
      "Wait between calls: await new Promise((resolve) => setTimeout(resolve, 1000)).",
      "callsPerSecond",
      limit,
    ),
    data: { limit },
  });
}

function tooManyInMinute(limit: number): McpfsError {
  return new McpfsError("LIMIT_RATE_MINUTE", `This run may begin ${limit} calls a minute, and has.`, {
    hint: raiseHint(
      "Wait between calls: await new Promise((resolve) => setTimeout(resolve, 60000)).",
      "callsPerMinute",
      limit,
    ),
    data: { limit },
  });
}

function tooManyWait(atOnce: number): McpfsError {
  const message = `${MAX_WAITING_CALLS} calls wait already for one of the ${atOnce} places for calls at once.`;
  return new McpfsError("LIMIT_AT_ONCE", message, {
    hint: raiseHint("Await calls in groups instead of starting all of them first.", "maxCallsAtOnce", atOnce),
    data: { limit: MAX_WAITING_CALLS },
  });
}
