import { type ErrorCode, type Hint, McpfsError, type Reader } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import type { Effect, Retry } from "./call.ts";
import type { Risk } from "./tool.ts";

/** Bounds of one run. Every limit has a unit in its name and an error code of its own; {@link LIMIT_TABLE} says more. */
export interface Limits {
  /** Wall time of the run; waiting counts. */
  readonly wallMs: number;
  /** Time that the script computes; waiting does not count. */
  readonly cpuMs: number;
  /** Time of one call to a server. */
  readonly callMs: number;
  /** Memory of the sandbox, reserved at its start. */
  readonly memoryBytes: number;
  /** Calls to servers. */
  readonly maxCalls: number;
  /** Calls of one tool. */
  readonly maxCallsPerTool: number;
  /** Calls to servers at once; more wait in a queue. */
  readonly maxCallsAtOnce: number;
  /** Calls to servers that begin within one second. */
  readonly callsPerSecond: number;
  /** Calls to servers that begin within one minute. */
  readonly callsPerMinute: number;
  /** What goes to the model, console output and the run's value, in UTF-8. */
  readonly outputBytes: number;
  /** JSON text of one call's arguments. */
  readonly argumentBytes: number;
  /** JSON text of one call's result, and of the run's value. */
  readonly resultBytes: number;
  /** Text of the bundled script. */
  readonly bundleBytes: number;
}

/** One row of the table of limits. */
export interface LimitRule {
  readonly default: number;
  readonly max: number;
  readonly code: ErrorCode;
  /** Its key in `"limits": {…}` of `mcpfs.json`. */
  readonly key: string;
  /** Its option of `mcpfs exec`, where it has one. */
  readonly option?: string;
}

/** What `none` becomes: the longest wait that a timer of Node.js can count, about 24.8 days. */
export const MAX_DURATION_MS: number = 2 ** 31 - 1;

const KIB = 1024;
const MIB: number = 1024 * KIB;
const GIB: number = 1024 * MIB;

/** The one place where limits, their defaults and what they can be raised to are written down; `docs/limits.md` shows it. */
export const LIMIT_TABLE: { readonly [Name in keyof Limits]: LimitRule } = {
  wallMs: { default: 60_000, max: MAX_DURATION_MS, code: "LIMIT_WALL", key: "timeout", option: "--timeout" },
  cpuMs: { default: 10_000, max: MAX_DURATION_MS, code: "LIMIT_CPU", key: "cpu" },
  // Each server's own `timeoutMs` counts as well; this one is for a run that must not wait that long.
  callMs: { default: MAX_DURATION_MS, max: MAX_DURATION_MS, code: "LIMIT_CALL", key: "call" },
  // The engine's addresses reach 4 GB; beyond 1 GB one run would starve all others.
  memoryBytes: {
    default: 256 * MIB,
    max: GIB,
    code: "LIMIT_MEMORY",
    key: "memory",
    option: "--memory",
  },
  maxCalls: {
    default: 1_000,
    max: 1_000_000,
    code: "LIMIT_CALLS",
    key: "maxCalls",
    option: "--max-calls",
  },
  // This one and the two rates are as many as a run may make at all: they stop nobody who did not ask for them.
  maxCallsPerTool: { default: 1_000_000, max: 1_000_000, code: "LIMIT_TOOL_CALLS", key: "maxCallsPerTool" },
  maxCallsAtOnce: { default: 8, max: 1_000, code: "LIMIT_AT_ONCE", key: "maxCallsAtOnce" },
  callsPerSecond: { default: 1_000, max: 1_000_000, code: "LIMIT_RATE", key: "callsPerSecond" },
  callsPerMinute: { default: 1_000_000, max: 1_000_000, code: "LIMIT_RATE_MINUTE", key: "callsPerMinute" },
  outputBytes: {
    default: 256 * KIB,
    max: 64 * MIB,
    code: "LIMIT_OUTPUT",
    key: "maxOutput",
    option: "--max-output",
  },
  argumentBytes: { default: 4 * MIB, max: 64 * MIB, code: "LIMIT_ARGUMENTS", key: "maxArguments" },
  resultBytes: { default: 16 * MIB, max: 64 * MIB, code: "LIMIT_RESULT", key: "maxResult" },
  bundleBytes: { default: 8 * MIB, max: 32 * MIB, code: "LIMIT_BUNDLE", key: "maxBundle" },
};

/** Calls that wait for a place; a script that starts more has lost count. LIMIT_AT_ONCE. */
export const MAX_WAITING_CALLS = 10_000;

/** The limits of a run for which nobody said anything else. */
export const DEFAULT_LIMITS: Limits = {
  wallMs: LIMIT_TABLE.wallMs.default,
  cpuMs: LIMIT_TABLE.cpuMs.default,
  callMs: LIMIT_TABLE.callMs.default,
  memoryBytes: LIMIT_TABLE.memoryBytes.default,
  maxCalls: LIMIT_TABLE.maxCalls.default,
  maxCallsPerTool: LIMIT_TABLE.maxCallsPerTool.default,
  maxCallsAtOnce: LIMIT_TABLE.maxCallsAtOnce.default,
  callsPerSecond: LIMIT_TABLE.callsPerSecond.default,
  callsPerMinute: LIMIT_TABLE.callsPerMinute.default,
  outputBytes: LIMIT_TABLE.outputBytes.default,
  argumentBytes: LIMIT_TABLE.argumentBytes.default,
  resultBytes: LIMIT_TABLE.resultBytes.default,
  bundleBytes: LIMIT_TABLE.bundleBytes.default,
};

/** The limits of a run, asked for on top of others. @throws McpfsError USAGE when one is above its maximum */
export function withLimits(limits: Limits, asked: Partial<Limits>): Limits {
  const whole = { ...limits, ...asked };
  for (const name of Object.keys(LIMIT_TABLE) as (keyof Limits)[]) {
    const { max, key } = LIMIT_TABLE[name];
    if (whole[name] <= max) continue;
    const got = printLimit(name, whole[name]);
    throw new McpfsError("USAGE", `The limit ${key} is at most ${printLimit(name, max)}, not ${got}.`, {
      hint: "docs/limits.md lists all limits with their maxima.",
      data: { limit: key, max },
    });
  }
  return whole;
}

/** The longest time, as people write it: for a limit that nobody reaches. */
const NONE = "none";

/** A limit's value as a person writes it: `60s`, `256mb`, `1000`. */
export function printLimit(name: keyof Limits, value: number): string {
  if (name.endsWith("Ms")) return printDuration(value);
  return name.endsWith("Bytes") ? printSize(value) : String(value);
}

function printDuration(ms: number): string {
  if (ms >= MAX_DURATION_MS) return NONE;
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}

function printSize(bytes: number): string {
  if (bytes % GIB === 0) return `${bytes / GIB}gb`;
  if (bytes % MIB === 0) return `${bytes / MIB}mb`;
  return bytes % KIB === 0 ? `${bytes / KIB}kb` : `${bytes}b`;
}

/** Twice a limit, as a person writes it; `undefined` at its maximum. */
export function raised(name: keyof Limits, value: number): string | undefined {
  const more = Math.min(value * 2, LIMIT_TABLE[name].max);
  return more <= value ? undefined : printLimit(name, more);
}

/** How a limit is raised: `Raise it with --timeout 120s, or "limits": {"timeout": "120s"} in mcpfs.json.` */
export function howToRaise(name: keyof Limits, value: number, reader: Reader = "shell"): string {
  const { key, option, max } = LIMIT_TABLE[name];
  const shown = raised(name, value);
  if (shown === undefined) return `It is at its maximum of ${printLimit(name, max)}.`;
  const inFile = `"limits": {"${key}": ${/^\d+$/.test(shown) ? shown : `"${shown}"`}} in mcpfs.json`;
  if (reader === "client" && name === "wallMs") return "Give it more timeoutMs, as far as the host allows.";
  if (reader === "client") return `On the host, ${inFile} raises it.`;
  return `Raise it with ${option === undefined ? "" : `${option} ${shown}, or `}${inFile}.`;
}

/** What to do instead, and how the limit is raised, for both readers. */
export function raiseHint(instead: string, name: keyof Limits, value: number): Hint {
  const { shell, client } = { shell: howToRaise(name, value), client: howToRaise(name, value, "client") };
  return { shell: `${instead} ${shell}`.trim(), client: `${instead} ${client}`.trim() };
}

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
  /** Whether this call may be made again; `not-needed` for one that is done. */
  readonly retry: Retry | "not-needed";
  /** What the tool may do: `read` changes nothing. */
  readonly risk: Risk;
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
  /** Tokens of a language model that output and value take, estimated (`tokens/estimate-tokens.ts`). */
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
  /** Calls that running the whole script again would make twice: they took effect, or may have, and are more than reads. */
  readonly repeats: readonly number[];
  /** The one command that goes on with this run; `null` where there is nothing to go on with. */
  readonly next: string | null;
  readonly warnings: readonly string[];
  readonly usage: Usage;
}
