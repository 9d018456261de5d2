import { McpfsError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import type { CallState, DoorAnswer, DoorCall, LogLine } from "./door.ts";
import type { Limits } from "./run.ts";

/** What the engine asks of a sandbox: run one bundled module once, in an instance of its own. */
export interface Sandbox {
  readonly run: (job: SandboxJob) => Promise<SandboxEnd>;
}

/** Where a script runs: in a thread of the host, or in a process of its own. */
export type Isolation = "worker" | "process";

export interface SandboxJob {
  /** An ES module with top-level await. Its default export is the value: taken as it is, or called with `args` when it is a function. */
  readonly code: string;
  /** The global `args`. */
  readonly args: Json;
  readonly limits: Pick<Limits, "wallMs" | "cpuMs" | "memoryBytes" | "argumentBytes" | "resultBytes">;
  /** Seed of the guest's random numbers: any text. */
  readonly seed: string;
  /** The guest's clock at the start, in milliseconds since 1970. */
  readonly nowMs: number;
  /**
   * Answers one call; must settle exactly once and must not reject. Late answers, after the end, are dropped.
   * @param onState told when something else than its own time holds the call up, and when that is over
   */
  readonly onCall: (call: DoorCall, onState: (state: CallState) => void) => Promise<DoorAnswer>;
  /** Console lines in order; each is handed over before the end of the run is. */
  readonly onLog: (line: LogLine) => void;
  /** For a script that is to do again what it did before. */
  readonly replay?: {
    /** The script waits, and all answers that it was given are worked through. */
    readonly onWaiting: () => void;
    /** The wall time begins when this resolves. */
    readonly over: Promise<void>;
  };
  /** Stops the run from outside; it then ends with the error that is the signal's reason ({@link callOf} may tell the line). */
  readonly signal?: AbortSignal;
}

/** An error as the guest threw it; the place is still the bundle's. */
export interface GuestError {
  readonly name: string;
  readonly message: string;
  /** Frames as the engine printed them, `at fn (file:line:column)`, lines and columns from 1 and of the bundle. */
  readonly stack: string;
  /** Set where the thrown value was an `MCPToolError` (or another error of ours): its code, hint, server and tool. */
  readonly code?: string;
  readonly hint?: string;
  readonly server?: string;
  readonly tool?: string;
}

/** A call as the guest made it. */
export interface MadeCall {
  /** Wire name. Untrusted. */
  readonly name: string;
  /** Stack of the line that made it, as the engine printed it. */
  readonly stack: string;
}

/** How a sandbox ended. */
export type SandboxEnd = (
  | { readonly kind: "value" /** JSON text; an empty string is `undefined`. */; readonly text: string }
  | { readonly kind: "threw"; readonly error: GuestError }
  /** Nothing can go on: all calls that are open wait for a person. */
  | { readonly kind: "suspended" }
  | {
      readonly kind: "stopped";
      readonly code:
        | "LIMIT_WALL"
        | "LIMIT_CPU"
        | "LIMIT_MEMORY"
        | "LIMIT_RESULT"
        | "DEADLOCK"
        | "INTERNAL"
        | "ABORTED";
      readonly message: string;
      /** Where the script was, if the engine could tell; empty otherwise. */
      readonly stack: string;
    }
) & {
  /** Rejections that nobody handled, in order. */
  readonly unhandled: readonly GuestError[];
  /** Calls that were open when the value had settled, in order: nobody awaited them. Timers are not among them. */
  readonly unawaited: readonly MadeCall[];
  readonly guestCpuMs: number;
  readonly peakMemoryBytes: number;
};

/** The number of the open call on account of which a run is stopped, where the reason names one: its line is where the run ends. */
export function callOf(reason: unknown): number | undefined {
  const call = reason instanceof McpfsError ? reason.data.doorCall : undefined;
  return typeof call === "number" ? call : undefined;
}
