import type { Json } from "../kernel/json.ts";
import type { CallError, ContentBlock, Effect } from "./call.ts";

/** A call as it is recorded before it goes out. `digest` is that of the definition it was made against. */
export interface CallEvent {
  readonly event: "call";
  readonly call: number;
  readonly server: string;
  readonly tool: string;
  readonly digest: string;
  readonly arguments: Json;
  readonly atMs: number;
}

/** How a call ended, as it is recorded before the script sees the answer. */
export interface AnswerEvent {
  readonly event: "answer";
  readonly call: number;
  readonly effect: Effect;
  readonly value?: Json;
  readonly content?: readonly ContentBlock[];
  readonly error?: CallError;
  readonly atMs: number;
}
