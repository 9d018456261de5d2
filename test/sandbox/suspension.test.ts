import { describe, expect, test } from "vitest";
import type { SandboxEnd } from "../../src/model/sandbox.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { MIB, START_MS, shared, TEST_LIMITS } from "./run-script.ts";

interface Suspended {
  readonly end: SandboxEnd;
  readonly calls: readonly string[];
  readonly wallMs: number;
}

/** Runs a script whose calls of `s__ask` wait for ever, `s__person` for a person who takes 300 ms, and `s__slow` for 200 ms. */
async function run(code: string, wallMs = 20_000, sandbox = shared): Promise<Suspended> {
  const calls: string[] = [];
  const started = performance.now();
  const end = await sandbox.run({
    code,
    args: null,
    limits: { ...TEST_LIMITS, wallMs },
    seed: "seed",
    nowMs: START_MS,
    onCall: async ({ name, argumentsText }, onState) => {
      calls.push(name);
      const after = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
      if (name === "s__ask") {
        onState("waiting");
        await new Promise(() => {});
      }
      if (name === "s__person") {
        onState("asking");
        await after(300);
        onState("out");
      }
      if (name === "s__slow") await after(200);
      if (name === "mcpfs__sleep") await after((JSON.parse(argumentsText) as { ms: number }).ms);
      return { kind: "ok", text: "1", nowMs: START_MS };
    },
    onLog: () => {},
  });
  return { end, calls, wallMs: performance.now() - started };
}

// M19, B4
describe("a run is suspended when all that it waits for waits for a person", () => {
  test.each<[string, string, readonly string[]]>([
    ["one awaited call", 'await callMCPTool("s__ask", {});', ["s__ask"]],
    [
      "calls in flight are awaited first, and what follows from them is done",
      'await Promise.all([callMCPTool("s__ask", {}), callMCPTool("s__slow", {}).then(() => callMCPTool("s__now", {}))]);',
      ["s__ask", "s__slow", "s__now"],
    ],
    [
      "a short sleep goes on",
      'await Promise.all([callMCPTool("s__ask", {}), new Promise((go) => setTimeout(go, 300)).then(() => callMCPTool("s__now", {}))]);',
      ["s__ask", "mcpfs__sleep", "s__now"],
    ],
    ["a call that nobody awaits", 'callMCPTool("s__ask", {}); export default 7;', ["s__ask"]],
    [
      "more calls that wait, made one after the other",
      'const all = [callMCPTool("s__ask", {})]; await callMCPTool("s__now", {}); all.push(callMCPTool("s__ask", {})); await Promise.all(all);',
      ["s__ask", "s__now", "s__ask"],
    ],
    [
      "a call whose error would be caught",
      'try { await callMCPTool("s__ask", {}); } catch { export_(); } finally { await callMCPTool("s__now", {}); }',
      ["s__ask"],
    ],
  ])("%s", async (_name, code, calls) => {
    const suspended = await run(code);
    expect(suspended.end.kind).toBe("suspended");
    expect(suspended.calls).toEqual(calls);
  });

  test("a timer that repeats, or a long one, does not keep it from that", async () => {
    const { end, wallMs } = await run(
      'setInterval(() => {}, 100); await Promise.race([callMCPTool("s__ask", {}), new Promise((_, no) => setTimeout(no, 60_000))]);',
    );
    expect(end.kind).toBe("suspended");
    expect(wallMs).toBeLessThan(9_000);
  }, 15_000);

  test("also in a process of its own", async () => {
    const own = createSandbox({ isolation: "process", memoryBytes: 64 * MIB });
    try {
      expect((await run('await callMCPTool("s__ask", {});', 20_000, own)).end.kind).toBe("suspended");
    } finally {
      await own.close();
    }
  }, 20_000);
});

describe("it is not suspended", () => {
  test("while something else goes on, and ends as it ends", async () => {
    const { end } = await run(
      'callMCPTool("s__ask", {}); await callMCPTool("s__slow", {}); throw new Error("no");',
    );
    expect(end).toMatchObject({ kind: "threw", error: { message: "no" } });
  });

  test("by a race that another call wins", async () => {
    const { end } = await run(
      'const first = await Promise.race([callMCPTool("s__ask", {}), callMCPTool("s__slow", {})]); throw new Error(String(first));',
    );
    expect(end).toMatchObject({ kind: "threw", error: { message: "1" } });
  });
});

test("wall time stands still while a person is asked", async () => {
  const { end, wallMs } = await run(
    'for (let i = 0; i < 4; i++) await callMCPTool("s__person", {}); export default "done";',
    900,
  );
  expect(end).toMatchObject({ kind: "value", text: '"done"' });
  expect(wallMs).toBeGreaterThan(1_200);
});
