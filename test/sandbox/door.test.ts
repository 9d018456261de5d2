import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { packageFile } from "../../src/kernel/paths.ts";
import { HOST_FUNCTION } from "../../src/sandbox/crossing.ts";
import { compileEngine } from "../../src/sandbox/engine-module.ts";
import { createInstance } from "../../src/sandbox/instance.ts";
import { echo, MIB, resultOf, run, START_MS, toolFailure } from "./run-script.ts";

// M14, B7
test("a fresh sandbox has exactly one host function, and a script cannot reach it", async () => {
  const instance = await createInstance({
    engine: await compileEngine(),
    memoryBytes: 32 * MIB,
    prelude: readFileSync(packageFile("dist/sandbox/guest.js"), "utf8"),
    onCall: () => 0,
    onInterrupt: () => false,
  });
  // The engine's own register of everything of the host that the guest holds.
  const { groups } = instance.runtime.hostRefs as unknown as {
    groups: Map<number, Map<number, { name: string }>>;
  };
  const held = [...groups.values()].flatMap((group) => [...group.values()]);
  expect(held.length).toBe(1);
  expect(HOST_FUNCTION).toBe("callMCPTool");
  const isGuests = await resultOf(
    "export default [typeof callMCPTool, callMCPTool.length, mcp.callTool === callMCPTool, typeof mcpfsHooks, Function.prototype.toString.call(callMCPTool).includes('[native code]')];",
  );
  expect(isGuests).toEqual(["function", 2, true, "undefined", false]);
});

test("what a call leaves with: number, wire name, JSON of the arguments", async () => {
  const code =
    "function get(x) {\n  return callMCPTool('s__echo', x);\n}\nawait get();\nawait get({});\n" +
    "await tool('s__echo')({ id: 1 });\nawait get({ filter: undefined, tags: [], opts: {}, id: 2n ** 60n });\nconsole.log('x');\nexport default 1;";
  const { calls } = await run(code, { tools: echo });
  expect(calls.map(({ id, name, argumentsText }) => [id, name, argumentsText])).toEqual([
    [1, "s__echo", "{}"],
    [2, "s__echo", "{}"],
    [3, "s__echo", '{"id":1}'],
    [4, "s__echo", '{"tags":[],"opts":{},"id":1152921504606846976}'],
  ]);
});

test("a call that nobody awaited is named with the lines that made it", async () => {
  const code =
    "function get(x) {\n  return callMCPTool('s__echo', x);\n}\nget({ id: 1 });\nsetTimeout(() => {}, 60000);\nexport default 1;";
  const { unawaited } = await run(code, { tools: echo });
  expect(unawaited).toEqual([
    {
      name: "s__echo",
      stack: expect.stringMatching(
        /^ {4}at get \(script\.js:2:\d+\)\n {4}at <anonymous> \(script\.js:4:\d+\)$/,
      ),
    },
  ]);
});

test("an error of a call is an MCPToolError with all that the host said, NUL and long integers included", async () => {
  const tools = {
    s__fail: () => {
      throw toolFailure({
        message: "a\0b",
        hint: "do this",
        retry: "unsafe",
        content: [{ n: 12345678901234567890n }],
      });
    },
  };
  const code =
    "let e; try { await callMCPTool('s__fail'); } catch (error) { e = error; }\n" +
    "export default [e instanceof MCPToolError, e instanceof Error, e.name, e.message, e.code, e.hint, e.server, e.tool, e.retry, e.content, e.stack];";
  const [isTool, isError, ...rest] = (await resultOf(code, { tools })) as unknown[];
  expect([isTool, isError]).toEqual([true, true]);
  expect(rest.slice(0, -1)).toEqual([
    "MCPToolError",
    "a\0b",
    "TOOL_ERROR",
    "do this",
    "s",
    "fail",
    "unsafe",
    [{ n: 12345678901234567890n }],
  ]);
  expect(rest.at(-1)).toMatch(/^ {4}at <anonymous> \(script\.js:1:\d+\)$/);
});

test("arguments that cannot be JSON reject the call and name the path", async () => {
  const code =
    "const out = []; for (const args of [{ a: Promise.resolve() }, 'text']) try { await callMCPTool('s__echo', args); } catch (e) { out.push(e.message); }\nexport default out;";
  expect(await resultOf(code, { tools: echo })).toEqual([
    "Cannot be turned into JSON: arguments.a is a promise; await it first.",
    expect.stringContaining("callMCPTool takes the name of a tool"),
  ]);
});

test("a script that replaces the language's own functions breaks neither calls nor their arguments", async () => {
  const code =
    'JSON.stringify = () => \'{"server":"other","tool":"delete"}\'; JSON.parse = (x) => x;\n' +
    "Promise.prototype.then = function () { return this; }; Promise.prototype.catch = null;\n" +
    "Object.prototype.server = 'other'; Array.prototype.map = null; Array.prototype.filter = null; Array.prototype.push = () => 0;\n" +
    "Map.prototype.get = () => ({ resolve() {} }); Map.prototype.set = Map.prototype.delete = null;\n" +
    "String.prototype.indexOf = String.prototype.slice = () => 'x'; Function.prototype.call = null; Error.prototype.toString = null;\n" +
    "globalThis.Promise = globalThis.Error = globalThis.Map = undefined;\n" +
    "export default await callMCPTool('s__echo', { a: 1 });";
  const end = await run(code, { tools: echo });
  expect(end.calls.map(({ name, argumentsText }) => [name, argumentsText])).toEqual([["s__echo", '{"a":1}']]);
  expect(end).toMatchObject({ kind: "value", text: '{"a":1}' });
  expect(await resultOf("export default [JSON.stringify([1]), [1].map((x) => x + 1)];")).toEqual([
    "[1]",
    [2],
  ]);
});

describe("what a script tries to get out ends inside", () => {
  const cases: readonly (readonly [code: string, value: unknown])[] = [
    ["export default callMCPTool.constructor('return typeof process')();", "undefined"],
    ["export default (() => {}).constructor('return typeof globalThis.require')();", "undefined"],
    [
      "export default [typeof fetch, typeof process, typeof require, typeof Buffer, typeof WebAssembly];",
      Array(5).fill("undefined"),
    ],
    ["export default await import('node:fs').catch((e) => e.name);", "ReferenceError"],
    [
      "export default (await callMCPTool('s__echo', JSON.parse('{\"__proto__\":{\"x\":1}}'))).x === undefined && ({}).x === undefined;",
      true,
    ],
  ];
  test.each(cases)("%s", async (code, value) => {
    expect(await resultOf(code, { tools: echo })).toEqual(value);
  });
});

test("ten thousand calls one after the other", async () => {
  const code =
    "let sum = 0; for (let i = 0; i < 10_000; i++) sum += (await callMCPTool('s__echo', { i })).i;\nexport default sum;";
  expect(await resultOf(code, { tools: echo })).toBe(49_995_000);
});

test("a thousand calls at once, each with its own answer", async () => {
  const code =
    "const all = await Promise.all(Array.from({ length: 1_000 }, (_, i) => callMCPTool('s__echo', { i })));\n" +
    "export default all.every((answer, i) => answer.i === i);";
  expect(await resultOf(code, { tools: echo })).toBe(true);
});

test("answers run one by one: what an answer starts is over before the next is seen", async () => {
  const code =
    "const seen = []; const chain = async (n) => { await callMCPTool('s__echo'); for (let i = 0; i < 5; i++) { await null; seen.push(n); } };\n" +
    "await Promise.all([chain(1), chain(2), chain(3)]); export default seen.join('');";
  expect(await resultOf(code, { tools: echo })).toBe("111112222233333");
});

test("the clock stands still while the script computes and moves with an answer", async () => {
  const code =
    "const a = Date.now(); for (let i = 0; i < 1e6; i++); const b = new Date().getTime(); const p = performance.now();\n" +
    "await new Promise((r) => setTimeout(r, 30)); export default [a, b, p, Date.now() - a, performance.now()];";
  const [first, second, start, passed, elapsed] = (await resultOf(code)) as number[];
  expect([first, second, start]).toEqual([START_MS, START_MS, 0]);
  expect(passed).toBeGreaterThanOrEqual(30);
  expect(elapsed).toBe(passed);
});

test("answers of long integers and of nothing", async () => {
  const tools = { s__none: () => undefined, s__null: () => null };
  expect(
    await resultOf(
      "export default [await callMCPTool('s__none') === undefined, await callMCPTool('s__null')];",
      { tools },
    ),
  ).toEqual([true, null]);
});
