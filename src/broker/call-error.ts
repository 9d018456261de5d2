import type { McpfsError } from "../kernel/errors.ts";
import type { CallError, Effect, Retry } from "../model/call.ts";
import type { Tool } from "../model/tool.ts";

/** An error of ours as the guest sees it; nothing of the cause, which may hold paths or secrets of the host. */
export function callErrorOf(
  error: McpfsError,
  tool: Tool | undefined,
  effect: Effect,
  name: string,
): CallError {
  return {
    code: error.code,
    message: error.message,
    hint: error.hint,
    ...(error.clientHint === error.hint ? {} : { clientHint: error.clientHint }),
    server: tool?.server ?? "",
    tool: tool?.raw ?? name,
    retry: retryOf(tool, effect),
    content: [],
  };
}

/**
 * Whether the same call may be made again without harm: one that never left may; one that only reads or says that
 * it is idempotent may; one that has changed something, or may have, may not.
 */
export function retryOf(tool: Tool | undefined, effect: Effect): Retry {
  if (effect === "never-sent") return "safe";
  if (tool === undefined) return "unsafe";
  return tool.risk === "read" || tool.hints.idempotent === true ? "safe" : "unsafe";
}
