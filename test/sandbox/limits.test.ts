import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { beforeEach, describe, expect, test } from "vitest";
import { MIB, resultOf, run, shared } from "./run-script.ts";

/** What the deadline may be passed by: the grace for telling the line, and the end of a thread on a busy machine. */
const LATE_MS = 300;
const hang = { s__hang: () => new Promise(() => {}) };

/** The system counts a thread's CPU time at its ticks. */
const TICK_MS = 10;

/** The time in which a thread starts is the machine's, and these tests are about the script's. */
beforeEach(() => shared.warm());

// M15
describe("a script that computes too long ends by LIMIT_CPU within 300 ms of it", () => {
  const cases: readonly (readonly [name: string, code: string])[] = [
    ["an empty loop", "while (true);"],
    ["a loop that catches everything", "for (;;) try { for (;;); } catch {} finally {}"],
    [
      "an endless chain of microtasks",
      "const f = () => { queueMicrotask(f); }; f(); await new Promise(() => {});",
    ],
    ["an endless await loop", "for (;;) await null;"],
    ["a regular expression that backtracks", "/^(a+)+$/.test('a'.repeat(40) + 'b');"],
    ["a generator without end", "for (const x of (function* () { for (;;) yield 1; })());"],
    ["a native loop", "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 5);"],
    [
      "a native loop after an await",
      "await null; Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 5);",
    ],
    ["a toJSON of the value that loops", "export default { toJSON() { for (;;); } };"],
  ];
  test.each(cases)("%s", async (_name, code) => {
    const end = await run(code, { limits: { cpuMs: 500 } });
    expect(end).toMatchObject({ kind: "stopped", code: "LIMIT_CPU" });
    expect(end.guestCpuMs).toBeGreaterThan(500 - TICK_MS);
    expect(end.guestCpuMs).toBeLessThan(500 + LATE_MS);
  });
});

test.runIf(process.platform === "linux")("a busy machine is not charged to the script", async () => {
  const spin = "const end = Date.now() + 20_000; while (Date.now() < end);";
  const others = Array.from({ length: availableParallelism() * 4 }, () => new Worker(spin, { eval: true }));
  try {
    await Promise.all(others.map((other) => once(other, "online")));
    // Its share of the processors is a fifth; on the clock it would be charged several times its limit.
    const end = await run("for (let i = 0; i < 4e6; i++); export default 'done';", {
      limits: { cpuMs: 3_000 },
    });
    expect(end).toMatchObject({ kind: "value", text: '"done"' });
    expect(end.guestCpuMs).toBeGreaterThan(20);
    expect(end.guestCpuMs).toBeLessThan(end.wallMs / 2);
  } finally {
    await Promise.all(others.map((other) => other.terminate()));
  }
});

test("LIMIT_CPU tells the line and keeps what was printed before", async () => {
  const end = await run(
    "function spin() {\n  for (let i = 0; ; i++) Math.sin(i);\n}\nconsole.log('one');\nspin();",
    {
      limits: { cpuMs: 300 },
    },
  );
  expect(end).toMatchObject({ kind: "stopped", logs: [{ level: "log", text: "one" }] });
  if (end.kind === "stopped")
    expect(end.stack).toMatch(/^ {4}at spin \(script\.js:2:\d+\)\n {4}at .*script\.js:5:/);
});

test("lines printed right before a native loop arrive although nothing can be asked any more", async () => {
  const end = await run(
    "console.log('one'); console.error('zwei ü\\0'); [].indexOf.call({ length: 2 ** 53 - 1 }, 5);",
    {
      limits: { cpuMs: 300 },
    },
  );
  expect(end.logs).toEqual([
    { level: "log", text: "one" },
    { level: "error", text: "zwei ü\0" },
  ]);
});

test("a loop that polls the clock is told that time stands still", async () => {
  const end = await run("const end = Date.now() + 1000;\nwhile (Date.now() < end);", {
    limits: { cpuMs: 300 },
  });
  expect(end).toMatchObject({ kind: "stopped", code: "LIMIT_CPU" });
  if (end.kind === "stopped") expect(end.message).toContain("time stands still while a script computes");
});

test("a tool that never answers ends the run by LIMIT_WALL, which names the open calls", async () => {
  const code = "setTimeout(() => {}, 9e6); callMCPTool('s__hang'); await callMCPTool('s__hang', {});";
  const end = await run(code, { tools: hang, limits: { wallMs: 700 } });
  expect(end).toMatchObject({ kind: "stopped", code: "LIMIT_WALL" });
  if (end.kind === "stopped") {
    expect(end.message).toContain("700 ms");
    expect(end.message).toContain("s__hang (2 calls)");
  }
  expect(end.wallMs).toBeLessThan(700 + LATE_MS);
  expect(end.guestCpuMs).toBeLessThan(300);
});

test("wall time ends a busy script too, with its line", async () => {
  const end = await run("\nfor (;;) Math.sin(1);", { limits: { wallMs: 800 } });
  expect(end).toMatchObject({
    kind: "stopped",
    code: "LIMIT_WALL",
    stack: expect.stringContaining("script.js:2:"),
  });
  expect(end.wallMs).toBeLessThan(800 + LATE_MS);
});

test("a timer of ten seconds under a limit of one stops at one", async () => {
  const end = await run("await new Promise((r) => setTimeout(r, 10_000));", { limits: { wallMs: 1_000 } });
  expect(end).toMatchObject({ kind: "stopped", code: "LIMIT_WALL" });
  expect(end.wallMs).toBeLessThan(1_000 + LATE_MS);
});

test("a promise that can no longer settle is DEADLOCK at once", async () => {
  const cleared = "const t = setTimeout(() => {}, 5_000); clearTimeout(t); await new Promise(() => {});";
  for (const code of ["await new Promise(() => {});", cleared])
    expect(await run(code)).toMatchObject({ kind: "stopped", code: "DEADLOCK" });
});

describe("a script that fills memory ends by LIMIT_MEMORY, and the next run works", () => {
  const cases: readonly (readonly [name: string, code: string])[] = [
    ["long strings in objects", "const keep = []; for (;;) keep.push({ s: 'x'.repeat(1000) });"],
    ["small objects, until no error fits", "const keep = []; for (;;) keep.push({ a: 1 });"],
    ["array buffers", "const keep = []; for (;;) keep.push(new ArrayBuffer(1e6));"],
    ["after an await", "await null; const keep = []; for (;;) keep.push([1, 2, 3]);"],
    ["a chain of promises", "const f = () => Promise.resolve().then(f); await f();"],
    ["a map", "const m = new Map(); for (let i = 0; ; i++) m.set(i, String(i));"],
    [
      "many open calls with arguments",
      "const big = 'x'.repeat(5e5); for (let i = 0; i < 500; i++) callMCPTool('s__hang', { big: big + i });",
    ],
  ];
  test.each(cases)("%s", async (name, code) => {
    const isCalls = name.startsWith("many open");
    const end = await run(code, {
      tools: hang,
      limits: { memoryBytes: 32 * MIB, ...(isCalls ? { wallMs: 3_000 } : {}) },
    });
    if (!isCalls) expect(end).toMatchObject({ kind: "stopped", code: "LIMIT_MEMORY" });
    if (!isCalls) expect(end.peakMemoryBytes).toBeGreaterThan(24 * MIB);
    expect(end.peakMemoryBytes).toBeLessThanOrEqual(32 * MIB);
    expect(await resultOf("export default 1;")).toBe(1);
  });
});

test("a script that catches running out of memory goes on", async () => {
  const code =
    "let n = 0; try { const k = []; for (;;) k.push(new ArrayBuffer(1e6)); } catch (e) { n = e.message; } export default n;";
  expect(await resultOf(code)).toBe("out of memory");
});

test("peak memory counts what was let go again, to a page", async () => {
  const end = await run("let b = new ArrayBuffer(20 * 1024 * 1024); b = null; export default 1;");
  expect(end.peakMemoryBytes).toBeGreaterThan(25 * MIB);
  expect(end.peakMemoryBytes).toBeLessThan(27 * MIB);
});

test("throwing null is not running out of memory", async () => {
  expect(await run("throw null;")).toMatchObject({ kind: "threw" });
});

describe("deep data and deep recursion are errors that a script can catch", () => {
  const cases: readonly (readonly [name: string, code: string])[] = [
    ["JSON.parse of 200,000 levels", "JSON.parse('['.repeat(200_000) + ']'.repeat(200_000))"],
    [
      "JSON.stringify of 100,000 levels",
      "let a = []; for (let i = 0; i < 100_000; i++) a = [a]; JSON.stringify(a)",
    ],
    ["text of 100,000 levels", "let a = []; for (let i = 0; i < 100_000; i++) a = [a]; String(a)"],
    ["plain recursion", "(function f() { f(); })()"],
    ["getters", "const o = { get a() { return this.a; } }; o.a"],
    ["proxies", "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x"],
    ["source of 10,000 parentheses", "eval('('.repeat(10_000) + '1' + ')'.repeat(10_000))"],
    ["a regular expression of 100,000 groups", "new RegExp('('.repeat(1e5) + ')'.repeat(1e5))"],
  ];
  test.each(cases)("%s", async (_name, code) => {
    const body = code.replace(/;? ?([^;]+)$/, "; $1;");
    expect(
      await resultOf(`let name = 'none'; try { ${body} } catch (e) { name = e.name; } export default name;`),
    ).toMatch(/Error$/);
  });
});

test("a value larger than the limit is LIMIT_RESULT, which names both sizes", async () => {
  const end = await run("export default 'ü'.repeat(600);", { limits: { resultBytes: 1_000 } });
  expect(end).toMatchObject({ kind: "stopped", code: "LIMIT_RESULT" });
  if (end.kind === "stopped") expect(end.message).toMatch(/1202 bytes.*1000/);
});

test("arguments larger than the limit are an error that the script can catch, counted in bytes", async () => {
  const code =
    "const codes = []; for (const n of [400, 600]) try { await callMCPTool('s__hang', { t: 'ü'.repeat(n) }); } catch (e) { codes.push(e.code, e instanceof MCPToolError); }\n" +
    "export default codes;";
  const tools = { s__hang: () => null };
  expect(await resultOf(code, { tools, limits: { argumentBytes: 1_000 } })).toEqual([
    "LIMIT_ARGUMENTS",
    true,
  ]);
});

test("more than ten thousand open calls are refused, the others go on", async () => {
  const code =
    "let refused = 0; for (let i = 0; i < 10_050; i++) callMCPTool('s__one').catch((e) => { if (e.code === 'LIMIT_AT_ONCE') refused += 1; });\n" +
    "await callMCPTool('s__two').catch(() => {}); export default () => refused;";
  const end = await run(code, { tools: { s__one: () => 1, s__two: () => 2 } });
  expect(end).toMatchObject({ kind: "value", text: "50" });
  expect(end.calls.length).toBe(10_000);
});

test("a memory limit that no engine can have is refused before anything starts", async () => {
  for (const memoryBytes of [MIB, 3_000 * MIB])
    await expect(run("1;", { limits: { memoryBytes } })).rejects.toMatchObject({ code: "USAGE" });
});
