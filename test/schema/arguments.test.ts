import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { fillDefaults } from "../../src/schema/fill-defaults.ts";
import { createStrictValidator, createValidator } from "../../src/schema/validator.ts";

const faults = (schema: Json, value: Json): readonly string[] =>
  createValidator().judge("key", schema, value).faults;
const property = (schema: Json): Json => ({ type: "object", properties: { v: schema } });

// M22
describe("a fault names the path, what was expected, and the nearest valid key or value", () => {
  const level = property({ enum: ["error", "warn", "info"] });
  const closed = {
    type: "object",
    properties: { document_id: { type: "string" } },
    required: ["document_id"],
    additionalProperties: false,
  };
  test.each<[string, Json, Json, readonly string[]]>([
    [
      "a misspelled value",
      level,
      { v: "eror" },
      ['v must be one of "error", "warn", "info", got "eror"; did you mean "error"?'],
    ],
    ["another value", level, { v: 7 }, ['v must be one of "error", "warn", "info", got 7.']],
    [
      "a misspelled key",
      closed,
      { documentId: "x" },
      [
        "document_id is required; is documentId meant for it?",
        "documentId is not known; did you mean document_id?",
      ],
    ],
    [
      "a misspelled key where others are allowed",
      { ...closed, additionalProperties: true },
      { documentId: "x" },
      ["document_id is required; is documentId meant for it?"],
    ],
    [
      "a key that is like none",
      closed,
      { document_id: "x", zzzz: 1 },
      ["zzzz is not known; known are document_id."],
    ],
    [
      "a place deep inside",
      property({ type: "array", items: { type: "object", properties: { Email: { type: "string" } } } }),
      { v: [{}, { Email: 4 }] },
      ["v[1].Email must be string, got 4."],
    ],
  ])("%s", (_name, schema, value, want) => {
    expect(faults(schema, value)).toEqual(want);
  });
});

describe("of a union the faults of the branch that was meant are told", () => {
  const tagged = property({
    oneOf: [
      {
        type: "object",
        properties: { kind: { const: "a" }, x: { type: "number" } },
        required: ["kind", "x"],
      },
      {
        type: "object",
        properties: { kind: { const: "b" }, y: { type: "string" } },
        required: ["kind", "y"],
      },
    ],
  });
  test.each<[string, Json, Json, readonly string[]]>([
    ["by its tag", tagged, { v: { kind: "b", y: 3 } }, ["v.y must be string, got 3."]],
    [
      "by its kind",
      property({ anyOf: [{ type: "null" }, { type: "array", items: { type: "integer" } }] }),
      { v: [1, "2"] },
      ['v[1] must be integer, got "2".'],
    ],
    [
      "types as one sentence",
      property({ anyOf: [{ type: "string" }, { type: "null" }] }),
      { v: 4 },
      ["v must be string or null, got 4."],
    ],
    [
      "values as one sentence",
      property({ oneOf: [{ const: "asc" }, { const: "desc" }] }),
      { v: "ascending" },
      ['v must be one of "asc", "desc", got "ascending"; did you mean "asc"?'],
    ],
    [
      "a union inside a union",
      property({ anyOf: [{ type: "null" }, { anyOf: [{ const: 1 }, { enum: [2, 3] }] }] }),
      { v: 4 },
      ["v must be one of 1, 2, 3, got 4."],
    ],
  ])("%s", (_name, schema, value, want) => {
    expect(faults(schema, value)).toEqual(want);
  });

  test("ten thousand wrong rows of a union are told in no time", () => {
    const rows = property({ type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } });
    const started = performance.now();
    expect(faults(rows, { v: Array.from({ length: 10_000 }, () => 1) })[0]).toBe(
      "v[0] must be string or null, got 1.",
    );
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("defaults fill what the caller left out, and nothing else", () => {
  const withDefault = (fallback: Json): Json => ({
    type: "object",
    properties: { v: { default: fallback } },
  });
  test.each<[string, Json, JsonObject, Json]>([
    ["a missing property", withDefault(10), {}, { v: 10 }],
    ["not one that is there", withDefault(10), { v: 1 }, { v: 1 }],
    ["not one that is null", withDefault(10), { v: null }, { v: null }],
    ["false and null are defaults", withDefault(null), {}, { v: null }],
    [
      "inside of an object that is there",
      { properties: { o: { type: "object", properties: { v: { default: 1 } } } } },
      { o: {} },
      { o: { v: 1 } },
    ],
    [
      "no object is made for the sake of its defaults",
      { properties: { o: { type: "object", properties: { v: { default: 1 } } } } },
      {},
      {},
    ],
    [
      "in items of a list",
      { properties: { l: { items: { properties: { v: { default: 1 } } } } } },
      { l: [{}, { v: 2 }, 3] },
      { l: [{ v: 1 }, { v: 2 }, 3] },
    ],
    [
      "behind references of the schema",
      { properties: { o: { $ref: "#/$defs/o" } }, $defs: { o: { properties: { v: { default: 1 } } } } },
      { o: {} },
      { o: { v: 1 } },
    ],
    ["behind one that is none of ours", { properties: { v: { $ref: "https://example.com/v" } } }, {}, {}],
    ["a schema that is itself", { $ref: "#" }, {}, {}],
    ["a default that goes round in circles", { properties: { v: { $ref: "#/properties/v" } } }, {}, {}],
    ["not in branches of a union", { anyOf: [{ properties: { v: { default: 1 } } }] }, {}, {}],
    ["no schema", true, { a: 1 }, { a: 1 }],
  ])("%s", (_name, schema, args, want) => {
    const given = structuredClone(args);
    expect(fillDefaults(schema, args)).toEqual(want);
    expect(args).toEqual(given);
  });

  test("a property named __proto__ stays a property", () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"default":{"evil":true}},"a":{"default":1}}}',
    ) as Json;
    const filled = fillDefaults(schema, {});
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
    expect(Object.keys(filled)).toEqual(["__proto__", "a"]);
    expect(({} as { evil?: boolean }).evil).toBeUndefined();
  });
});

test("a strict validator never lets a value fit a schema that it cannot judge by", () => {
  const { judge } = createStrictValidator();
  for (const schema of [
    { maxium: 1 },
    { properties: { a: { format: "email" } } },
    { pattern: `${"(a|b)*".repeat(9)}$` },
  ])
    expect(judge(JSON.stringify(schema), schema, "a").unusable, JSON.stringify(schema)).toBeDefined();
  expect(judge("fits", { type: "string", pattern: "^a" }, "abc")).toEqual({
    faults: [],
    unusable: undefined,
  });
});
