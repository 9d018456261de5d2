import type { Json } from "../kernel/json.ts";
import type { CallError } from "../model/call.ts";
import type { AnswerEvent, AskedEvent, CallEvent, DecidedEvent, RefusedEvent } from "../model/call-event.ts";
import type { Limits } from "../model/run.ts";

/** The version of the form in which journals are written; others are not read. */
export const JOURNAL_VERSION = 2;

/** How a run begins: all that a second run needs to do the same. The first event of a journal. */
export interface RunEvent {
  readonly event: "run";
  readonly version: typeof JOURNAL_VERSION;
  readonly runId: string;
  readonly caller: string;
  /** As the user named it. */
  readonly script: string;
  /** Absolute path, where the script is a file: what its imports are relative to. */
  readonly path?: string;
  readonly text: string;
  readonly args: Json;
  readonly seed: string;
  readonly limits: Limits;
  readonly atMs: number;
  readonly hidden?: true;
}

/** The script and all it imports became one module; `digest` is of its text. */
export interface BundledEvent {
  readonly event: "bundled";
  readonly digest: string;
  readonly files: readonly string[];
  readonly atMs: number;
}

/** A call of the built-in server that changes files is about to be made. Long texts among the arguments are digests. */
export interface BuiltinEvent {
  readonly event: "builtin";
  /** From 1, in the order in which the script made them; console lines do not count. */
  readonly builtin: number;
  readonly tool: string;
  readonly arguments: Json;
  readonly atMs: number;
}

/** What a call of the built-in server gave, as it is recorded before the script sees it. */
export interface BuiltinAnswerEvent {
  readonly event: "builtin-answer";
  readonly builtin: number;
  readonly tool: string;
  readonly arguments: Json;
  readonly value?: Json;
  readonly error?: CallError;
  readonly atMs: number;
}

/** The run goes on in another process, with this script: what stands above is replayed first. */
export interface ResumeEvent {
  readonly event: "resume";
  readonly script: string;
  readonly path?: string;
  readonly text: string;
  readonly limits: Limits;
  readonly atMs: number;
  readonly hidden?: true;
}

/** How a run, or one attempt of it, ended. */
export interface EndEvent {
  readonly event: "end";
  readonly kind: string;
  readonly code?: string;
  /** Console lines that the script had printed. */
  readonly lines: number;
  /** The report of `exec`, where the run was a script. */
  readonly report?: Json;
  readonly atMs: number;
}

/**
 * What a journal holds: one event a line, in the order in which things happened. A line also has a `seal`, and `hidden`
 * where a secret of the config was replaced in it.
 */
export type JournalEvent = (
  | RunEvent
  | BundledEvent
  | CallEvent
  | RefusedEvent
  | AnswerEvent
  | AskedEvent
  | DecidedEvent
  | BuiltinEvent
  | BuiltinAnswerEvent
  | ResumeEvent
  | EndEvent
) & { readonly hidden?: true };
