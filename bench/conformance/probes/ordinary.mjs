import { error, family, value } from "./probe.mjs";

const lines = (wanted) => (report) =>
  report.output.join("|") === wanted ? "" : `printed ${JSON.stringify(report.output)}`;
const warned =
  (pattern, count = 1) =>
  (report) =>
    report.warnings.filter((text) => pattern.test(text)).length === count
      ? ""
      : `warned ${JSON.stringify(report.warnings)}`;

export const CONSOLE = family("console", [
  {
    id: "console-flood-of-lines",
    code: "for (let i = 0; i < 300_000; i++) console.log('line ' + i + ' of a script that prints too much');\nexport default 'done';",
    limits: { cpuMs: 30_000, wallMs: 40_000 },
    want: value("done", {
      also: ({ output }) =>
        Buffer.byteLength(output.join("\n")) < 300_000 && /cut here/.test(output.at(-1)) ? "" : "not cut",
    }),
  },
  {
    id: "console-flood-of-two-hundred-megabytes",
    code: "const line = 'x'.repeat(1_000_000); for (let i = 0; i < 200; i++) console.log(line);\nexport default 'done';",
    limits: { cpuMs: 30_000, wallMs: 40_000 },
    want: { end: "stopped", code: "LIMIT_OUTPUT" },
    peers: "not stated",
  },
  {
    id: "console-one-long-line",
    code: "console.log('y'.repeat(20_000_000));\nexport default 'done';",
    want: value("done", { also: ({ output }) => (output.join("").length < 300_000 ? "" : "not cut") }),
  },
  {
    id: "console-cut-at-the-end-of-a-line",
    code: "for (let i = 0; i < 100; i++) console.log('0123456789');\nexport default 1;",
    limits: { outputBytes: 105 },
    want: value(1, {
      also: ({ output }) =>
        output.slice(0, -1).every((line) => line === "0123456789") &&
        output.length < 12 &&
        /output\.txt/.test(output.at(-1)) &&
        output.at(-1).includes(`${100 - (output.length - 1)} `)
          ? ""
          : JSON.stringify(output),
    }),
    peers: false,
  },
  {
    id: "console-circle",
    code: "const a = { b: {} }; a.b.a = a; console.log(a);\nexport default 1;",
    want: value(1, { also: lines("<ref *1> { b: { a: [Circular *1] } }") }),
  },
  {
    id: "console-hostile-proxy",
    code: "console.log(new Proxy({}, { get() { throw new Error('get'); }, ownKeys() { throw new Error('keys'); }, getPrototypeOf() { throw new Error('proto'); } }));\nexport default 1;",
    want: value(1, { also: ({ output }) => (output.length === 1 ? "" : "nothing was printed") }),
  },
  {
    id: "console-getters-are-not-run",
    code: "let n = 0; console.log({ get a() { n++; return 1; } });\nexport default n;",
    want: value(0),
  },
  {
    id: "console-to-string-tag-that-throws",
    code: "console.log({ get [Symbol.toStringTag]() { throw new Error('tag'); } });\nexport default 1;",
    want: value(1),
  },
  {
    id: "console-constructor-name-that-throws",
    code: "const f = () => 1; Object.defineProperty(f, 'name', { get() { throw new Error('name'); } }); console.log(f, { f });\nexport default 1;",
    want: value(1),
  },
  {
    id: "console-symbols-and-wide-text",
    code: "console.log(Symbol('s'), 'grün', -0, 12n, [undefined, null], new Map([[1, { a: 2 }]]));\nexport default 1;",
    want: value(1, { also: lines("Symbol(s) grün -0 12n [ undefined, null ] Map(1) { 1 => { a: 2 } }") }),
  },
  {
    id: "console-million-items",
    code: "console.log(new Array(1_000_000).fill(1), new Set(new Array(1000).keys()), 'z'.repeat(50));\nexport default 1;",
    want: value(1, {
      also: ({ output }) =>
        output.join("").length < 20_000 && /more items/.test(output.join("")) ? "" : "not cut",
    }),
    peers: false,
  },
  {
    id: "console-levels",
    code: "console.debug('a'); console.info('b'); console.warn('c'); console.error('d');\nexport default 1;",
    want: value(1, { levels: ["debug", "info", "warn", "error"] }),
    peers: false,
  },
  {
    id: "console-escapes-and-nul",
    code: "console.log('a\\0b\\u001b[2Jc');\nexport default 1;",
    want: value(1, { also: ({ output }) => (output.length === 1 ? "" : "lost") }),
  },
  {
    id: "console-order-with-calls",
    code: "console.log(1); await callMCPTool('s__one'); console.log(2); setTimeout(() => console.log(3), 1); await new Promise((r) => setTimeout(r, 20)); console.log(4);\nexport default 1;",
    want: value(1, { also: lines("1|2|3|4") }),
    peers: false,
  },
]);

export const TIMERS = family("timers", [
  {
    id: "timer-with-one-parameter",
    code: "await new Promise((r) => setTimeout(r));\nexport default 'fired';",
    want: value("fired"),
    peers: ["sebastianwessel"],
  },
  {
    id: "timer-cleared",
    code: "let n = 0; const t = setTimeout(() => n++, 20); clearTimeout(t); await new Promise((r) => setTimeout(r, 60));\nexport default n;",
    want: value(0),
    peers: ["sebastianwessel"],
  },
  {
    id: "interval-three-times",
    isTimed: true,
    code: "let n = 0; const i = setInterval(() => { if (++n === 3) clearInterval(i); }, 5); await new Promise((r) => setTimeout(r, 120));\nexport default n;",
    want: value(3),
    peers: ["sebastianwessel"],
  },
  {
    id: "timer-with-parameters",
    code: "const got = await new Promise((r) => setTimeout((a, b) => r([a, b]), 5, 'x', 'y'));\nexport default got;",
    want: value(["x", "y"]),
    peers: ["sebastianwessel"],
  },
  {
    id: "timer-that-throws-late",
    code: "setTimeout(() => { throw new Error('late'); }, 1);\nexport default 3;",
    want: value(3, { also: warned(/late/) }),
    peers: ["sebastianwessel"],
  },
  {
    id: "timer-does-not-hold-the-run",
    code: "setTimeout(() => {}, 60_000); setInterval(() => {}, 30_000);\nexport default 'done';",
    limits: { wallMs: 5_000 },
    want: value("done", { withinMs: 2_500 }),
    peers: ["sebastianwessel"],
  },
  {
    id: "timers-in-order",
    code: "const s = []; setTimeout(() => s.push('c'), 60); setTimeout(() => s.push('b'), 10); queueMicrotask(() => s.push('a')); await new Promise((r) => setTimeout(r, 120));\nexport default s.join('');",
    want: value("abc"),
    peers: ["sebastianwessel"],
  },
  {
    id: "twenty-thousand-timers",
    code: "let n = 0, failed = 0; for (let i = 0; i < 20_000; i++) try { setTimeout(() => n++, 1e6); } catch { failed++; }\nexport default 'done';",
    limits: { wallMs: 40_000, cpuMs: 30_000 },
    want: value("done"),
    peers: ["sebastianwessel"],
  },
  {
    id: "timer-that-is-no-function",
    code: "let said; try { setTimeout('alert(1)', 1); said = 'went'; } catch (e) { said = e.name; }\nexport default said;",
    want: value("TypeError"),
    peers: ["sebastianwessel"],
  },
  {
    id: "abort-signal-timeout",
    code: "const s = AbortSignal.timeout(20); await new Promise((r) => s.addEventListener('abort', r));\nexport default s.reason.name;",
    want: value("TimeoutError"),
    peers: false,
  },
  {
    id: "polling-with-a-timer",
    isTimed: true,
    code: "const start = Date.now(); let polls = 0; while (Date.now() - start < 60) { polls++; await new Promise((r) => setTimeout(r, 10)); }\nexport default polls >= 1 && polls <= 8;",
    want: value(true),
    peers: false,
  },
  {
    id: "race-against-a-timer",
    code: "const first = await Promise.race([callMCPTool('s__one').then(() => 'call'), new Promise((r) => setTimeout(() => r('timer'), 3_000))]);\nexport default first;",
    want: value("call", { withinMs: 2_000 }),
    peers: ["sebastianwessel"],
  },
]);

export const REJECTIONS = family("rejections", [
  {
    id: "lost-error",
    code: "(async () => { throw new Error('lost one'); })();\nexport default 'done';",
    want: value("done", { also: warned(/lost one/) }),
  },
  {
    id: "lost-tool-error",
    code: "callMCPTool('s__late_fail', {});\nexport default 'done';",
    want: value("done", { also: warned(/failed late.*|.*probe\.ts:1.*failed late/) }),
  },
  {
    id: "lost-in-a-microtask",
    code: "queueMicrotask(() => { throw new TypeError('micro'); });\nexport default 'done';",
    want: value("done", { also: warned(/micro/) }),
    peers: false,
  },
  {
    id: "handled-later",
    code: "const p = Promise.reject(new Error('late')); await callMCPTool('s__one');\nexport default await p.catch((e) => e.message);",
    want: value("late", { also: warned(/late/, 0) }),
  },
  {
    id: "rejected-with-nothing",
    code: "Promise.reject();\nexport default 'done';",
    want: value("done", { also: ({ warnings }) => (warnings.length === 1 ? "" : JSON.stringify(warnings)) }),
  },
  {
    id: "fifty-thousand-rejections",
    code: "for (let i = 0; i < 50_000; i++) Promise.reject(new Error('n' + i));\nexport default 'done';",
    want: value("done"),
  },
  {
    id: "forgotten-await-in-a-value",
    code: "export default { row: callMCPTool('s__one') };",
    want: { end: "error", code: "SCRIPT_ERROR", message: /value\.row is a promise; await it/ },
    peers: false,
  },
  {
    id: "forgotten-await-in-arguments",
    code: "await callMCPTool('s__echo', { row: callMCPTool('s__one') });\nexport default 1;",
    want: { end: "error", code: "SCRIPT_ERROR", message: /arguments\.row is a promise; await it/, line: 1 },
    peers: false,
  },
  {
    id: "aggregate-error",
    code: "await Promise.any([Promise.reject(new Error('a')), callMCPTool('s__fail')]);\nexport default 1;",
    want: error(),
  },
  {
    id: "error-in-an-event-listener",
    code: "const c = new AbortController(); c.signal.addEventListener('abort', () => { throw new Error('listener'); }); c.abort();\nexport default 'done';",
    want: value("done", { also: warned(/listener/) }),
    peers: false,
  },
]);

const TS = { isTypeScript: true };
export const TYPESCRIPT = family("TypeScript", [
  {
    id: "ts-annotations",
    ...TS,
    code: "const f = (a: number, b?: string): string => `${a}${b ?? ''}`;\nexport default f(1);",
    want: value("1"),
  },
  {
    id: "ts-enum",
    ...TS,
    code: "enum Mode { A = 'a', B = 'b' }\nexport default [Mode.A, Object.keys(Mode).length];",
    want: value(["a", 2]),
  },
  {
    id: "ts-const-enum",
    ...TS,
    code: "const enum N { One = 1, Two }\nexport default N.Two;",
    want: value(2),
  },
  {
    id: "ts-satisfies",
    ...TS,
    code: "const a = { id: '1' } satisfies { id: string };\nexport default a.id as string;",
    want: value("1"),
  },
  {
    id: "ts-generics",
    ...TS,
    code: "function first<T,>(list: readonly T[]): T | undefined { return list[0]; }\nexport default first<number>([7]);",
    want: value(7),
  },
  {
    id: "ts-interface-and-type",
    ...TS,
    code: "interface A { a: number } type B = A & { b?: string }; const x: B = { a: 1 };\nexport default x;",
    want: value({ a: 1 }),
  },
  {
    id: "ts-class-forms",
    ...TS,
    code: "abstract class A { constructor(protected readonly n: number) {} abstract go(): number; }\nclass B extends A { declare x: string; go(): number { return this.n; } }\nexport default new B(3).go();",
    want: value(3),
  },
  {
    id: "ts-namespace",
    ...TS,
    code: "namespace N { export const x = 4; }\nexport default N.x;",
    want: value(4),
  },
  {
    id: "ts-overloads-and-assertions",
    ...TS,
    code: "function f(a: string): string; function f(a: number): number; function f(a: any) { return a; }\nconst x = <const>['a']; const y = f(2)!;\nexport default [x[0], y];",
    want: value(["a", 2]),
  },
  {
    id: "ts-using",
    ...TS,
    code: "let closed = 0; { using x = { [Symbol.dispose]() { closed++; } }; void x; }\nexport default closed;",
    want: value(1),
    peers: ["sebastianwessel", "tanstack"],
  },
  {
    id: "ts-decorator",
    ...TS,
    code: "function mark(value: any, context: any) { return function (this: any) { return 'marked'; }; }\nclass A { @mark go() { return 'plain'; } }\nexport default new A().go();",
    want: value("marked"),
    peers: ["sebastianwessel", "tanstack"],
  },
  {
    id: "ts-optional-chains",
    ...TS,
    code: "const a: { b?: { c?: () => number } } = {};\nexport default [a?.b?.c?.() ?? 'none', a.b?.['c'] === undefined];",
    want: value(["none", true]),
  },
  {
    id: "ts-type-imports",
    ...TS,
    code: "import type { EchoInput } from './servers/s/echo';\nimport { echo, type OneInput } from './servers/s';\nconst a: EchoInput = { a: 1 };\nexport default await echo(a);",
    want: value({ a: 1 }),
    peers: false,
  },
  {
    id: "ts-type-error-does-not-stop-the-run",
    ...TS,
    code: "const a: number = 'text' as any; const b: string = a;\nexport default b;",
    want: value("text"),
  },
]);

export const STYLES = family("styles", [
  {
    id: "style-top-level-return",
    code: "const a = await callMCPTool('s__one');\nreturn a.n + 1;",
    want: value(2),
    peers: false,
  },
  {
    id: "style-return-in-a-branch",
    code: "if ((await callMCPTool('s__one')).n === 1) {\n  return 'yes';\n}\nreturn 'no';",
    want: value("yes"),
    peers: false,
  },
  {
    id: "style-return-with-import",
    code: "import { one } from './servers/s';\n\nreturn (await one({})).n;",
    want: value(1),
    peers: false,
  },
  {
    id: "style-return-keeps-lines",
    code: "import { one } from './servers/s';\nconst a = (await one({})).n;\nnull.x;\nreturn a;",
    want: error({ line: 3 }),
    peers: false,
  },
  {
    id: "style-return-and-export",
    code: "export const a = 1;\nreturn a;",
    want: { end: "error", code: "SCRIPT_ERROR", message: /both an export and a return/ },
    peers: false,
  },
  {
    id: "style-return-in-a-nested-function-only",
    code: "const f = () => { return 5; };\nexport default f();",
    want: value(5),
  },
  {
    id: "style-default-function",
    code: "export default async function main(args) { return [args.id, (await callMCPTool('s__one')).n]; }",
    args: { id: 4 },
    want: value([4, 1]),
    peers: false,
  },
  {
    id: "style-default-arrow",
    code: "export default ({ id }) => id;",
    args: { id: 4 },
    want: value(4),
    peers: false,
  },
  {
    id: "style-default-class-is-a-function",
    code: "export default class A { static x = 1; }",
    want: { end: "error", code: "SCRIPT_ERROR" },
    peers: false,
  },
  {
    id: "style-plain-statements",
    code: "console.log('only printed');",
    want: value(undefined, { also: lines("only printed") }),
  },
  { id: "style-no-text", code: "", want: value(undefined), peers: false },
  { id: "style-only-a-comment", code: "// nothing yet", want: value(undefined), peers: false },
  {
    id: "style-stdin",
    code: "import { double } from './skills/double';\nexport default double(21);",
    name: "<stdin>",
    want: value(42),
    peers: false,
  },
  {
    id: "style-mts",
    code: "const a: number = 1;\nexport default a;",
    name: "probe.mts",
    want: value(1),
    peers: false,
  },
  {
    id: "style-js",
    code: "/** @type {number} */ const a = 1;\nexport default a;",
    name: "probe.js",
    want: value(1),
    peers: false,
  },
  {
    id: "style-js-refuses-types",
    code: "const a: number = 1;\nexport default a;",
    name: "probe.js",
    want: { end: "error", code: "SCRIPT_ERROR", line: 1 },
    peers: false,
  },
  {
    id: "style-free-identifier",
    code: "const a = await s_one({});\nexport default a.n;",
    want: value(1),
    peers: false,
  },
  {
    id: "style-free-type",
    ...TS,
    code: "const a: EchoInput = { x: 1 };\nexport default await s_echo(a);",
    want: value({ x: 1 }),
    peers: false,
  },
  {
    id: "style-mcp-call-tool",
    code: "export default (await mcp.callTool('s__one', {})).n;",
    want: value(1),
    peers: false,
  },
  {
    id: "style-namespace-import",
    code: "import * as s from './servers/s';\nexport default (await s.one({})).n;",
    want: value(1),
    peers: false,
  },
  {
    id: "style-namespace-passed-on",
    code: "import * as s from './servers/s';\nconst names = Object.keys(s);\nexport default names.includes('one') && names.includes('picky');",
    want: value(true),
    peers: false,
  },
  {
    id: "style-fs-imports",
    code: "import { readFile } from 'node:fs/promises'; import fsDefault from 'fs/promises'; import { promises } from 'fs';\nexport default [await readFile('./workspace/inside.txt', 'utf8'), fsDefault === fs, promises === fs];",
    want: value(["inside", true, true]),
    peers: false,
  },
  {
    id: "style-hash-bang-and-mark",
    code: "\ufeff#!/usr/bin/env node\nexport default 1;",
    want: value(1),
    peers: false,
  },
  {
    id: "style-crlf",
    code: "const a = 1;\r\nconst b = 2;\r\nnull.x;\r\n",
    want: error({ line: 3 }),
    peers: false,
  },
  {
    id: "style-unknown-export-of-a-server",
    code: "import { nope } from './servers/s';\nlet code; try { await nope({}); } catch (e) { code = e.code; }\nexport default code;",
    want: value("TOOL_UNKNOWN"),
    peers: false,
  },
  {
    id: "style-args-words",
    code: "export default args;",
    args: ["a", "b"],
    want: value(["a", "b"]),
    peers: false,
  },
]);
