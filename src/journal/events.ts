import type { Json } from "../kernel/json.ts";
import type { CallError, ContentBlock, Effect } from "../model/call.ts";
import type { Limits } from "../model/run.ts";

/** What a journal holds: one event a line, in the order in which things happened. */
export type JournalEvent =
  | {
      readonly event: "run";
      readonly version: 1;
      readonly runId: string;
      readonly caller: string;
      /** As the user named it. */
      readonly script: string;
      readonly text: string;
      readonly args: Json;
      readonly seed: string;
      readonly limits: Limits;
      readonly atMs: number;
    }
  /** Written before the call goes out. `digest` is that of the definition it was made against. */
  | {
      readonly event: "call";
      readonly call: number;
      readonly server: string;
      readonly tool: string;
      readonly digest: string;
      readonly arguments: Json;
      readonly atMs: number;
    }
  /** Written before the script sees the answer. */
  | {
      readonly event: "answer";
      readonly call: number;
      readonly effect: Effect;
      readonly value?: Json;
      readonly content?: readonly ContentBlock[];
      readonly error?: CallError;
      readonly atMs: number;
    }
  | { readonly event: "end"; readonly kind: string; readonly code?: string; readonly atMs: number };
