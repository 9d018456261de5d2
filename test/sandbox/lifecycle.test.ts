import { describe, expect, test } from "vitest";
import { McpfsError } from "../../src/kernel/errors.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { echo, MIB, resultOf, run, shared, TEST_LIMITS } from "./run-script.ts";

/** What holds this process open, as Node counts it; the test runner's own timers come and go. */
function held(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo())
    if (name !== "Timeout") counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

test("fifty runs in a row leave no thread, pipe or message port", async () => {
  const before = held();
  for (let index = 0; index < 50; index += 1) expect(await resultOf(`export default ${index};`)).toBe(index);
  expect(held()).toEqual(before);
});

test("after running out of memory ten times the process goes on and does not grow", async () => {
  const fill = "globalThis.keep = []; for (;;) keep.push({ s: 'x'.repeat(1000) });";
  const limits = { memoryBytes: 16 * MIB };
  await run(fill, { limits });
  const before = process.memoryUsage().rss;
  for (let index = 0; index < 10; index += 1)
    expect(await run(fill, { limits })).toMatchObject({ code: "LIMIT_MEMORY" });
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
  expect(await resultOf("export default 1;")).toBe(1);
});

describe("an abort from outside", () => {
  test("ends a waiting script at once with the reason's message", async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(new McpfsError("LIMIT_OUTPUT", "Too much was printed.")), 300);
    const end = await run("console.log('before'); await callMCPTool('s__hang');", {
      tools: { s__hang: () => new Promise(() => {}) },
      signal: stop.signal,
    });
    expect(end).toMatchObject({
      kind: "stopped",
      code: "ABORTED",
      message: "Too much was printed.",
      logs: [{ text: "before" }],
    });
    expect(end.wallMs).toBeLessThan(600);
  });

  test("ends a busy script, and one in a native loop", async () => {
    for (const code of ["for (;;) Math.sin(1);", "[].indexOf.call({ length: 2 ** 53 - 1 }, 1);"]) {
      const end = await run(code, { signal: AbortSignal.timeout(400) });
      expect(end).toMatchObject({ kind: "stopped", code: "ABORTED" });
      expect(end.wallMs).toBeLessThan(400 + 400);
    }
  });

  test("while the thread still boots ends it too", async () => {
    for (const ms of [1, 30, 60, 90]) {
      const end = await run("await new Promise((r) => setTimeout(r, 60_000));", {
        signal: AbortSignal.timeout(ms),
      });
      expect(end).toMatchObject({ kind: "stopped", code: "ABORTED" });
    }
  });

  test("before the start runs nothing", async () => {
    const end = await run("console.log('no');", { signal: AbortSignal.abort(new Error("early")) });
    expect(end).toMatchObject({ kind: "stopped", code: "ABORTED", message: "early", logs: [] });
  });

  test("lets no later call out", async () => {
    const stop = new AbortController();
    const tools = { s__one: () => stop.abort(new Error("enough")), s__two: () => 2 };
    const end = await run("await callMCPTool('s__one'); await callMCPTool('s__two');", {
      tools,
      signal: stop.signal,
    });
    expect(end.calls.map(({ name }) => name)).toEqual(["s__one"]);
  });
});

test("late answers, also rejecting ones, reach nobody and harm no other run", async () => {
  const answers: (() => void)[] = [];
  const late = {
    s__late: () =>
      new Promise((resolve, reject) =>
        answers.push(answers.length % 2 ? () => reject(new Error("x")) : () => resolve(1)),
      ),
  };
  for (let index = 0; index < 10; index += 1)
    expect(
      await run("callMCPTool('s__late').catch(() => {}); export default 1;", {
        tools: late,
        limits: { wallMs: 400 },
      }),
    ).toMatchObject({ code: "LIMIT_WALL" });
  const other = run(
    "const a = []; for (let i = 0; i < 50; i++) a.push((await callMCPTool('s__echo', { i })).i); export default a.length;",
    { tools: echo },
  );
  for (const answer of answers) answer();
  expect(await other).toMatchObject({ kind: "value", text: "50" });
});

test("runs at once do not wait for each other and keep their lines apart", async () => {
  const stop = new AbortController();
  const slow = { s__slow: () => new Promise(() => {}) };
  const a = run("console.log('A'); await callMCPTool('s__slow');", { tools: slow, signal: stop.signal });
  const c = run("for (;;) Math.sin(1);", { limits: { cpuMs: 500 } });
  const b = await run("console.log('B'); export default 'b';");
  expect(b).toMatchObject({ kind: "value", text: '"b"', logs: [{ text: "B" }] });
  stop.abort(new Error("cancelled"));
  expect(await a).toMatchObject({ code: "ABORTED", logs: [{ text: "A" }] });
  expect(await c).toMatchObject({ code: "LIMIT_CPU" });
});

test("what one script changes in the language is gone in the next", async () => {
  await run("Object.prototype.x = 1; Array.prototype.map = null; globalThis.y = 2; export default 1;");
  expect(await resultOf("export default [typeof ({}).x, typeof [].map, typeof y];")).toEqual([
    "undefined",
    "function",
    "undefined",
  ]);
});

test("a warm worker serves one run, and another memory limit than it was made for", async () => {
  const sandbox = createSandbox({ memoryBytes: 32 * MIB });
  await Promise.all([sandbox.warm(), sandbox.warm()]);
  const end = await run("export default new ArrayBuffer(50_000_000).byteLength;", { sandbox });
  expect(end).toMatchObject({ kind: "value", text: "50000000" });
  await sandbox.warm();
  await sandbox.close();
});

test("close stops what runs and refuses what comes", async () => {
  const sandbox = createSandbox({ memoryBytes: TEST_LIMITS.memoryBytes });
  const running = run("await callMCPTool('s__hang');", {
    sandbox,
    tools: { s__hang: () => new Promise(() => {}) },
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await sandbox.close();
  expect(await running).toMatchObject({ kind: "stopped", code: "ABORTED" });
  await expect(run("export default 1;", { sandbox })).rejects.toMatchObject({ code: "INTERNAL" });
});

test("a listener that throws ends the run with its error and leaves no thread", async () => {
  const before = held();
  const broken = shared.run({
    code: "console.log('x'); await new Promise(() => {});",
    args: null,
    limits: TEST_LIMITS,
    seed: "s",
    nowMs: 0,
    onCall: () => Promise.reject(new Error("never")),
    onLog: () => {
      throw new McpfsError("INTERNAL", "The disk is full.");
    },
  });
  await expect(broken).rejects.toMatchObject({ message: "The disk is full." });
  expect(held()).toEqual(before);
});

test("an onCall that rejects, against its promise, is an error that the script sees", async () => {
  const end = await shared.run({
    code: "export default await callMCPTool('a__b').catch((e) => e.code);",
    args: null,
    limits: TEST_LIMITS,
    seed: "s",
    nowMs: 0,
    onCall: () => Promise.reject(new Error("fault")),
    onLog: () => {},
  });
  expect(end).toMatchObject({ kind: "value", text: '"INTERNAL"' });
});
