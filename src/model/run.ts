import type { ErrorCode } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import type { Effect, Retry } from "./call.ts";

/** Bounds of one run. Every limit has a unit in its name and an error code of its own. */
export interface Limits {
  /** Wall time of the run; waiting counts. LIMIT_WALL. */
  readonly wallMs: number;
  /** Time that the script computes; waiting does not count. LIMIT_CPU. */
  readonly cpuMs: number;
  /** Memory of the sandbox, reserved at its start. LIMIT_MEMORY. */
  readonly memoryBytes: number;
  /** Calls to servers. LIMIT_CALLS. */
  readonly maxCalls: number;
  /** Calls to servers at once; more wait in a queue. */
  readonly maxCallsAtOnce: number;
  /** Console output in UTF-8. LIMIT_OUTPUT. */
  readonly outputBytes: number;
  /** JSON text of one call's arguments. LIMIT_ARGUMENTS. */
  readonly argumentBytes: number;
  /** JSON text of one call's result, and of the run's value. LIMIT_RESULT. */
  readonly resultBytes: number;
  /** Text of the bundled script. LIMIT_BUNDLE. */
  readonly bundleBytes: number;
}

/** The limits of a run for which nobody said anything else. */
export const DEFAULT_LIMITS: Limits = {
  wallMs: 60_000,
  cpuMs: 10_000,
  memoryBytes: 256 * 1024 * 1024,
  maxCalls: 1_000,
  maxCallsAtOnce: 8,
  outputBytes: 256 * 1024,
  argumentBytes: 4 * 1024 * 1024,
  resultBytes: 16 * 1024 * 1024,
  bundleBytes: 8 * 1024 * 1024,
};

/** An error of a run, with the place in the script's own file. */
export interface RunError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  /** Frames of the script and what it imports, none of ours; empty where there are none. */
  readonly stack: string;
  /** As the user named the script, or a path below the workspace; `null` where no place is known. */
  readonly file: string | null;
  /** From 1. */
  readonly line: number | null;
  /** From 1. */
  readonly column: number | null;
}

/** What one call of the run did: listed for every call to a server. */
export interface CallEffect {
  /** From 1, in the order in which the script made them. */
  readonly call: number;
  readonly server: string;
  readonly tool: string;
  readonly status: Effect;
  readonly retry: Retry;
}

/** A call that waits for a person. */
export interface WaitingCall {
  readonly call: number;
  readonly server: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly reason: string;
}

/** What a run cost. */
export interface Usage {
  readonly wallMs: number;
  readonly guestCpuMs: number;
  readonly peakMemoryBytes: number;
  readonly outputBytes: number;
  /** Tokens of a language model that output and value take, estimated at four characters each. */
  readonly estimatedTokens: number;
}

/** How a run ended. The shape of `exec --json`; relied on by others. */
export interface RunReport {
  readonly runId: string;
  readonly kind: "ok" | "failed" | "stopped" | "suspended";
  readonly value: Json | undefined;
  readonly output: readonly string[];
  readonly error: RunError | null;
  readonly calls: {
    readonly total: number;
    readonly ok: number;
    readonly failed: number;
    readonly unknown: number;
  };
  readonly effects: readonly CallEffect[];
  readonly waiting: readonly WaitingCall[];
  readonly warnings: readonly string[];
  readonly usage: Usage;
}
