import type { Json } from "../kernel/json.ts";
import type { Tool } from "../model/tool.ts";

/** Who asks for a call. */
export type Caller = "exec" | "call";

/** What a policy is asked about one call. */
export interface PolicyQuestion {
  readonly tool: Tool;
  readonly arguments: Json;
  readonly caller: Caller;
}

/** What a policy says, and the rule that said it. */
export type Decision =
  | { readonly kind: "allow"; readonly rule: string }
  | { readonly kind: "ask"; readonly rule: string; readonly reason: string }
  | { readonly kind: "deny"; readonly rule: string; readonly reason: string };

/** Decides every call to a server. Pure: the same question has the same answer. */
export interface Policy {
  readonly decide: (question: PolicyQuestion) => Decision;
}

/** The policy of a workspace without rules: every tool that the workspace shows may be called. */
export const openPolicy: Policy = { decide: () => ({ kind: "allow", rule: "open" }) };
