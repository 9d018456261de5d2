import type { CallState, DoorAnswer, DoorCall, LogLine } from "../model/door.ts";
import type { SandboxEnd, SandboxJob } from "../model/sandbox.ts";

/** The job without what cannot cross to another process. */
export type ProcessJob = Omit<SandboxJob, "onCall" | "onLog" | "replay" | "signal" | "args"> & {
  /** JSON text, integers of any length as plain digits. */
  readonly argsText: string;
  readonly isReplay: boolean;
};

export type ToProcess =
  | { readonly kind: "start"; readonly job: ProcessJob }
  | { readonly kind: "answer"; readonly id: number; readonly answer: DoorAnswer }
  | { readonly kind: "state"; readonly id: number; readonly state: CallState }
  /** The wall time begins. */
  | { readonly kind: "replayed" }
  | { readonly kind: "abort"; readonly message: string; readonly atCall: number | undefined };

export type FromProcess =
  /** A spare thread stands ready in it. */
  | { readonly kind: "ready" }
  | { readonly kind: "log"; readonly line: LogLine }
  | { readonly kind: "call"; readonly call: DoorCall }
  | { readonly kind: "waiting" }
  | { readonly kind: "end"; readonly end: SandboxEnd }
  | { readonly kind: "failed"; readonly code: string; readonly message: string; readonly hint: string };
