import { cpu, error, family, SHORT, SHORT_WALL, value, wall } from "./probe.mjs";

const NATIVE = {
  "native-index-of": "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 5);",
  "native-includes-after-await": "await null; Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 5);",
  "native-last-index-of": "Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 5);",
  "native-reverse": "Array.prototype.reverse.call({ length: 2 ** 53 - 1 });",
  "native-copy-within": "Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1);",
  "native-join-of-holes": "new Array(2 ** 32 - 1).join('');",
  "native-unshift": "Array.prototype.unshift.call({ length: 2 ** 53 - 2 }, 1);",
  "native-bigint-power":
    "let x = 3n ** 200_000n; for (let i = 0; i < 40; i++) x = x * x % (2n ** 4_000_001n - 1n);",
  "native-sort":
    "const a = Array.from({ length: 3e5 }, (_, i) => 'k' + (i * 7919) % 3e5); for (;;) a.sort().reverse();",
};
const REGEX = {
  "regex-nested-plus": "/^(a+)+$/.test('a'.repeat(40) + 'b');",
  "regex-alternation": "/^(a|aa)+$/.test('a'.repeat(80) + '!');",
  "regex-words": "/^(\\w+\\s?)*$/.test('word '.repeat(12) + 'x'.repeat(30) + '!');",
  "regex-backreference": "/^(.*)*\\1$/.test('x'.repeat(40) + 'y');",
  "regex-email":
    "/^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$/.test('a'.repeat(60) + '!');",
  "regex-replace-all": "('ab'.repeat(30) + 'c').replaceAll(/(?:(?:ab)*)*d/g, '');",
};
const LOOPS = {
  "empty-loop": "for (;;);",
  "loop-that-catches": "for (;;) try { for (;;); } catch {} finally {}",
  "loop-in-finally": "try { throw 1; } finally { for (;;); }",
  "loop-with-continue-in-finally": "outer: for (;;) { try { throw 1; } finally { continue outer; } }",
  "loop-after-await": "await null; while (true) Math.sin(1);",
  "loop-in-async-function": "await (async () => { for (;;); })();",
  "generator-without-end": "for (const x of (function* () { for (;;) yield 1; })());",
  "getter-that-loops": "({ get x() { for (;;); } }).x;",
  "proxy-that-loops": "for (const k in new Proxy({}, { ownKeys() { for (;;); } }));",
  "to-string-that-loops": "`${{ toString() { for (;;); } }}`;",
  "comparator-that-loops": "[3, 1, 2].sort(() => { for (;;); });",
  "static-block-that-loops": "class A { static { for (;;); } }",
  "poll-the-clock": "const end = Date.now() + 9e9; while (Date.now() < end);",
};
const STORMS = {
  "microtask-storm": "const f = () => Promise.resolve().then(f); f(); await new Promise(() => {});",
  "await-storm": "for (;;) await null;",
  "microtask-storm-of-two":
    "let a, b; a = () => Promise.resolve().then(b); b = () => Promise.resolve().then(a); a(); await new Promise(() => {});",
  "rejection-storm": "for (;;) await Promise.reject(1).catch(() => {});",
  "thenable-storm": "const t = { then(r) { r(t); } }; await t;",
  "async-recursion-without-end": "const f = async () => { await null; await f(); }; await f();",
};
const stopped = (codes, wants = cpu()) =>
  Object.entries(codes).map(([id, code]) => ({
    id,
    code: `${code}\nexport default 'unreachable';`,
    limits: SHORT,
    want: wants,
  }));

export const TIME = family("time", [
  ...stopped(LOOPS),
  ...stopped(NATIVE, cpu({ orMemory: true, orError: true })),
  ...stopped(REGEX),
  ...stopped(STORMS, cpu({ orMemory: true })),
  {
    id: "value-whose-to-json-loops",
    code: "export default { toJSON() { for (;;); } };",
    limits: SHORT,
    want: cpu(),
    peers: "values do not leave as JSON",
  },
  {
    id: "default-function-that-loops",
    code: "export default () => { for (;;); };",
    limits: SHORT,
    want: cpu(),
    peers: "the value is not called",
  },
  {
    id: "arguments-whose-to-json-loops",
    code: "await callMCPTool('s__echo', { toJSON() { for (;;); } });\nexport default 1;",
    limits: SHORT,
    want: cpu(),
  },
  {
    id: "error-whose-message-loops",
    code: "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e;",
    limits: SHORT,
    want: { end: "error", codes: ["SCRIPT_ERROR", "LIMIT_CPU"] },
  },
  {
    id: "promise-that-never-settles",
    code: "await new Promise(() => {});\nexport default 1;",
    limits: SHORT_WALL,
    want: { end: "stuck", code: "DEADLOCK" },
  },
  {
    id: "promises-that-wait-for-each-other",
    code: "let a, b; a = (async () => { await null; await b; })(); b = (async () => { await a; })(); await b;\nexport default 1;",
    limits: SHORT_WALL,
    want: { end: "stuck", code: "DEADLOCK" },
  },
  {
    id: "long-timer-under-a-short-limit",
    code: "await new Promise((r) => setTimeout(r, 10_000));\nexport default 1;",
    limits: SHORT_WALL,
    want: wall(),
    peers: ["sebastianwessel"],
  },
  {
    id: "wall-time-stops-a-busy-script",
    code: "\nfor (;;) Math.sin(1);\nexport default 1;",
    limits: { wallMs: 1_200, cpuMs: 9_000 },
    want: wall({ line: 2 }),
  },
  {
    id: "line-of-a-loop",
    code: "function spin() {\n  for (let i = 0; ; i++) Math.sin(i);\n}\nspin();\nexport default 1;",
    limits: SHORT,
    want: cpu({ line: 2 }),
  },
  {
    id: "printed-before-a-native-loop",
    code: "console.log('one'); console.error('two'); [].indexOf.call({ length: 2 ** 53 - 1 }, 5);\nexport default 1;",
    limits: SHORT,
    want: cpu({ also: ({ output }) => (output.join() === "one,two" ? "" : `printed ${output}`) }),
  },
  {
    id: "long-but-finite-work",
    code: "let n = 0; for (let i = 0; i < 2_000_000; i++) n += i % 7;\nexport default n;",
    want: value(5_999_995),
  },
  {
    id: "error-inside-the-limit",
    code: "for (let i = 0; i < 1e5; i++);\nthrow new Error('done looping');",
    limits: SHORT,
    want: error({ message: /done looping/ }),
  },
]);
