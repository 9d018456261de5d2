import { describe, expect, test } from "vitest";
import type { Json } from "../../src/kernel/json.ts";
import { fitSchema } from "../../src/vendors/fit-schema.ts";
import type { Vendor } from "../../src/vendors/vendor.ts";

const text = { type: "string" };
const of = (properties: Json, more: object = {}): Json => ({ type: "object", properties, ...more }) as Json;

// M13: given, for a vendor, wanted, and a word of what is reported of it
const PLAIN: readonly (readonly [string, Json, Vendor, Json, string | undefined])[] = [
  [
    "what all vendors take stays as it is",
    of({ id: text }, { required: ["id"] }),
    "gemini",
    of({ id: text }, { required: ["id"] }),
    undefined,
  ],
  [
    "the dialect says nothing of the value",
    { ...(of({ id: text }) as object), $schema: "http://json-schema.org/draft-07/schema#" } as Json,
    "anthropic",
    of({ id: text }),
    undefined,
  ],
  [
    "a closed object stays closed, and a field that nothing fits goes",
    of({ a: text, b: false }, { additionalProperties: false }),
    "gemini",
    of({ a: text }, { additionalProperties: false }),
    "b: nothing is valid here, so it is left out",
  ],
  ["no schema at all is an object of anything", true, "openai", of({}), undefined],
  ["a text is no schema", "object", "openai", of({}), "is no schema"],
  [
    "a choice at the top becomes one object, and the description says what belongs together",
    of(
      { video: text, url: text },
      { oneOf: [{ required: ["video"] }, { required: ["url"] }], description: "Analyses." },
    ),
    "anthropic",
    of({ video: text, url: text }, { description: "Analyses. Give exactly one of: (video) or (url)." }),
    "oneOf at the top becomes one object",
  ],
  [
    "arms with fields of their own give their fields, and what all of them need is needed",
    {
      type: "object",
      anyOf: [
        of({ by: { const: "id" }, id: text }, { required: ["by", "id"] }),
        of({ by: { const: "name" }, name: text }, { required: ["by", "name"] }),
      ],
    },
    "openai",
    of(
      { by: { anyOf: [{ const: "id" }, { const: "name" }] }, id: text, name: text },
      {
        description: "Give at least one of: (by, id) or (by, name).",
        required: ["by"],
      },
    ),
    "anyOf at the top becomes one object",
  ],
  [
    "a list without items is a list of anything",
    of({ tags: { type: "array" } }),
    "openai",
    of({ tags: { type: "array", items: {} } }),
    "tags: a list has to say",
  ],
  [
    "draft 4's bounds and draft 7's tuples are written as today",
    of({
      n: { type: "number", minimum: 0, exclusiveMinimum: true },
      at: { type: "array", items: [text, text], additionalItems: false },
    }),
    "anthropic",
    of({
      n: { type: "number", exclusiveMinimum: 0 },
      at: { type: "array", prefixItems: [text, text], items: false },
    }),
    undefined,
  ],
  [
    "a field whose name is refused is told of",
    of({ "a b": text, c: text }, { required: ["a b", "c"] }),
    "anthropic",
    of(
      { c: text },
      {
        required: ["c"],
        additionalProperties: true,
        description: '(also takes "a b": {"type":"string"})',
      },
    ),
    "refuses the names of these fields",
  ],
  [
    "a constraint that Gemini has no word for stands in the description",
    of({ q: { ...text, minLength: 3, pattern: "^a", default: "abc", description: "Words." } }),
    "gemini",
    of({ q: { ...text, description: 'Words. (minLength: 3, pattern: "^a", default: "abc")' } }),
    "q: Gemini has no minLength, pattern, default; the description says it",
  ],
  ["a constant is a list of one", of({ k: { const: "x" } }), "gemini", of({ k: { enum: ["x"] } }), undefined],
  [
    "a reference is put in place for Gemini",
    { ...(of({ a: { $ref: "#/$defs/id" } }) as object), $defs: { id: { ...text, title: "Id" } } } as Json,
    "gemini",
    of({ a: { ...text, title: "Id" } }),
    undefined,
  ],
  [
    "what is required has to be declared for Gemini",
    of({ a: text }, { required: ["a", "ghost"] }),
    "gemini",
    of({ a: text }, { required: ["a"] }),
    "requires ghost without declaring it",
  ],
  [
    "a schema that holds itself is cut where it repeats",
    {
      ...(of({ child: { $ref: "#/$defs/node" } }) as object),
      $defs: { node: of({ name: text, child: { $ref: "#/$defs/node" } }) },
    } as Json,
    "gemini",
    of({ child: of({ name: text, child: { type: "object" } }) }),
    "repeats itself without end",
  ],
  [
    "a reference to nothing means anything",
    of({ a: { $ref: "#/$defs/gone" } }),
    "anthropic",
    of({ a: {} }),
    'refers to "#/$defs/gone"',
  ],
];

describe("arguments in a vendor's words", () => {
  test.each(PLAIN)("%s", (_rule, schema, vendor, want, change) => {
    const fitted = fitSchema(schema, vendor, false);
    expect(fitted.schema).toEqual(want);
    expect(fitted.isStrict).toBe(false);
    if (change === undefined) expect(fitted.changes).toEqual([]);
    else expect(fitted.changes.join("\n")).toContain(change);
  });
});

describe("strict", () => {
  test("for OpenAI: closed, everything required, what may be missing may be null", () => {
    const fitted = fitSchema(
      of(
        { id: text, kind: { enum: ["a", "b"] }, filter: of({ tags: { type: "array", items: text } }) },
        { required: ["id"] },
      ),
      "openai",
      true,
    );
    expect(fitted.isStrict).toBe(true);
    expect(fitted.schema).toEqual({
      type: "object",
      properties: {
        id: text,
        kind: { type: ["string", "null"], enum: ["a", "b", null] },
        filter: {
          type: ["object", "null"],
          properties: { tags: { type: ["array", "null"], items: text } },
          additionalProperties: false,
          required: ["tags"],
        },
      },
      required: ["id", "kind", "filter"],
      additionalProperties: false,
    });
    expect(fitted.changes).toEqual([
      "filter: tags may be null instead of missing",
      "the arguments: kind, filter may be null instead of missing",
    ]);
  });

  test("for Anthropic: closed, and optional fields stay optional", () => {
    const { schema, isStrict } = fitSchema(of({ id: { ...text, minLength: 2 } }), "anthropic", true);
    expect(isStrict).toBe(true);
    expect(schema).toEqual({
      type: "object",
      properties: { id: { ...text, description: "(minLength: 2)" } },
      additionalProperties: false,
    });
  });

  test.each<[string, Json]>([
    ["takes fields of any name", of({ fields: { type: "object", additionalProperties: true } })],
    ["takes fields of any name", of({ fields: { type: "object" } })],
    ["may be anything", of({ value: {} })],
    ["may be anything", of({ list: { type: "array" } })],
  ])("is left out, and the report says why: a part %s", (why, schema) => {
    for (const vendor of ["anthropic", "openai"] as const) {
      const fitted = fitSchema(schema, vendor, true);
      expect(fitted.isStrict).toBe(false);
      expect(fitted.changes[0]).toMatch(/^not strict, since /);
      expect(fitted.changes[0]).toContain(why);
    }
  });

  test("is left out where a bound of the vendor is passed", () => {
    const deep = Array.from({ length: 11 }).reduce<Json>(
      (inner) => of({ inner }, { required: ["inner"] }),
      text,
    );
    expect(fitSchema(deep, "openai", true).changes[0]).toContain("11 levels; OpenAI takes 10");
    const many = of(Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`f${at}`, text])));
    expect(fitSchema(many, "anthropic", true).changes[0]).toContain("25 optional fields; Anthropic takes 24");
    expect(fitSchema(many, "openai", true).isStrict).toBe(true);
  });
});
