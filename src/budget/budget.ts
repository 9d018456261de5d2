import { McpfsError } from "../kernel/errors.ts";
import type { Limits } from "../model/run.ts";

/** What a run may still spend on calls to servers. */
export interface Budget {
  /** Takes one call out of the budget. @throws McpfsError LIMIT_CALLS when none is left */
  readonly spend: () => void;
  /** Waits for one of the places for calls at once, in order of asking; the result gives it back. */
  readonly enter: () => Promise<() => void>;
}

/** Creates the budget of one run. */
export function createBudget(limits: Pick<Limits, "maxCalls" | "maxCallsAtOnce">): Budget {
  let spent = 0;
  let open = 0;
  const waiting: (() => void)[] = [];
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) open -= 1;
    else next();
  };
  return {
    spend: () => {
      if (spent >= limits.maxCalls) {
        throw new McpfsError(
          "LIMIT_CALLS",
          `This run may make ${limits.maxCalls} calls, and has made them all.`,
          {
            hint: `Raise it with --max-calls ${limits.maxCalls * 2}, or "limits": {"maxCalls": …} in mcpfs.json.`,
            data: { limit: limits.maxCalls },
          },
        );
      }
      spent += 1;
    },
    enter: async () => {
      if (open < limits.maxCallsAtOnce) open += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      let isLeft = false;
      return () => {
        if (!isLeft) leave();
        isLeft = true;
      };
    },
  };
}
