import type { Json } from "../kernel/json.ts";
import type { AnswerEvent, AskedEvent, CallEvent, DecidedEvent } from "../model/call-event.ts";
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
  | CallEvent
  | AskedEvent
  | DecidedEvent
  | AnswerEvent
  | { readonly event: "end"; readonly kind: string; readonly code?: string; readonly atMs: number };
