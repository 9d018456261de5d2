import { error, family, value } from "./probe.mjs";

export const VALUES = family("values", [
  {
    id: "long-integer-in",
    code: "const a = await callMCPTool('s__long');\nexport default [typeof a.id, String(a.id), String(a.list[0]), typeof a.list[1]];",
    want: value(["bigint", "9007199254740993", "-9223372036854775808", "number"]),
  },
  {
    id: "long-integer-through",
    code: "const a = await callMCPTool('s__long'); const b = await callMCPTool('s__echo', a);\nexport default b;",
    want: value({ id: 9007199254740993n, list: [-9223372036854775808n, 3] }),
    peers: "values do not leave as bigint",
  },
  {
    id: "long-integer-in-json-text",
    code: "const a = await callMCPTool('s__long');\nexport default JSON.stringify(a);",
    want: value('{"id":9007199254740993,"list":[-9223372036854775808,3]}'),
  },
  {
    id: "bigint-as-a-value",
    code: "export default { n: 2n ** 64n };",
    want: value({ n: 18446744073709551616n }),
    peers: "values do not leave as bigint",
  },
  {
    id: "nul-in-an-answer",
    code: "const t = await callMCPTool('s__nul');\nexport default [t.length, t.charCodeAt(3), t];",
    want: value([7, 0, "abc\0def"]),
  },
  {
    id: "nul-in-arguments",
    code: "const a = await callMCPTool('s__echo', { t: 'a\\0b' });\nexport default a.t.length;",
    want: value(3),
  },
  {
    id: "lone-surrogate-in",
    code: "const a = await callMCPTool('s__surrogate');\nexport default [a.s.length, a.s.charCodeAt(1)];",
    want: value([3, 0xd800]),
  },
  { id: "lone-surrogate-out", code: "export default 'a\\ud800b';", want: value("a\ud800b") },
  {
    id: "astral-characters",
    code: "const a = await callMCPTool('s__echo', { t: '😀👩‍👩‍👧' });\nexport default a.t;",
    want: value("😀👩‍👩‍👧"),
  },
  {
    id: "proto-as-a-key-of-the-value",
    code: 'export default Object.keys(JSON.parse(\'{"__proto__":1,"a":2}\'));',
    want: value(["__proto__", "a"]),
  },
  {
    id: "odd-keys",
    code: "const o = { '': 1, 'a b': 2, '\\n': 3, 'ü': 4, '0': 5, constructor: 6 };\nexport default (await callMCPTool('s__echo', o));",
    want: value({ "": 1, "a b": 2, "\n": 3, ü: 4, 0: 5, constructor: 6 }),
  },
  {
    id: "undefined-members",
    code: "export default await callMCPTool('s__echo', { a: undefined, b: [], c: {}, d: null });",
    want: value({ b: [], c: {}, d: null }),
  },
  { id: "nothing-as-a-value", code: "export default undefined;", want: value(undefined) },
  { id: "null-as-a-value", code: "export default null;", want: value(null) },
  {
    id: "dates-maps-sets",
    code: "export default { d: new Date(0), m: new Map([['a', 1]]), s: new Set([1]), u: new Uint8Array([1, 2]) };",
    want: value({ d: "1970-01-01T00:00:00.000Z", m: { a: 1 }, s: [1], u: [1, 2] }),
    peers: "not stated",
  },
  {
    id: "numbers-beyond-json",
    code: "export default [NaN, Infinity, -Infinity, 1e300, 5e-324];",
    want: value([null, null, null, 1e300, 5e-324]),
    peers: "not stated",
  },
  {
    id: "circle-as-a-value",
    code: "const a = { b: {} }; a.b.c = a;\nexport default a;",
    want: { end: "error", code: "SCRIPT_ERROR", message: /value\.b\.c is a circle/ },
    peers: "not stated",
  },
  {
    id: "function-as-a-member",
    code: "export default { f() {}, a: 1 };",
    want: value({ a: 1 }),
    peers: "not stated",
  },
  {
    id: "member-that-throws",
    code: "export default { get a() { throw new Error('no'); } };",
    want: { end: "error", code: "SCRIPT_ERROR", message: /value\.a is a member that throws/ },
    peers: "not stated",
  },
  {
    id: "text-that-looks-like-a-number",
    code: "export default await callMCPTool('s__number_text');",
    want: value("007"),
  },
  { id: "text-of-words", code: "export default await callMCPTool('s__text');", want: value("plain words") },
  {
    id: "several-blocks",
    code: "const a = await callMCPTool('s__blocks');\nexport default [a.length, a[1].resource.text];",
    want: value([2, "# Title"]),
  },
  {
    id: "no-content",
    code: "export default (await callMCPTool('s__nothing')) === undefined;",
    want: value(true),
    peers: "not stated",
  },
  {
    id: "a-million-characters-in",
    code: "export default (await callMCPTool('s__big')).length;",
    want: value(1_000_000),
  },
  {
    id: "ten-thousand-rows-through",
    code: "const rows = Array.from({ length: 2_000 }, (_, i) => ({ id: i, name: 'n' + i })); const back = await callMCPTool('s__echo', { rows });\nexport default back.rows.filter((r) => r.id % 100 === 0).length;",
    want: value(20),
  },
  {
    id: "args-with-long-integers",
    code: "export default [typeof args.n, args.n];",
    args: { n: 12345678901234567890n },
    want: value(["bigint", 12345678901234567890n]),
    peers: false,
  },
]);

export const DETERMINISM = family("determinism", [
  {
    id: "clock-stands-still",
    code: "const a = Date.now(); for (let i = 0; i < 3e5; i++); const b = new Date().getTime();\nexport default a === b;",
    want: value(true),
    peers: "not stated",
  },
  {
    id: "clock-moves-with-an-answer",
    code: "const a = Date.now(); await callMCPTool('s__slow');\nexport default Date.now() - a >= 190;",
    want: value(true),
    peers: "not stated",
  },
  {
    id: "local-time-is-utc",
    code: "export default [new Date(0).getTimezoneOffset(), new Date(2020, 0, 1).toISOString(), new Date(0).getHours()];",
    want: value([0, "2020-01-01T00:00:00.000Z", 0]),
    peers: "not stated",
  },
  {
    id: "date-forms",
    code: "class Later extends Date {}\nexport default [Date() === new Date().toString(), new Date(5).getTime(), Date.UTC(2020, 0), new Later(7) instanceof Later, new Date(0).constructor === Date];",
    want: value([true, 5, 1577836800000, true, true]),
  },
  {
    id: "random-numbers-in-range",
    code: "let ok = true; for (let i = 0; i < 10_000; i++) { const r = Math.random(); ok &&= r >= 0 && r < 1; }\nexport default ok && new Set(Array.from({ length: 100 }, () => Math.random())).size === 100;",
    want: value(true),
  },
  {
    id: "uuid",
    code: "export default /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()) && crypto.randomUUID() !== crypto.randomUUID();",
    want: value(true),
    peers: false,
  },
  {
    id: "no-locale-of-the-host",
    code: "export default [(1234.5).toLocaleString(), ['b', 'a', 'B'].sort((x, y) => x < y ? -1 : 1).join(''), typeof Intl];",
    want: value(["1234.5", "Bab", "undefined"]),
    peers: "not stated",
  },
  {
    id: "answers-in-order",
    code: "const seen = []; const chain = async (n) => { await callMCPTool('s__echo', { n }); for (let i = 0; i < 3; i++) { await null; seen.push(n); } };\nawait Promise.all([chain(1), chain(2), chain(3)]);\nexport default seen.join('').match(/(.)\\1\\1/g)?.length;",
    want: value(3),
    peers: "not stated",
  },
]);

export const ERRORS = family("errors", [
  {
    id: "error-line",
    code: "const a = 1;\n\nfunction inner(x) {\n  return x.y.z;\n}\nexport default inner({});",
    want: error({ line: 4 }),
  },
  {
    id: "error-line-after-an-await",
    code: "await callMCPTool('s__one');\nconst b = null;\nb.x;\nexport default 1;",
    want: error({ line: 3 }),
  },
  {
    id: "error-line-in-typescript",
    isTypeScript: true,
    code: "interface A {\n  a: number;\n}\nconst a = {} as unknown as { b: A };\nexport default a.b.a;",
    want: error({ line: 5 }),
  },
  {
    id: "error-in-a-timer-is-told-with-its-line",
    code: "\nsetTimeout(() => { throw new Error('in timer'); }, 1);\nexport default 1;",
    want: value(1, {
      also: ({ warnings }) =>
        warnings.some((w) => w.includes("probe.ts:2")) ? "" : JSON.stringify(warnings),
    }),
    peers: false,
  },
  {
    id: "error-in-a-skill",
    code: "import { double } from './skills/double';\nexport default double(1_000);",
    want: error({ message: /too large/, file: "skills/double/index.ts", line: 2 }),
    peers: false,
  },
  {
    id: "error-of-a-wrapper-is-the-callers",
    code: "import { fail } from './servers/s';\n\nconst a = 1;\nawait fail({});\nexport default a;",
    want: { end: "error", code: "TOOL_ERROR", line: 4 },
    peers: false,
  },
  {
    id: "error-with-a-cause",
    code: "throw new Error('outer', { cause: new Error('inner') });\nexport default 1;",
    want: error({ message: /outer/ }),
  },
  { id: "syntax-error-line", code: "const a = 1;\nconst b = ;\nexport default a;", want: error({ line: 2 }) },
  { id: "syntax-error-at-the-end", code: "function f() {\n  if (true) {\n", want: error(), peers: false },
  {
    id: "error-column",
    code: "const a = { b: {} };\nexport default a.b.c.d;",
    want: error({
      line: 2,
      also: ({ error: e }) => (e.column >= 16 && e.column <= 22 ? "" : `column ${e.column}`),
    }),
    peers: false,
  },
  {
    id: "custom-error",
    code: "class Own extends Error { name = 'Own'; }\nthrow new Own('mine');\nexport default 1;",
    want: error({ message: /mine/ }),
  },
  ...[
    ["fetch('https://x')", "call a tool"],
    ["process.env.HOME", "args"],
    ["require('fs')", "import"],
    ["Buffer.from('x')", "Uint8Array"],
    ["new XMLHttpRequest()", "no network"],
    ["new WebSocket('ws://x')", "no network"],
    ["document.title", "no page"],
    ["window.x", "globalThis"],
    ["localStorage.x", "fs.writeFile"],
    ["Deno.env", "args"],
    ["Bun.file('x')", "fs"],
    ["__dirname + ''", "relative to the workspace"],
    ["__filename + ''", "relative to the workspace"],
    ["new Intl.NumberFormat()", "toFixed"],
    ["new Worker('x')", "Promise.all"],
    ["module.exports", "export default"],
    ["alert(1)", "console.log"],
    ["new Blob([])", "Uint8Array"],
    ["global.x", "globalThis"],
    ["setTimeoutt(1)", ""],
  ].map(([expression, says]) => ({
    id: `absent-${expression.match(/[A-Za-z_]+/g).find((word) => word !== "new")}`,
    code: `${expression};\nexport default 1;`,
    want: {
      end: "error",
      codes: says === "" ? ["SCRIPT_ERROR"] : ["IMPORT_REFUSED"],
      line: 1,
      also: ({ error: e }) => (e.hint.includes(says) ? "" : `hint: ${e.hint}`),
    },
    peers: false,
  })),
]);
