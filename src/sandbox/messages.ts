import type { LogLine } from "../model/door.ts";
import type { GuestError, MadeCall } from "../model/sandbox.ts";

/** What a worker is started with. */
export interface WorkerStart {
  /** The engine, compiled once and shared. */
  readonly engine: WebAssembly.Module;
  /** What a run is expected to ask for: instances are made ready with this much; a run that asks for another waits. */
  readonly memoryBytes: number;
  readonly control: SharedArrayBuffer;
  readonly logs: SharedArrayBuffer;
}

/** The job without what cannot cross threads. */
export interface WorkerJob {
  readonly code: string;
  readonly argsText: string;
  readonly seed: string;
  readonly nowMs: number;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly argumentBytes: number;
  readonly resultBytes: number;
  /** The host wants to know each time when the script waits. */
  readonly tellsWaiting: boolean;
}

/** An answer as texts: of the value, or of the error. */
export interface WorkerAnswer {
  readonly id: number;
  readonly isError: boolean;
  readonly text: string;
  readonly nowMs: number;
}

export type ToWorker =
  | { readonly kind: "start"; readonly job: WorkerJob }
  | { readonly kind: "answers"; readonly answers: readonly WorkerAnswer[] }
  /** The host will not answer this call any more: it waits for a person who is not there. */
  | { readonly kind: "waits"; readonly id: number }
  /** `atCall`: the open call on account of which it stops. */
  | { readonly kind: "halt"; readonly atCall: number | undefined };

/** What leaves the guest, in its order. */
export type OutItem =
  | { readonly kind: "log"; readonly level: LogLine["level"]; readonly text: string }
  | {
      readonly kind: "call";
      readonly id: number;
      readonly name: string;
      readonly argumentsText: string;
    };

/** How the guest ended, as far as the worker knows. */
export type WorkerOutcome =
  | { readonly kind: "value"; readonly text: string }
  | { readonly kind: "threw"; readonly error: GuestError }
  | { readonly kind: "suspended" }
  | {
      readonly kind: "stopped";
      readonly code: "LIMIT_CPU" | "LIMIT_MEMORY" | "LIMIT_RESULT" | "DEADLOCK" | "INTERNAL";
      readonly message: string;
      readonly stack: string;
    }
  /** The host asked for the stop and knows why. `isFinished`: the value was there, and only calls were open. */
  | { readonly kind: "halted"; readonly stack: string; readonly isFinished: boolean };

export type FromWorker =
  /** The next run would find an instance with the guest library in it. */
  | { readonly kind: "ready" }
  | {
      readonly kind: "out";
      readonly items: readonly OutItem[];
      /** The script waits, and every answer that was sent is worked through. */
      readonly isWaiting: boolean;
    }
  | {
      readonly kind: "end";
      readonly outcome: WorkerOutcome;
      readonly unhandled: readonly GuestError[];
      readonly unawaited: readonly MadeCall[];
      readonly guestCpuMs: number;
      readonly peakMemoryBytes: number;
    };
