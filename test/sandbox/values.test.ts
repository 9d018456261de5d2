import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson, stringifyJson } from "../../src/kernel/json.ts";
import { echo, resultOf, run } from "./run-script.ts";

describe("the value of a run is the default export", () => {
  const cases: readonly (readonly [name: string, code: string, text: string])[] = [
    ["a value", "export default { a: [1, 'x', null] };", '{"a":[1,"x",null]}'],
    ["a promise is awaited", "export default Promise.resolve(7);", "7"],
    ["a function is called with args", "export default (a) => [a.id, args.id];", "[1,1]"],
    ["an async function is awaited", "export default async () => { await null; return 'done'; };", '"done"'],
    ["top-level await", "const x = await Promise.resolve(2); export default x + 1;", "3"],
    ["no default export is undefined", "export const other = 1;", ""],
    ["undefined is an empty text", "export default undefined;", ""],
    ["a script without exports", "1 + 1;", ""],
    ["bigints as digits", "export default [2n ** 64n, -1n];", "[18446744073709551616,-1]"],
    ["undefined members go", "export default { a: undefined, b: [undefined], f() {} };", '{"b":[null]}'],
    ["dates as ISO text", "export default { at: new Date(0) };", '{"at":"1970-01-01T00:00:00.000Z"}'],
    ["a map with text keys is an object", "export default new Map([['a', { b: 1n }]]);", '{"a":{"b":1}}'],
    ["a map with other keys is pairs", "export default new Map([[1, 2]]);", "[[1,2]]"],
    ["a set is an array", "export default { s: new Set(['x', 1]) };", '{"s":["x",1]}'],
    [
      "an error is its name and message",
      "export default new RangeError('no');",
      '{"name":"RangeError","message":"no"}',
    ],
    ["bytes are numbers", "export default [new Uint8Array([1, 2]), new ArrayBuffer(1)];", "[[1,2],[0]]"],
    ["a toJSON method is asked", "export default { a: { toJSON: () => [1n] } };", '{"a":[1]}'],
    ["not-a-number is null", "export default [NaN, Infinity, -0];", "[null,null,0]"],
    ["lone surrogates and NUL stay", "export default ['\\ud800', 'a\\0b'];", '["\\ud800","a\\u0000b"]'],
    [
      "__proto__ is a key like any",
      "export default JSON.parse('{\"__proto__\":{\"a\":1n}}'.replace('1n', '1'));",
      '{"__proto__":{"a":1}}',
    ],
    [
      "__proto__ beside a bigint",
      "export default [1n, JSON.parse('{\"__proto__\":1}')];",
      '[1,{"__proto__":1}]',
    ],
  ];
  test.each(cases)("%s", async (_name, code, text) => {
    const end = await run(code, { args: { id: 1 } });
    expect(end).toMatchObject({ kind: "value", text });
  });
});

describe("a value that cannot be JSON is an error that names its path", () => {
  const cases: readonly (readonly [code: string, message: string])[] = [
    ["export default { a: [1, { b: Promise.resolve(1) }] };", "value.a[1].b is a promise; await it first."],
    [
      "const a = { 'x y': {} }; a['x y'].a = a; export default a;",
      'value["x y"].a is a circle: it holds itself.',
    ],
    [
      "export default { get a() { throw new Error('no'); }, b: 1n };",
      "value.a is a member that throws (no).",
    ],
    ["export default () => () => 1;", "value is a function."],
    ["export default Symbol('x');", "value is a symbol."],
  ];
  test.each(cases)("%s", async (code, message) => {
    expect(await run(code)).toMatchObject({
      kind: "threw",
      error: { name: "TypeError", message: `Cannot be turned into JSON: ${message}` },
    });
  });
});

test("JSON crosses the door and comes back unchanged, whatever is in it", async () => {
  const values = fc.sample(fc.json({ maxDepth: 4, stringUnit: "binary" }), { numRuns: 150, seed: 4 });
  const extra = [
    '{"n":[9007199254740993,-9223372036854775808,1e300,0.1]}',
    '"\\u0000 \\ud800 \\udfff"',
    "[]",
    "{}",
  ];
  const texts = [...values, ...extra].map((text) => stringifyJson(parseJson(text)));
  const tools = { s__all: () => texts.map((text) => parseJson(text)), ...echo };
  const given = await resultOf(
    "const all = await callMCPTool('s__all');\n" +
      "const back = []; for (const item of all) back.push((await callMCPTool('s__echo', { item })).item);\n" +
      "export default back;",
    { tools },
  );
  expect(stringifyJson(given)).toBe(`[${texts.join(",")}]`);
});

test("an integer beyond a double arrives as a bigint, and JSON.stringify prints its digits", async () => {
  const tools = { s__id: () => ({ id: 9007199254740993n, small: 3 }) };
  const code =
    "const r = await callMCPTool('s__id');\n" +
    "const replacer = (k, v) => typeof v === 'bigint' ? 'big ' + v : v;\n" +
    "export default [typeof r.id, typeof r.small, String(r.id + 1n), JSON.stringify(r), JSON.stringify(r, null, 1), JSON.stringify(r, replacer)];";
  expect(await resultOf(code, { tools })).toEqual([
    "bigint",
    "number",
    "9007199254740994",
    '{"id":9007199254740993,"small":3}',
    '{\n "id": 9007199254740993,\n "small": 3\n}',
    '{"id":"big 9007199254740993","small":3}',
  ]);
});

test("JSON.stringify stays the language's own for everything else", async () => {
  const code =
    "const c = {}; c.c = c; let circle; try { JSON.stringify(c); } catch (e) { circle = e.name; }\n" +
    "export default [JSON.stringify(new Map([[1, 2]])), JSON.stringify({ e: new Error('x') }), String(JSON.stringify(undefined)), circle];";
  expect(await resultOf(code)).toEqual(["{}", '{"e":{}}', "undefined", "TypeError"]);
});

test("args keep long integers and are the same object as the function's parameter", async () => {
  const code = "export default (given) => [given === args, typeof args.n, args.n];";
  expect(await resultOf(code, { args: { n: 12345678901234567890n } })).toEqual([
    true,
    "bigint",
    12345678901234567890n,
  ]);
});
