import { describe, expect, test } from "vitest";
import type { Json } from "../../src/kernel/json.ts";
import { shapeDifferences } from "../../src/learning/differences.ts";
import { areKeysData, keyKind } from "../../src/learning/field-names.ts";
import { mergeShapes } from "../../src/learning/merge-shapes.ts";
import { settleShape } from "../../src/learning/settle-shape.ts";
import { NOTHING, type Shape } from "../../src/learning/shape.ts";
import { shapeFromJson, shapeToJson } from "../../src/learning/shape-json.ts";
import { shapeOf } from "../../src/learning/shape-of.ts";
import { shapeToSchema } from "../../src/learning/shape-schema.ts";

function learned(values: readonly Json[], enums: readonly string[] = []): Shape {
  return settleShape(values.map((value) => shapeOf(value, new Set(enums))).reduce(mergeShapes, NOTHING));
}

describe("a shape holds types, optionality and nothing else", () => {
  test.each<[string, readonly Json[], Json]>([
    ["scalars", ["a", 1, true, null], "boolean|null|number|string"],
    ["an integer of any length is a number", [9_007_199_254_740_993n], "number"],
    [
      "a field that is missing once may be missing",
      [{ id: 1, name: "a" }, { id: 2 }],
      { id: "number", "name?": "string" },
    ],
    ["a field that is null once", [{ a: 1 }, { a: null }], { a: "null|number" }],
    ["elements of an array are one shape", [[{ a: 1 }, { b: "x" }]], [{ "a?": "number", "b?": "string" }]],
    ["an empty array", [[]], []],
    ["an empty object makes every field optional", [{ a: 1 }, {}], { "a?": "number" }],
    ["a text or an object", ["none", { a: 1 }], { "|": ["string", { a: "number" }] }],
    ["arrays in arrays", [[[1], []]], [["number"]]],
  ])("%s", (_name, values, want) => {
    expect(shapeToJson(learned(values))).toEqual(want);
  });

  test("texts are kept only of a field that the config names, while they are few and short", () => {
    const rows = ["open", "closed", "open"].map((status) => ({ status, owner: "Ada" }));
    expect(shapeToJson(learned([{ rows }], ["rows.status"]))).toEqual({
      rows: [{ owner: "string", status: { "=": ["closed", "open"] } }],
    });
    expect(shapeToJson(learned([{ rows }], ["status"]))).toEqual({
      rows: [{ owner: "string", status: "string" }],
    });
    const many = Array.from({ length: 21 }, (_, index) => ({ status: `s${index}` }));
    expect(shapeToJson(learned(many, ["status"]))).toEqual({ status: "string" });
    expect(shapeToJson(learned([{ status: "x".repeat(65) }], ["status"]))).toEqual({ status: "string" });
  });
});

describe("keys that are data are never kept", () => {
  test.each(
    [
      "id",
      "first_name",
      "content-type",
      "$ref",
      "_links",
      "address2",
      "sha256",
      "名前",
      "@type",
      "createdAt",
      "p95",
    ]
      .map((key) => [key, "plain"] as const)
      .concat([]),
  )("%s is a name", (key, want) => {
    expect(keyKind(key)).toBe(want);
  });
  test.each([
    "ada@example.com",
    "Ada Lovelace",
    "src/main.ts",
    "main.ts",
    "12",
    "2026-11-30",
    "+49 170 1234567",
    "",
    "x".repeat(65),
    "a\u200bb",
    "https://example.com",
    "O'Hara",
    "(none)",
  ])("%j makes its object a map", (key) => {
    expect(keyKind(key)).toBe("foreign");
    expect(shapeToJson(shapeOf({ [key]: 1, name: 2 }))).toEqual({ "*": "number" });
  });
  test.each([
    "user_12345",
    "customfield_10016",
    "24h",
    "a1b2c3",
    "U0AB1CD2E",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
  ])("%s counts as data unless names outnumber it", (key) => {
    expect(keyKind(key)).toBe("numbered");
    expect(shapeToJson(shapeOf({ [key]: 1 }))).toEqual({ "*": "number" });
    expect(shapeToJson(shapeOf({ [key]: 1, name: "a", size: 2 }))).toEqual({
      name: "string",
      size: "number",
      "*": "number",
    });
  });
  test("numbered keys that differ by their digits count once", () => {
    const keys = ["summary", "status", "customfield_10016", "customfield_10017", "customfield_10018"];
    expect(areKeysData(keys, keyKind)).toBe(false);
    expect(areKeysData(["summary", "a1b2c3", "x9y8z7"], keyKind)).toBe(true);
  });

  const counts = (names: string): Json => Object.fromEntries([...names].map((name) => [name, 1]));
  const people = (names: string): Json => Object.fromEntries([...names].map((name) => [name, { age: 1 }]));
  test.each<[string, readonly Json[], Json]>([
    ["five objects with the same fields", [people("abcde")], { "*": { age: "number" } }],
    ["four of them may be a record", [people("ab")], { a: { age: "number" }, b: { age: "number" } }],
    ["seventeen numbers", [counts("abcdefghijklmnopq")], { "*": "number" }],
    ["nine keys that no two answers share", [..."abcdefghi"].map(counts), { "*": "number" }],
    [
      "a record that is once empty stays a record",
      [{ a: 1, b: "x", c: [1], d: true, e: null, f: 1, g: "x", h: 2, i: 3 }, {}],
      {
        "a?": "number",
        "b?": "string",
        "c?": ["number"],
        "d?": "boolean",
        "e?": "null",
        "f?": "number",
        "g?": "string",
        "h?": "number",
        "i?": "number",
      },
    ],
  ])("%s", (_name, values, want) => {
    expect(shapeToJson(learned(values))).toEqual(want);
  });
  test("more than 200 fields are a map, in one answer or over many", () => {
    const name = (index: number): string =>
      `f${String.fromCharCode(97 + (index % 26), 97 + Math.floor(index / 26))}`;
    const wide = (from: number): Json =>
      Object.fromEntries(
        Array.from({ length: 150 }, (_, index) => [name(from + index), index % 2 ? 1 : "x"]),
      );
    expect(shapeToJson(learned([wide(0), wide(100)]))).toEqual({ "*": "number|string" });
  });
});

describe("a shape is bounded", () => {
  test("nothing is known below twelve levels", () => {
    let deep: Json = "x";
    for (let level = 0; level < 10_000; level += 1) deep = [deep];
    expect(JSON.stringify(shapeToJson(learned([deep])))).toBe(`${"[".repeat(12)}"any"${"]".repeat(12)}`);
  });
  test("a shape with more than 600 parts loses its deepest levels first", () => {
    const letters = [..."abcdefghijklmnopqrstuvwxyz"];
    const record = (make: (letter: string) => Json): Json =>
      Object.fromEntries(letters.map((letter) => [letter, make(letter)]));
    const shape = learned([
      record((outer) => ({ [outer]: record((inner) => ({ [`${outer}${inner}`]: 1 })) })),
    ]);
    const json = JSON.stringify(shapeToJson(shape));
    expect(json.length).toBeLessThan(20_000);
    expect(json).toContain("any");
  });
});

test.each<[string, Json]>([
  ["an unknown type", "integer"],
  ["two element shapes", ["number", "string"]],
  ["a key that is data", { "ada@example.com": "number" }],
  ["a field that stands twice", { a: "number", "a?": "number" }],
  ["two arrays in a union", { "|": [["number"], ["string"]] }],
  ["texts beside the type string", { "|": ["string", { "=": ["a"] }] }],
  ["a number", 1],
  ["null", null],
  ["texts that are none", { "=": [1] }],
  ["more beside texts", { "=": ["a"], b: "number" }],
  ["a nested fault", { a: [{ b: "nope" }] }],
])("what was never written is not read: %s", (_name, json) => {
  expect(shapeFromJson(json)).toBeUndefined();
});

test.each<[string, readonly Json[], Json]>([
  [
    "an object",
    [{ a: 1 }, { a: null, b: [] }],
    {
      type: "object",
      properties: { a: { anyOf: [{ type: "number" }, { type: "null" }] }, b: { type: "array", items: true } },
      required: ["a"],
    },
  ],
  ["a map", [{ "1": "x" }], { type: "object", additionalProperties: { type: "string" } }],
  ["an object of which nothing is known", [{}], { type: "object", additionalProperties: true }],
])("the JSON Schema of a shape: %s", (_name, values, want) => {
  expect(shapeToSchema(learned(values))).toEqual(want);
});

test.each<[string, Json, Json, readonly string[]]>([
  ["another type", { id: 1 }, { id: "a" }, ["id may be a string"]],
  ["a new field", { rows: [{ a: 1 }] }, { rows: [{ a: 1, b: 2 }] }, ["rows[].b is new"]],
  ["a field that is gone", { a: 1, b: 2 }, { a: 1 }, ["b may be missing"]],
  ["another kind of value", { a: 1 }, "none", ["the value may be a string"]],
  ["keys that vary", { a: { x: 1 } }, { a: { "1": 1 } }, ["a has varying keys"]],
  ["what was never seen is no contradiction", { rows: [] }, { rows: [1] }, []],
  [
    "more than three",
    { a: 1, b: 1, c: 1, d: 1, e: 1 },
    {},
    ["a may be missing", "b may be missing", "c may be missing", "2 more"],
  ],
])("a contradiction in words: %s", (_name, before, next, want) => {
  const known = learned([before]);
  expect(shapeDifferences(known, mergeShapes(known, shapeOf(next)))).toEqual(want);
});
