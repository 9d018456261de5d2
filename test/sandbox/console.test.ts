import { format } from "node:util";
import { runInThisContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { run } from "./run-script.ts";

/** The lines that a script prints, as texts. */
async function printed(code: string): Promise<readonly string[]> {
  const end = await run(code);
  if (end.kind !== "value") throw new Error(JSON.stringify(end));
  return end.logs.map(({ text }) => text);
}

/** Parameters of `console.log` that must print as Node prints them. */
const AS_NODE: readonly string[] = [
  "'text', 1, -0, 1n, true, null, undefined, Symbol('s')",
  "{ a: 1, 'b c': 'x', [Symbol('k')]: [1, 2], $d: 1, 3: 4 }",
  "[1, 'two', [3, [4, [5, [6]]]], { a: { b: { c: { d: 1 } } } }]",
  "[], {}, [[]], [{}], new Map(), new Set()",
  "new Map([['a', { x: 1 }], [{ k: 1 }, new Set([1, 'z'])]])",
  "[undefined, , null, , , 3]",
  "Array.from({ length: 120 }, (_, i) => i)",
  "Array.from({ length: 30 }, (_, i) => 'item ' + i)",
  "Array.from({ length: 12 }, (_, i) => ({ id: i, name: 'n' + i }))",
  "Array.from({ length: 7 }, (_, i) => 'x'.repeat(i * 4))",
  "{ long: 'x'.repeat(100), other: 'y'.repeat(50), third: 1 }",
  "{ rows: [{ id: 1, tags: ['a', 'b'] }, { id: 2, tags: [] }], next: null, total: 2 }",
  "{ text: 'it\\'s', both: 'it\\'s \"so\"', all: 'it\\'s \"so\" `x`', line: 'a\\nb\\tc\\\\', control: '\\x00\\x1b\\x7f' }",
  "['line one is here and long enough\\nline two is here and long enough too\\nline three, and much more of it, so that it breaks at last, surely']",
  "new Date(0), [new Date(NaN)], /a+/gi, [/x/]",
  "function named() {}, () => {}, class A {}, class B extends Array {}, async () => {}, function* gen() {}",
  "{ f() {}, g: Math.max, h: class X {} }",
  "new (class Point { constructor() { this.x = 1; this.y = 2; } })(), new (class Empty {})()",
  "Object.create(null), Object.assign(Object.create(null), { a: 1 })",
  "{ get a() { return 1; }, set b(v) {}, get c() { return 1; }, set c(v) {} }",
  "new Uint8Array([1, 2, 3]), new Float64Array(2), new ArrayBuffer(3)",
  "(() => { const a = { name: 'a' }; a.self = a; a.list = [a, { a }]; return a; })()",
  "Object.assign(() => {}, { a: 1 }), Object.assign([1, 2], { extra: 'x', '-1': 2 })",
  "new Number(3), new String('abc'), new Boolean(false), Object(1n), Object(Symbol('q'))",
  "new WeakMap(), new WeakSet(), JSON, Math.max",
  "{ [Symbol.toStringTag]: 'Tagged', a: 1 }",
  "'%s is %d and %i and %f, %j %% %o', 'x', '42', 4.9, '1.5', { a: [1] }, 'o', 'rest', { b: 1 }",
  "'%s %s', { a: { b: 1 } }, 5n, '%s left'",
  "'100%', 1, '%d'",
  "{ a: { b: { c: {} } }, d: { e: { f: [] } } }",
  "{ a: 1n, b: [-0, NaN, Infinity], c: 'x'.repeat(20) }",
  "Array.from({ length: 101 }, () => 'ab')",
  "new Set(Array.from({ length: 105 }, (_, i) => i))",
  "'\\ud83d\\ude00', ['\\ud83d\\ude00', '\\ud800']",
];

describe("console.log prints as Node does", () => {
  test("every parameter list of the table", async () => {
    const lines = await printed(AS_NODE.map((args) => `console.log(${args});`).join("\n"));
    const got = AS_NODE.map((args, index) => [args, lines[index]]);
    const want = AS_NODE.map((args) => [args, format(...(runInThisContext(`[${args}\n]`) as unknown[]))]);
    expect(got).toEqual(want);
  });

  test("errors are printed without frames: those are the bundle's", async () => {
    const code =
      "console.log(new Error('boom')); console.log({ e: new TypeError('in') }, [new Error('')]);\n" +
      "console.log(Object.assign(new Error('x'), { code: 'E1' })); console.log(new Error('out', { cause: new Error('in') }));";
    expect(await printed(code)).toEqual([
      "Error: boom",
      "{ e: [TypeError: in] } [ [Error] ]",
      "Error: x { code: 'E1' }",
      "Error: out { [cause]: [Error: in] }",
    ]);
  });

  test("a promise that was not awaited is named as such", async () => {
    expect(await printed("console.log(Promise.resolve(1));")).toEqual(["Promise { <not awaited> }"]);
  });
});

test("levels, groups, counters, assertions, tables", async () => {
  const code =
    "console.debug('d'); console.info('i'); console.warn('w'); console.error('e'); console.log();\n" +
    "console.group('G'); console.log('a\\nb'); console.groupEnd(); console.count(); console.count(); console.assert(1, 'no'); console.assert(0, 'yes', 1);\n" +
    "console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 }); console.table([{ a: 1, b: 'x' }, { a: 2 }]); const { log } = console; log('free');";
  expect((await run(code)).logs.map(({ level, text }) => `${level}: ${text}`)).toEqual([
    "debug: d",
    "info: i",
    "warn: w",
    "error: e",
    "log: ",
    "log: G",
    "log:   a\n  b",
    "log: default: 1",
    "log: default: 2",
    "error: Assertion failed: yes 1",
    "log: { a: [Object] }",
    "log: ┌─────────┬───┬─────┐\n│ (index) │ a │ b   │\n├─────────┼───┼─────┤\n│ 0       │ 1 │ 'x' │\n│ 1       │ 2 │     │\n└─────────┴───┴─────┘",
    "log: free",
  ]);
});

test("ten thousand lines arrive in order, before the end, between the calls where they were printed", async () => {
  const code = "for (let i = 0; i < 10_000; i++) console.log('line', i); export default 1;";
  expect(await printed(code)).toEqual(Array.from({ length: 10_000 }, (_, i) => `line ${i}`));
});

test("a line of a megabyte and lines with NUL arrive whole", async () => {
  const [long, nul] = await printed("console.log('x'.repeat(1e6)); console.log('a\\0b\\ud800');");
  expect([long?.length, nul]).toEqual([1e6, "a\0b\ud800"]);
});

test("a call of the log by its wire name is a line too", async () => {
  expect(await printed("await callMCPTool('mcpfs__log', { level: 'log', text: 'by hand' });")).toEqual([
    "by hand",
  ]);
});
