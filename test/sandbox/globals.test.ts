import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resultOf, run, START_MS } from "./run-script.ts";

// M14
describe("the web's globals", () => {
  const cases: readonly (readonly [name: string, code: string, value: unknown])[] = [
    [
      "structuredClone keeps kinds and circles",
      "const a = { d: new Date(5), m: new Map([[1, new Set(['x'])]]), b: new Uint8Array([1, 2]), r: /a/g, n: null, e: new RangeError('m') }; a.self = a;\nconst c = structuredClone(a); export default [c !== a, c.self === c, c.d.getTime(), [...c.m.get(1)], [...c.b], String(c.r), c.e instanceof RangeError, c.e.message];",
      [true, true, 5, ["x"], [1, 2], "/a/g", true, "m"],
    ],
    [
      "structuredClone refuses functions",
      "let e; try { structuredClone({ f() {} }); } catch (x) { e = x; } export default [e.name, e.code, e instanceof DOMException];",
      ["DataCloneError", 25, true],
    ],
    ["atob and btoa", "export default [btoa('hé'), atob('aOk='), atob(' YQ = = ')];", ["aOk=", "hé", "a"]],
    [
      "btoa refuses wide characters",
      "let e; try { btoa('€'); } catch (x) { e = x.name; } export default e;",
      "InvalidCharacterError",
    ],
    [
      "TextEncoder",
      "export default [[...new TextEncoder().encode('aé€😀')], [...new TextEncoder().encode('\\ud800')], new TextEncoder().encodeInto('é€', new Uint8Array(4))];",
      [[97, 195, 169, 226, 130, 172, 240, 159, 152, 128], [239, 191, 189], { read: 1, written: 2 }],
    ],
    [
      "TextDecoder streams, drops the mark, can be fatal",
      "const d = new TextDecoder(); const a = d.decode(new Uint8Array([239, 187, 191, 226]), { stream: true }) + d.decode(new Uint8Array([130, 172]));\nlet e; try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])); } catch (x) { e = x.name; } export default [a, e];",
      ["€", "TypeError"],
    ],
    [
      "AbortController",
      "const c = new AbortController(); const seen = []; c.signal.addEventListener('abort', (e) => seen.push(e.type)); c.abort(); c.abort();\nlet n; try { c.signal.throwIfAborted(); } catch (e) { n = e.name; } export default [c.signal.aborted, seen, n, AbortSignal.abort('r').reason];",
      [true, ["abort"], "AbortError", "r"],
    ],
    [
      "AbortSignal.timeout and any",
      "const s = AbortSignal.any([AbortSignal.timeout(10), new AbortController().signal]); await new Promise((r) => s.addEventListener('abort', r)); export default s.reason.name;",
      "TimeoutError",
    ],
    [
      "URL",
      "const u = new URL('../x?a=1&b=ü#h', 'https://us%65r:p@EXÄMPLE.com:8443/p/q'); u.searchParams.append('c', 'd e'); export default [u.href, u.origin, u.host, u.username, [...u.searchParams]];",
      [
        "https://us%65r:p@xn--exmple-cua.com:8443/x?a=1&b=%C3%BC&c=d+e#h",
        "https://xn--exmple-cua.com:8443",
        "xn--exmple-cua.com:8443",
        "us%65r",
        [
          ["a", "1"],
          ["b", "ü"],
          ["c", "d e"],
        ],
      ],
    ],
    ["URLSearchParams", "export default String(new URLSearchParams({ q: 'a b', z: '1' }));", "q=a+b&z=1"],
    [
      "globals are hidden from listing and can be replaced",
      "console = 1; export default [Object.keys(globalThis), console];",
      [[], 1],
    ],
  ];
  test.each(cases)("%s", async (_name, code, value) => {
    expect(await resultOf(code)).toEqual(value);
  });
});

test("UTF-8 both ways and base64 agree with Node on any text and bytes", async () => {
  const texts = fc.sample(fc.string({ unit: "binary" }), { numRuns: 100, seed: 1 });
  const bytes = fc
    .sample(fc.uint8Array({ maxLength: 40 }), { numRuns: 200, seed: 2 })
    .map((array) => [...array]);
  const code =
    "export default [args.texts.map((t) => [...new TextEncoder().encode(t)]), args.bytes.map((b) => new TextDecoder().decode(new Uint8Array(b))), args.bytes.map((b) => btoa(String.fromCharCode(...b)))];";
  const want = [
    texts.map((text) => [...Buffer.from(text)]),
    bytes.map((array) => new TextDecoder().decode(new Uint8Array(array))),
    bytes.map((array) => Buffer.from(array).toString("base64")),
  ];
  expect(await resultOf(code, { args: { texts, bytes } })).toEqual(want);
});

test("URL agrees with Node on addresses of many forms", async () => {
  const inputs = [
    "http://a",
    "HTTP://A.B/%7Efoo/../bar?x#y",
    "https://[::1]:443/",
    "http://192.168.0.257",
    "http://0x7f.1/",
    "ftp://h:21/x",
    "mailto:a@b",
    "data:text/plain,x y",
    "http://a b/",
    "//no-scheme",
    "http://ex.com/a b?c d#e f",
    "https://ex.com:99999/",
    "file:///C:/x/../y",
    "http://münchen.de/ü",
    "http:\\\\x\\y",
    "http://user@/x",
    "blob:https://a/b",
    "javascript:alert(1)",
    "http://a/./b/%2e%2e/c",
  ];
  const code =
    "export default args.map((i) => { try { const u = new URL(i); return [u.href, u.origin, u.pathname, u.search, u.hash, u.host]; } catch (e) { return e.name; } });";
  const want = inputs.map((input) => {
    try {
      const url = new URL(input);
      return [url.href, url.origin, url.pathname, url.search, url.hash, url.host];
    } catch (error) {
      return (error as Error).name;
    }
  });
  expect(await resultOf(code, { args: inputs })).toEqual(want);
});

const DRAW =
  "export default [Math.random(), Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))]];";

test("the same seed gives the same random numbers, another seed others", async () => {
  const [first, again, other] = [
    await resultOf(DRAW),
    await resultOf(DRAW),
    await resultOf(DRAW, { seed: "two" }),
  ];
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  expect((first as unknown[])[2]).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test("random numbers are spread evenly between 0 and 1", async () => {
  const code =
    "const b = new Array(10).fill(0); let ok = true; for (let i = 0; i < 20_000; i++) { const r = Math.random(); ok &&= r >= 0 && r < 1; b[Math.floor(r * 10)]++; } export default [ok, b];";
  const [isInRange, bins] = (await resultOf(code)) as [boolean, number[]];
  expect(isInRange).toBe(true);
  for (const bin of bins) expect(Math.abs(bin - 2_000)).toBeLessThan(250);
});

test("Date is the frozen clock in UTC, and otherwise the language's own", async () => {
  const code =
    "class Later extends Date { days() { return 1; } }\n" +
    "export default [Date.now(), new Date().toISOString(), new Date(2020, 5, 1, 12).toISOString(), new Date(0).getTimezoneOffset(), new Date('2020-01-01T00:00').getTime(), Date.UTC(2020, 0), Date.name, Date.length,\n" +
    "new Date() instanceof Date, new Later() instanceof Later, new Later(5).getTime(), new Date(0).constructor === Date, Date() === new Date().toString(), new Date(0).getHours()];";
  expect(await resultOf(code)).toEqual([
    START_MS,
    new Date(START_MS).toISOString(),
    "2020-06-01T12:00:00.000Z",
    0,
    Date.UTC(2020, 0),
    Date.UTC(2020, 0),
    "Date",
    7,
    true,
    true,
    5,
    true,
    true,
    0,
  ]);
});

test("what needs no import is there, and nothing else of the host", async () => {
  const code =
    "export default Object.getOwnPropertyNames(globalThis).filter((name) => !args.includes(name)).sort();";
  const language = ["Object", "Function", "Array", "Math", "JSON", "Reflect"];
  const names = (await resultOf(code, { args: language })) as string[];
  for (const name of [
    "console",
    "fs",
    "args",
    "mcp",
    "callMCPTool",
    "tool",
    "MCPToolError",
    "setTimeout",
    "structuredClone",
    "crypto",
    "performance",
  ])
    expect(names).toContain(name);
  for (const name of ["fetch", "process", "require", "Buffer", "mcpfsHooks", "WebAssembly", "global"])
    expect(names).not.toContain(name);
});

test("time zone of the machine does not reach the script", async () => {
  const zone = process.env.TZ;
  process.env.TZ = "America/New_York";
  try {
    expect(new Date(0).getTimezoneOffset()).toBe(300);
    expect(
      await run("export default [new Date(0).getTimezoneOffset(), new Date(2020, 0, 1).toISOString()];"),
    ).toMatchObject({
      text: '[0,"2020-01-01T00:00:00.000Z"]',
    });
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});
