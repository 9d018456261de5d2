import type { Tool } from "../model/tool.ts";
import type { Decision } from "../policy/decision.ts";
import { retryOf } from "./call-error.ts";
import type { Recalled } from "./ports.ts";

/** A decision, and whether it is about a call that may have taken effect before. */
export interface AgainDecision {
  readonly decision: Decision;
  /** True where only a person may say yes to this very call: no grant was given for doing something twice. */
  readonly isRepeat: boolean;
}

/** What may have been done before is done again only where that is harmless, or a person says so. */
export function decideAgain(decision: Decision, tool: Tool, past: Recalled): AgainDecision {
  if (past.kind !== "again" || decision.kind === "deny") return { decision, isRepeat: false };
  const { call, status, retry } = past.before;
  if (retry === "safe" && retryOf(tool, status) === "safe") return { decision, isRepeat: false };
  const before =
    status === "failed"
      ? `call ${call} failed before, and what it did until then is not known`
      : `call ${call} went out before, and nobody knows whether it took effect`;
  const reason = `${before}; made again, it may do so twice.`;
  return { decision: { kind: "ask", rule: "made-before", reason }, isRepeat: true };
}
