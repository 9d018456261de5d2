import { describe, expect, test } from "vitest";
import { echo, resultOf, run, toolFailure } from "./run-script.ts";

/** M15: a script that patches the language hurts itself at most; `npm run conformance` tries many more. */
const setter = (name: string): string =>
  `Object.defineProperty(Object.prototype, '${name}', { __proto__: null, set() { throw new Error('setter'); }, configurable: true });\n`;
const INDEX_SETTER = setter("0");
const DESCRIPTOR = "for (const k of ['get', 'set']) Object.prototype[k] = function () {};\n";
const CONSTRUCTOR =
  "Object.defineProperty(Promise.prototype, 'constructor', { __proto__: null, get() { throw new Error('constructor'); } });\n";
const METHODS =
  "for (const p of [Map, String, Array, RegExp]) for (const k of Object.getOwnPropertyNames(p.prototype)) if (k !== 'constructor') try { p.prototype[k] = null; } catch {}\n" +
  "JSON.stringify = JSON.parse = Math.trunc = Math.min = null; Promise.prototype.then = () => {};\n";

/** As the bundler does: the module is tied to the run before the script can change `Promise`. */
const HEAD = "await 0; await 0; await 0; await 0;\n";

const tools = {
  ...echo,
  s__fail: () => {
    throw toolFailure({ message: "denied", content: [1] });
  },
};

describe.each([
  ["a setter for index 0", INDEX_SETTER],
  ["a read-only index 0", "Object.defineProperty(Object.prototype, '0', { __proto__: null, value: 7 });\n"],
  ["members that descriptions inherit", DESCRIPTOR],
  ["setters for names of ours", ["name", "message", "code", "a", "list"].map(setter).join("")],
  ["a constructor of promises that throws", CONSTRUCTOR],
  ["methods that are gone", METHODS],
])("with %s", (_name, attack) => {
  const text = (code: string): string => HEAD + attack + code;
  // A script's own `await` asks for the constructor too; what it makes of that is its own affair.
  const isAwaitBroken = attack === CONSTRUCTOR;

  test("a call goes out and its answer comes back", async () => {
    const end = await run(
      text(
        isAwaitBroken
          ? "callMCPTool('s__echo', { a: 1, list: [2, { b: 'x' }] }); export default { a: 1, list: [2, { b: 'x' }] };"
          : "export default await callMCPTool('s__echo', { a: 1, list: [2, { b: 'x' }] });",
      ),
      { tools },
    );
    expect(end).toMatchObject({ kind: "value", text: '{"a":1,"list":[2,{"b":"x"}]}' });
    expect(end.calls.map(({ argumentsText }) => argumentsText)).toEqual(['{"a":1,"list":[2,{"b":"x"}]}']);
  });

  test("a value with all kinds of members leaves", async () => {
    const kept =
      "const kept = { list: [1, { a: 2n ** 60n }], m: new Map([['k', new Set([1])]]), u: new Uint8Array([3]) };\n";
    expect(await run(`${kept}${text("export default kept;")}`)).toMatchObject({
      kind: "value",
      text: '{"list":[1,{"a":1152921504606846976}],"m":{"k":[1]},"u":[3]}',
    });
  });

  test("an error keeps its message and its line", async () => {
    const end = await run(text("throw new RangeError('the real one');"));
    expect(end).toMatchObject({ kind: "threw", error: { name: "RangeError", message: "the real one" } });
    expect(end.kind === "threw" && end.error.stack).toMatch(/script\.js:\d+/);
  });

  test("a console line is printed", async () => {
    expect((await run(text("console.log('line', 7);"))).logs).toEqual([{ level: "log", text: "line 7" }]);
  });

  test.skipIf(isAwaitBroken)("the error of a tool keeps its facts", async () => {
    const code =
      "let e; try { await callMCPTool('s__fail'); } catch (x) { e = x; } export default e.message + e.code + (e instanceof MCPToolError);";
    expect(await resultOf(text(code), { tools })).toBe("deniedTOOL_ERRORtrue");
  });

  test.skipIf(isAwaitBroken)("a timer fires", async () => {
    expect(await resultOf(text("export default await new Promise((r) => setTimeout(r, 2, 'fired'));"))).toBe(
      "fired",
    );
  });
});

describe("a mark of ours in a script's hands", () => {
  const stem = "const stem = String(BigInt.prototype.toJSON.call(5n)).slice(0, -1);\n";

  test("makes no JSON that is none", async () => {
    const code = `${stem}export default [1n, stem, stem + 'x], {', stem + '1,"a":2', { [stem + '7']: 1 }];`;
    const end = await run(code);
    expect(end.kind).toBe("value");
    const [one, ...others] = JSON.parse(end.kind === "value" ? end.text : "") as unknown[];
    expect(one).toBe(1);
    expect(others.every((item) => typeof item !== "number")).toBe(true);
  });
});

test("a toJSON that prints JSON and calls a tool does not disturb what is being printed", async () => {
  const code =
    "const inner = { toJSON() { callMCPTool('s__echo', { n: 1 }); return { m: new Map([['k', 2n ** 60n]]), t: JSON.stringify({ b: 3n, m: new Map() }) }; } };\n" +
    "export default await callMCPTool('s__echo', { first: 2n ** 61n, inner, last: 2n ** 62n });";
  expect(await run(code, { tools: echo })).toMatchObject({
    kind: "value",
    text: '{"first":2305843009213693952,"inner":{"m":{"k":1152921504606846976},"t":"{\\"b\\":3,\\"m\\":{}}"},"last":4611686018427387904}',
  });
});

describe("what throws when it is looked at is printed as unreadable, the rest as ever", () => {
  const cases: readonly (readonly [code: string, text: string])[] = [
    ["new Proxy({}, { getPrototypeOf() { throw 1; } })", "[unreadable]"],
    [
      "{ a: 1, b: { get [Symbol.toStringTag]() { throw 1; } }, c: [2] }",
      "{ a: 1, b: [unreadable], c: [ 2 ] }",
    ],
    ["Object.defineProperty(() => 1, 'name', { get() { throw 1; } })", "[unreadable]"],
  ];
  test.each(cases)("%s", async (expression, text) => {
    expect((await run(`console.log(${expression});`)).logs).toEqual([{ level: "log", text }]);
  });
});

test("using closes what it opened", async () => {
  expect(await resultOf("export default [typeof Symbol.dispose, typeof Symbol.asyncDispose];")).toEqual([
    "symbol",
    "symbol",
  ]);
});
