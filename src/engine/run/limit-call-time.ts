import type { ToolCaller } from "../../broker/ports.ts";
import { McpfsError } from "../../kernel/errors.ts";
import { MAX_DURATION_MS, printLimit, raiseHint } from "../../model/run.ts";

/**
 * Bounds the time of each call of a run; the time that a call waits for its turn does not count. The server's own
 * `timeoutMs` holds beside it. What the call did at its server is then unknown.
 */
export function limitCallTime(caller: ToolCaller, callMs: number): ToolCaller {
  if (callMs >= MAX_DURATION_MS) return caller;
  return {
    call: async (tool, args, signal) => {
      const stop = new AbortController();
      const follow = (): void => stop.abort(signal.reason);
      signal.addEventListener("abort", follow, { once: true });
      const timer = setTimeout(() => stop.abort(tooLong(`${tool.server}/${tool.raw}`, callMs)), callMs);
      try {
        return await caller.call(tool, args, stop.signal);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", follow);
      }
    },
  };
}

function tooLong(name: string, callMs: number): McpfsError {
  const message = `${name} did not answer within the limit of ${printLimit("callMs", callMs)} for one call.`;
  return new McpfsError("LIMIT_CALL", message, {
    hint: raiseHint("Whether it took effect is not known.", "callMs", callMs),
    data: { limit: callMs },
  });
}
