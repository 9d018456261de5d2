import type { Json } from "../kernel/json.ts";
import type { CallError, Effect } from "./call.ts";
import type { Risk } from "./tool.ts";

/** A call as it is recorded before it goes out. `digest` is that of the definition it was made against. */
export interface CallEvent {
  readonly event: "call";
  /** From 1, in the order in which the script made them. */
  readonly call: number;
  /** The name by which it was called. */
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly digest: string;
  readonly risk: Risk;
  /** The tool says that making the same call twice does no more than making it once. */
  readonly isRepeatable: boolean;
  /** As the caller gave them. */
  readonly arguments: Json;
  readonly atMs: number;
}

/** A call that never left, as it is recorded before the script sees why. Long texts among the arguments are digests. */
export interface RefusedEvent {
  readonly event: "refused";
  readonly call: number;
  readonly name: string;
  /** Empty where no tool has the name. */
  readonly server: string;
  readonly tool: string;
  readonly risk: Risk;
  readonly arguments: Json;
  readonly error: CallError;
  readonly atMs: number;
}

/** How a call ended, as it is recorded before the script sees the answer. Without value and error it is `undefined`. */
export interface AnswerEvent {
  readonly event: "answer";
  readonly call: number;
  readonly effect: Effect;
  readonly value?: Json;
  readonly error?: CallError;
  /** The run was over when it came: the script never saw it. */
  readonly isUnseen?: true;
  readonly atMs: number;
}

/** How far a decision of a person reaches: one call; this run and tool; this run and pattern; a tool until a time, or for ever. */
export type ApprovalScope = "call" | "run-tool" | "run-pattern" | "until" | "forever";

/** Policy wants a person for a call: recorded before anybody is asked. The arguments are shown as a person may see them. */
export interface AskedEvent {
  readonly event: "asked";
  readonly call: number;
  readonly server: string;
  readonly tool: string;
  /** Of the definition that the person is asked about. */
  readonly digest: string;
  readonly arguments: Json;
  readonly reason: string;
  readonly rule: string;
  readonly atMs: number;
}

/** What was decided of an asked call, and by what. A run that resumes is handed these. */
export interface DecidedEvent {
  readonly event: "decided";
  readonly call: number;
  readonly decision: "approved" | "denied";
  /** `command`: `mcpfs runs approve|deny`; `grant`: one that was given before; `client`: the MCP client that `serve` asked. */
  readonly by: "terminal" | "command" | "grant" | "client";
  readonly scope: ApprovalScope;
  /** `server/tool` with `*` and `?`, for `run-pattern`. */
  readonly pattern?: string;
  /** Milliseconds since 1970, for `until`. */
  readonly until?: number;
  readonly atMs: number;
}
