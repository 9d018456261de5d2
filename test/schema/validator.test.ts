import { describe, expect, test } from "vitest";
import type { Json } from "../../src/kernel/json.ts";
import { createValidator } from "../../src/schema/validator.ts";

function faults(schema: Json, value: Json): readonly string[] {
  return createValidator().judge("a tool's input", schema, value).faults;
}

// M22
describe("a fault says the path, what was expected and what stands there", () => {
  const person = {
    type: "object",
    properties: {
      name: { type: "string" },
      role: { enum: ["admin", "guest"] },
      tags: { type: "array", items: { type: "integer" } },
    },
    required: ["name"],
    additionalProperties: false,
  };
  test.each<[string, Json, Json, readonly string[]]>([
    ["a missing key", person, {}, ["name is required."]],
    ["a key that is nearly right", person, { name: "x", tag: [] }, ["tag is not known; did you mean tags?"]],
    [
      "a key that is nothing like it",
      person,
      { name: "x", zzz: 1 },
      ["zzz is not known; known are name, role, tags."],
    ],
    [
      "a value outside an enum",
      person,
      { name: "x", role: "root" },
      ['role must be one of "admin", "guest", got "root".'],
    ],
    [
      "a wrong type inside an array",
      person,
      { name: "x", tags: [1, "2"] },
      ['tags[1] must be integer, got "2".'],
    ],
    ["a wrong type", person, { name: { first: "x" } }, ["name must be string, got an object."]],
    [
      "a broken range",
      { type: "object", properties: { n: { maximum: 3 } } },
      { n: 4 },
      ["n must be <= 3, got 4."],
    ],
    ["a wrong constant", { properties: { k: { const: "b" } } }, { k: "a" }, ['k must be "b", got "a".']],
    ["a value that fits", person, { name: "x", role: "guest" }, []],
  ])("%s", (_name, schema, value, want) => {
    expect(faults(schema, value)).toEqual(want);
  });
});

describe("every dialect a server may name is judged by its own rules", () => {
  test.each<[string, Json, Json, number]>([
    ["2020-12 tuples where nothing is named", { prefixItems: [{ type: "number" }], items: false }, ["x"], 1],
    [
      "2020-12 by name",
      { $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [{ type: "number" }] },
      ["x"],
      1,
    ],
    [
      "draft-07 tuples",
      { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "number" }] },
      ["x"],
      1,
    ],
    [
      "draft-04 is judged as draft-07",
      { $schema: "http://json-schema.org/draft-04/schema#", type: "object", required: ["a"] },
      {},
      1,
    ],
    [
      "2019-09",
      { $schema: "https://json-schema.org/draft/2019-09/schema", dependentRequired: { a: ["b"] } },
      { a: 1 },
      1,
    ],
    [
      "an unknown dialect is taken as 2020-12",
      { $schema: "urn:none", type: "object", required: ["a"] },
      {},
      1,
    ],
  ])("%s", (_name, schema, value, want) => {
    expect(faults(schema, value)).toHaveLength(want);
  });
});

describe("a schema that cannot be used refuses nothing, and says why", () => {
  test.each<[string, Json]>([
    ["a reference to nowhere", { $ref: "#/$defs/none" }],
    ["a reference to the network", { $ref: "http://127.0.0.1:9/schema.json" }],
    ["a reference to a file", { $ref: "file:///etc/passwd" }],
    ["an unknown type", { type: "int" }],
    ["a pattern that is no pattern", { type: "string", pattern: "(" }],
  ])("%s", (_name, schema) => {
    const verdict = createValidator().judge("k", schema, "anything");
    expect(verdict.faults).toEqual([]);
    expect(verdict.unusable).toBeTypeOf("string");
  });

  test.each<[string, Json]>([
    ["null", null],
    ["text", "string"],
    ["an array", []],
    ["true", true],
  ])("%s in place of a schema allows everything", (_name, schema) => {
    expect(faults(schema, { a: 1 })).toEqual([]);
  });
});

test.each([
  ["^(a+)+$", `${"a".repeat(60)}!`],
  [`${".*".repeat(8)}~`, "a".repeat(2_000)],
  [`${"a?".repeat(40)}~`, "a".repeat(40)],
  [`${"(|)".repeat(60)}~`, "a"],
  [`(?:${"(?:a|a)"}{30})~`, "a".repeat(30)],
])("a text that a pattern cannot be tried on in time counts as matching: %s", (pattern, text) => {
  expect(faults({ type: "string", pattern }, text)).toEqual([]);
});

test.each([
  ["^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$", "not a host"],
  ["^(todo|done)(,(todo|done))*$", "todo;done"],
])("a pattern that could take long is tried all the same where it does not: %s", (pattern, text) => {
  expect(faults({ type: "string", pattern }, text)).not.toEqual([]);
});

test("an integer beyond 2^53 is an integer", () => {
  expect(
    faults({ type: "object", properties: { id: { type: "integer" } } }, { id: 7795506888185572399n }),
  ).toEqual([]);
  expect(
    faults({ type: "object", properties: { id: { type: "string" } } }, { id: 7795506888185572399n }),
  ).toEqual(["id must be string, got 7795506888185572399."]);
});

test("a revision of a schema with the same $id is judged anew", () => {
  const validator = createValidator();
  const first = { $id: "https://example.com/s", type: "object", required: ["a"] };
  const second = { $id: "https://example.com/s", type: "object", required: ["b"] };
  expect(validator.judge("first", first, { b: 1 }).faults).toEqual(["a is required."]);
  expect(validator.judge("second", second, { b: 1 }).faults).toEqual([]);
});

test("keys named like members of Object.prototype are keys", () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"additionalProperties":false}',
  ) as Json;
  expect(faults(schema, JSON.parse('{"__proto__":"x","constructor":1}') as Json)).toEqual([]);
  expect(
    faults({ type: "object", properties: {}, additionalProperties: false }, {
      toString: 1,
    } as unknown as Json),
  ).toEqual(["toString is not known."]);
});

test("of a value with very many faults the first is told, whatever they are", () => {
  const schema = { type: "object", properties: { name: { type: "string" } }, additionalProperties: false };
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_none, at) => [`key${at}`, at]));
  const rows = Array.from({ length: 50_000 }, () => "x");
  expect(faults(schema, many)).toEqual(["key0 is not known; known are name."]);
  expect(faults({ ...schema, required: ["name"] }, many)).toHaveLength(1);
  expect(faults({ type: "array", items: { type: "integer" } }, rows)).toEqual([
    '[0] must be integer, got "x".',
  ]);
  expect(faults({ type: "array", items: { type: "string" } }, rows)).toEqual([]);
});
