import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll } from "vitest";
import { type Json, parseJson, stringifyJson } from "../../src/kernel/json.ts";
import { packageFile } from "../../src/kernel/paths.ts";
import type { CallError } from "../../src/model/call.ts";
import type { DoorAnswer, DoorCall, LogLine } from "../../src/model/door.ts";
import type { SandboxEnd, SandboxJob } from "../../src/model/sandbox.ts";
import { type ClosableSandbox, createSandbox } from "../../src/sandbox/sandbox.ts";

if (!existsSync(packageFile("dist/sandbox/guest.js")))
  throw new Error("The sandbox's worker is not built: run `node scripts/build.mjs` first.");

export const START_MS: number = Date.UTC(2026, 0, 2, 3, 4, 5);
export const MIB: number = 1024 * 1024;

export const TEST_LIMITS: SandboxJob["limits"] = {
  // A busy machine takes its time to give a thread its CPU time.
  wallMs: 60_000,
  cpuMs: 10_000,
  memoryBytes: 64 * MIB,
  argumentBytes: MIB,
  resultBytes: 4 * MIB,
};

/** A tool by its wire name: gets the arguments and the clock; a thrown `CallError` is its error. */
export type Tools = Readonly<Record<string, (args: Json, call: DoorCall) => unknown>>;

export type Run = SandboxEnd & {
  readonly logs: readonly LogLine[];
  readonly calls: readonly DoorCall[];
  readonly wallMs: number;
};

export interface RunOptions {
  readonly tools?: Tools;
  readonly args?: Json;
  readonly limits?: Partial<SandboxJob["limits"]>;
  readonly seed?: string;
  readonly signal?: AbortSignal;
  readonly sandbox?: ClosableSandbox;
}

/** One sandbox for the tests of a file, closed after them. */
export const shared: ClosableSandbox = createSandbox({ memoryBytes: TEST_LIMITS.memoryBytes });
afterAll(() => shared.close());

/** Runs a script for real; sleep is real, and the clock that answers carry moves by what was slept. */
export async function run(code: string, options: RunOptions = {}): Promise<Run> {
  const logs: LogLine[] = [];
  const calls: DoorCall[] = [];
  const started = performance.now();
  const nowMs = (): number => START_MS + Math.round(performance.now() - started);
  const onCall = async (call: DoorCall): Promise<DoorAnswer> => {
    calls.push(call);
    const args = parseJson(call.argumentsText);
    const tool = options.tools?.[call.name] ?? (call.name === "mcpfs__sleep" ? sleepTool : undefined);
    try {
      if (tool === undefined) throw toolFailure({ code: "TOOL_UNKNOWN", message: `No tool ${call.name}.` });
      const value = await tool(args, call);
      return { kind: "ok", text: value === undefined ? "" : stringifyJson(value), nowMs: nowMs() };
    } catch (error) {
      return { kind: "error", error: error as CallError, nowMs: nowMs() };
    }
  };
  const end = await (options.sandbox ?? shared).run({
    code,
    args: options.args ?? null,
    limits: { ...TEST_LIMITS, ...options.limits },
    seed: options.seed ?? "seed",
    nowMs: START_MS,
    onCall,
    onLog: (line) => logs.push(line),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return { ...end, logs, calls, wallMs: performance.now() - started };
}

async function sleepTool(args: Json): Promise<null> {
  await sleep((args as { ms: number }).ms, undefined, { ref: false });
  return null;
}

export function toolFailure(error: Partial<CallError>): CallError {
  const rest = { hint: "", server: "s", tool: "fail", retry: "safe", content: [] } as const;
  return { code: "TOOL_ERROR", message: "it failed", ...rest, ...error };
}

/** The value of a run that gave one. */
export async function resultOf(code: string, options: RunOptions = {}): Promise<Json | undefined> {
  const end = await run(code, options);
  if (end.kind !== "value")
    throw new Error(`No value but ${JSON.stringify({ ...end, calls: end.calls.length })}`);
  return end.text === "" ? undefined : parseJson(end.text);
}

/** A tool that answers its own arguments. */
export const echo: Tools = { s__echo: (args) => args };
