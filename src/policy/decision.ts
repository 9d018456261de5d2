import type { JsonObject } from "../kernel/json.ts";
import type { Tool } from "../model/tool.ts";

/** Who asks for a call: a script of `exec`, the command `call`, an MCP client of `serve`, or a skill that was started by name. */
export type Caller = "exec" | "call" | "serve" | `skill:${string}`;

/** What a policy answers. */
export type Permission = "allow" | "ask" | "deny";

/** What a policy is asked about one call. */
export interface PolicyQuestion {
  readonly tool: Tool;
  /** As the tool would get them: valid, and without placeholders. */
  readonly arguments: JsonObject;
  readonly caller: Caller;
}

/** What a policy says, and the rule that said it. */
export type Decision =
  | { readonly kind: "allow"; readonly rule: string; readonly reason: string }
  | { readonly kind: "ask"; readonly rule: string; readonly reason: string }
  | { readonly kind: "deny"; readonly rule: string; readonly reason: string };
