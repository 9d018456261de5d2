import type { JsonObject } from "../kernel/json.ts";
import type { Tool } from "../model/tool.ts";

/**
 * Who asks for a call: a script of `exec`, the command `call`, an MCP client of `serve` (`serve:<identity>`; `serve` alone is any of
 * them), or a skill that was started by name.
 */
export type Caller = "exec" | "call" | ClientCaller | `skill:${string}`;

/** An MCP client, known by its identity: `serve:ci`, `serve:oauth:ada@example.com`. */
export type ClientCaller = "serve" | `serve:${string}`;

/** True for a caller that sees a workspace through `serve` alone: what is denied to it is not there for it. */
export function isClient(caller: Caller): caller is ClientCaller {
  return caller === "serve" || caller.startsWith("serve:");
}

/** Reads a caller's name, as the command line and journals have it; nothing for a text that is none. */
export function readCaller(text: string): Caller | undefined {
  if (text === "exec" || text === "call" || text === "serve") return text;
  if (text.startsWith("serve:")) return `serve:${text.slice("serve:".length)}`;
  return text.startsWith("skill:") ? `skill:${text.slice("skill:".length)}` : undefined;
}

/** What rules and presets look at, besides arguments and caller. */
export type JudgedTool = Pick<Tool, "server" | "raw" | "hints" | "risk">;

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
