import fc from "fast-check";
import { expect, test } from "vitest";
import { digestJson } from "../../src/kernel/digest.ts";
import { isSameJson, own, parseJson, stableJson, stringifyJson } from "../../src/kernel/json.ts";

test.each([
  ["9007199254740993", 9007199254740993n],
  ["-9007199254740993", -9007199254740993n],
  ["9007199254740991", 9007199254740991],
  ["[9007199254740991,9007199254740993]", [9007199254740991, 9007199254740993n]],
  ["[9007199254740991,19007199254740991]", [9007199254740991, 19007199254740991n]],
  ["90071992547409910", 90071992547409910n],
  ["12345678901234567.5", Number("12345678901234567.5")],
  ["12345678901234567e2", Number("12345678901234567e2")],
  ['"9007199254740993"', "9007199254740993"],
  ['{"9007199254740993":1}', { "9007199254740993": 1 }],
  ['["\\\\",12345678901234567890]', ["\\", 12345678901234567890n]],
  ['["a\\"1234567890123456789",12345678901234567890]', ['a"1234567890123456789', 12345678901234567890n]],
])("an integer beyond 2^53 keeps its digits, and nothing else changes: %s", (text, want) => {
  expect(parseJson(text)).toEqual(want);
});

test.each([
  '["\\u00010:77",12345678901234567890]',
  '["\\u0001\\u0030:hi",12345678901234567890]',
  '{"\\u00010:5":12345678901234567890,"a":"\\"\\u00010:5"}',
  '{"\\u00011:5":"\\u00010:5","id":12345678901234567890}',
])("text that looks like a marked integer stays text: %s", (text) => {
  const value = parseJson(text);
  expect(stringifyJson(parseJson(stringifyJson(value)))).toBe(stringifyJson(value));
  const plain = JSON.parse(text.replace("12345678901234567890", "0"));
  expect(JSON.parse(stringifyJson(value).replace("12345678901234567890", "0"))).toEqual(plain);
});

test("a string of 16 MB beside a long integer is parsed: no pattern overflows its stack on it", () => {
  const text = `{"id":12345678901234567890,"text":${JSON.stringify('x\\"'.repeat(5_000_000))}}`;
  expect(own(parseJson(text), "id")).toBe(12345678901234567890n);
});

test.each(["0012345678901234567", "[12345678901234567890", '"1234567890123456', "{12345678901234567890:1}"])(
  "what is no JSON is refused also where long digits stand: %s",
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  },
);

test("what was parsed prints and parses to the same value", () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 0, -1.5),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }),
      fc.string({ unit: "binary" }),
      fc.constantFrom("\u00010:5", "\u00011:", '"\u00010:5', "12345678901234567890"),
      fc.array(tie("value")),
      fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__"), fc.constant("\u00010:5")), tie("value")),
    ),
  })).value;
  fc.assert(
    fc.property(value, (item) => {
      expect(stableJson(parseJson(stringifyJson(item)))).toBe(stableJson(item));
      expect(stableJson(parseJson(stableJson(item)))).toBe(stableJson(item));
    }),
  );
});

test("the order of keys changes neither the stable text nor the digest", () => {
  expect(stableJson({ b: [1, { d: 1, c: 2n }], a: undefined })).toBe('{"b":[1,{"c":2,"d":1}]}');
  expect(digestJson({ a: 1, b: 2 })).toBe(digestJson({ b: 2, a: 1 }));
});

test("inherited properties are not found, an own __proto__ is", () => {
  expect(own({}, "constructor")).toBeUndefined();
  expect(own(parseJson('{"__proto__":1}'), "__proto__")).toBe(1);
  expect(stableJson(parseJson('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
});

test("two values are the same JSON exactly when they print the same, whatever the order of their keys", () => {
  const value = fc.jsonValue().map((json) => parseJson(JSON.stringify(json)));
  const shuffled = (json: unknown): unknown => {
    if (Array.isArray(json)) return json.map(shuffled);
    if (typeof json !== "object" || json === null) return json;
    return Object.fromEntries(
      Object.entries(json)
        .toReversed()
        .map(([key, item]) => [key, shuffled(item)]),
    );
  };
  fc.assert(
    fc.property(value, value, (one, two) => {
      expect(isSameJson(one, two)).toBe(stableJson(one) === stableJson(two));
      expect(isSameJson(one, shuffled(one))).toBe(true);
    }),
    { seed: 20261130, numRuns: 2_000 },
  );
  expect(isSameJson({ a: 1, b: undefined }, { a: 1 })).toBe(true);
  expect(isSameJson({ a: undefined }, { b: undefined })).toBe(true);
  expect(isSameJson({ constructor: 1 }, { other: 1 })).toBe(false);
  expect(isSameJson([1], { 0: 1 })).toBe(false);
  expect(isSameJson(12345678901234567890n, 12345678901234567890n)).toBe(true);
});
