import type { TypeCase } from "./compile.ts";

const field = (schema: unknown, more: object = {}): object => ({
  type: "object",
  properties: { v: schema },
  required: ["v"],
  ...more,
});
const point = { type: "object", properties: { x: { type: "number" } }, required: ["x"] };

/** Rules of the mapping from JSON Schema to TypeScript; each is compiled with `tsc` and tried with literals. */
export const TYPE_CASES: readonly TypeCase[] = [
  {
    rule: "a required field is required, an optional one is not, an unknown one is refused",
    schema: {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "integer" } },
      required: ["a"],
    },
    takes: ['{ a: "x" }', '{ a: "x", b: 1 }'],
    refuses: ["{}", "{ a: 1 }", '{ a: "x", b: "1" }', '{ a: "x", c: 1 }'],
  },
  {
    rule: "a title never names a type, at any depth",
    schema: {
      title: "Promise",
      type: "object",
      properties: { a: { title: "Array", type: "array", items: { title: "string", type: "number" } } },
    },
    takes: ["{ a: [1] }"],
    refuses: ['{ a: ["x"] }'],
  },
  {
    rule: "tsType, tsEnumNames and extends of a server are ignored",
    schema: field({
      type: "string",
      tsType: "any; process.exit(1)",
      tsEnumNames: ["A"],
      extends: { $ref: "#" },
      enum: ["a"],
    }),
    takes: ['{ v: "a" }'],
    refuses: ['{ v: "b" }', "{ v: 1 }"],
  },
  {
    rule: "names such as __proto__, constructor and hasOwnProperty are fields like any other",
    schema: JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"},"hasOwnProperty":{"type":"number"}},"required":["__proto__"]}',
    ),
    takes: ['{ ["__proto__"]: "x", constructor: 1, hasOwnProperty: 2 }'],
    refuses: ['{ ["__proto__"]: 1 }', "{ constructor: 1 }"],
  },
  {
    rule: "odd names are quoted and stay what they are",
    schema: {
      type: "object",
      properties: {
        "a]: any; [k": { type: "number" },
        "*/": { type: "number" },
        "": { type: "number" },
        日本: { type: "number" },
        "x\u2028y": { type: "number" },
        "\u202e": { type: "number" },
      },
      required: ["a]: any; [k", "\u202e"],
    },
    takes: ['{ "a]: any; [k": 1, "*/": 2, "": 3, "日本": 4, "x\\u2028y": 5, "\\u202e": 6 }'],
    refuses: ['{ "a]: any; [k": "x", "\\u202e": 6 }', '{ "a]: any; [k": 1 }'],
  },
  {
    rule: "groups of required keys keep the fields' types and demand one of them",
    schema: {
      type: "object",
      properties: { email: { type: "string" }, phone: { type: "string" } },
      anyOf: [{ required: ["email"] }, { required: ["phone"] }],
      additionalProperties: false,
    },
    takes: ['{ email: "a" }', '{ phone: "b" }', '{ email: "a", phone: "b" }'],
    refuses: ["{}", "{ email: 1 }", '{ email: "a", fax: "b" }'],
  },
  {
    rule: "bounds of arrays do not become tuples",
    schema: field({
      type: "array",
      minItems: 1,
      maxItems: 20,
      items: { type: "array", minItems: 1, maxItems: 20, items: { type: "string" } },
    }),
    takes: ['{ v: [["a"], ["b", "c"]] }', '{ v: [["a"]].map((row) => row) }'],
    refuses: ["{ v: [[1]] }", '{ v: ["a"] }'],
  },
  {
    rule: "definitions recurse",
    schema: {
      ...field({ $ref: "#/$defs/Node" }),
      $defs: {
        Node: {
          type: "object",
          properties: { name: { type: "string" }, kids: { type: "array", items: { $ref: "#/$defs/Node" } } },
          required: ["name"],
        },
      },
    },
    takes: ['{ v: { name: "a", kids: [{ name: "b", kids: [] }] } }'],
    refuses: ["{ v: {} }", '{ v: { name: "a", kids: [{}] } }'],
  },
  {
    rule: "the root may recurse",
    schema: {
      type: "object",
      properties: { kids: { type: "array", items: { $ref: "#" } }, n: { type: "number" } },
    },
    takes: ["{ kids: [{ n: 1, kids: [] }] }"],
    refuses: ['{ kids: [{ n: "1" }] }'],
  },
  {
    rule: "definitions that refer to each other",
    schema: {
      ...field({ $ref: "#/definitions/a" }),
      definitions: {
        a: { type: "object", properties: { b: { $ref: "#/definitions/b" } } },
        b: { anyOf: [{ type: "null" }, { $ref: "#/definitions/a" }] },
      },
    },
    takes: ["{ v: { b: { b: null } } }"],
    refuses: ["{ v: { b: 1 } }"],
  },
  {
    rule: "a pointer may lead anywhere in the document, with escapes",
    schema: {
      type: "object",
      properties: {
        "a/b": {
          type: "object",
          properties: { "c~d": { type: "object", properties: { n: { type: "number" } } } },
        },
        e: { $ref: "#/properties/a~1b/properties/c~0d" },
        f: { type: "array", items: { $ref: "#/properties/e" } },
        g: { $ref: "#/properties/a%7E1b" },
      },
    },
    takes: ['{ e: { n: 1 }, f: [{ n: 2 }], g: { "c~d": { n: 3 } } }'],
    refuses: ['{ e: { n: "1" } }', "{ f: [{ m: 2 }] }"],
  },
  {
    rule: "anchors and ids inside the document are followed",
    schema: {
      $id: "https://example.com/root.json",
      type: "object",
      properties: {
        c: { $ref: "#addr" },
        d: { $ref: "part.json" },
        e: { $ref: "https://example.com/part.json#/properties/y" },
      },
      $defs: {
        x: { $anchor: "addr", type: "object", properties: { z: { type: "string" } } },
        y: { $id: "https://example.com/part.json", type: "object", properties: { y: { type: "number" } } },
      },
    },
    takes: ['{ c: { z: "a" }, d: { y: 1 }, e: 2 }'],
    refuses: ["{ c: { z: 1 } }", '{ d: { y: "1" } }', '{ e: "2" }'],
  },
  {
    rule: "a dynamic reference leads to its anchor",
    schema: {
      $dynamicAnchor: "node",
      type: "object",
      properties: { self: { $dynamicRef: "#node" }, n: { type: "number" } },
    },
    takes: ["{ self: { self: { n: 1 } } }"],
    refuses: ['{ self: { n: "1" } }'],
  },
  {
    rule: "words beside a reference neither lose the reference nor copy its type",
    schema: {
      type: "object",
      properties: {
        a: { $ref: "#/$defs/Pt" },
        b: { $ref: "#/$defs/Pt", description: "second corner" },
        c: { $ref: "#/$defs/Pt", default: { x: 0 }, minProperties: 1 },
      },
      $defs: { Pt: point },
    },
    takes: ["{ a: { x: 1 }, b: { x: 2 }, c: { x: 3 } }"],
    refuses: ["{ a: {} }", "{ b: {} }", "{ c: { y: 1 } }"],
  },
  {
    rule: "structure beside a reference adds to it",
    schema: {
      ...field({ $ref: "#/$defs/Pt", properties: { y: { type: "number" } }, required: ["y"] }),
      $defs: { Pt: point },
    },
    takes: ["{ v: { x: 1, y: 2 } }"],
    refuses: ["{ v: { x: 1 } }", "{ v: { y: 1 } }", "{ v: { x: 1, y: 2, z: 3 } }"],
  },
  {
    rule: "a closed tuple by prefixItems",
    schema: field({
      type: "array",
      prefixItems: [{ type: "number" }, { type: "string" }],
      items: false,
      minItems: 2,
    }),
    takes: ['{ v: [1, "x"] }'],
    refuses: ["{ v: [1] }", '{ v: ["x", 1] }', '{ v: [1, "x", 2] }'],
  },
  {
    rule: "an open tuple, whose items may be left out from the end",
    schema: field({
      type: "array",
      prefixItems: [{ type: "number" }, { type: ["string", "null"] }],
      items: { type: "boolean" },
    }),
    takes: ["{ v: [] }", "{ v: [1] }", "{ v: [1, null] }", '{ v: [1, "x", true, false] }'],
    refuses: ['{ v: ["x"] }', '{ v: [1, "x", 2] }'],
  },
  {
    rule: "a tuple as draft 7 writes it",
    schema: field({ type: "array", items: [{ type: "number" }, point], additionalItems: false, minItems: 1 }),
    takes: ["{ v: [1] }", "{ v: [1, { x: 2 }] }"],
    refuses: ["{ v: [] }", "{ v: [1, {}] }", "{ v: [1, { x: 2 }, 3] }"],
  },
  {
    rule: "nullable and lists of types",
    schema: {
      type: "object",
      properties: {
        a: { type: "string", nullable: true },
        b: { type: ["integer", "null"] },
        c: { type: ["string", "array"], items: { type: "number" } },
      },
    },
    takes: ["{ a: null, b: null, c: [1] }", '{ a: "x", b: 1, c: "y" }'],
    refuses: ["{ a: 1 }", '{ b: "1" }', '{ c: ["x"] }'],
  },
  {
    rule: "enums of any value, and const",
    schema: {
      type: "object",
      properties: {
        a: { enum: ['"', "\\", "a\nb", "\u0024{x}", "`", null, 1, -0.5, 1e21, true] },
        b: { const: { k: [1, "x"] } },
        c: { const: "only" },
        d: { type: "string", enum: ["s", 1, null] },
      },
    },
    takes: [
      "{ a: '\"' }",
      '{ a: "a\\nb" }',
      '{ a: "\u0024{x}" }',
      "{ a: null }",
      "{ a: -0.5 }",
      "{ a: 1e21 }",
      '{ b: { k: [1, "x"] } }',
      '{ c: "only", d: "s" }',
    ],
    refuses: ['{ a: "b" }', "{ a: 2 }", "{ b: { k: [2] } }", '{ c: "other" }', "{ d: 1 }"],
  },
  {
    rule: "an invalid piece costs only itself: empty enum, unknown type, no schema, a required name that is not declared",
    schema: {
      type: "object",
      properties: {
        a: { type: "string", enum: [] },
        n: { type: "int" },
        q: null,
        r: "string",
        s: [],
        t: { type: [] },
        u: { $ref: 3 },
      },
      required: ["n", "fistName"],
    },
    takes: ['{ a: "x", n: 1, fistName: 2, q: {}, r: 1, s: [], t: null, u: "u" }'],
    refuses: ["{ n: 1 }", "{ fistName: 1 }", "{ a: 1, n: 1, fistName: 1 }"],
  },
  {
    rule: "references to nowhere, and such as only lead to one another, are unknown",
    schema: {
      type: "object",
      properties: {
        a: { $ref: "#/$defs/A" },
        b: { $ref: "#/nowhere" },
        c: { $ref: "other.json" },
        d: { $ref: "#/properties/d" },
        e: { type: "boolean" },
      },
      $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } },
    },
    takes: ['{ a: 1, b: "x", c: null, d: [], e: true }'],
    refuses: ["{ e: 1 }", "{ f: 1 }"],
  },
  {
    rule: "a union that holds itself is the rest of it",
    schema: {
      ...field({ $ref: "#/$defs/J" }),
      $defs: {
        J: {
          anyOf: [
            { type: "string" },
            { type: "array", items: { $ref: "#/$defs/J" } },
            { type: "object", additionalProperties: { $ref: "#/$defs/J" } },
          ],
        },
      },
    },
    takes: ['{ v: ["a", { b: ["c"] }] }'],
    refuses: ["{ v: 1 }", "{ v: [1] }", "{ v: { b: 1 } }"],
  },
  {
    rule: "a discriminated union",
    schema: field({
      oneOf: [
        {
          type: "object",
          properties: { kind: { const: "a" }, x: { type: "number" } },
          required: ["kind", "x"],
        },
        { type: "object", properties: { kind: { const: "b" }, y: { type: "number" } }, required: ["kind"] },
      ],
    }),
    takes: ['{ v: { kind: "a", x: 1 } }', '{ v: { kind: "b" } }'],
    refuses: ['{ v: { kind: "a" } }', '{ v: { kind: "c" } }', '{ v: { kind: "b", x: 1 } }'],
  },
  {
    rule: "fields beside a union hold for every arm",
    schema: {
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
      oneOf: [
        { properties: { a: { type: "number" } }, required: ["a"] },
        { properties: { b: { type: "number" } }, required: ["b"] },
      ],
    },
    takes: ['{ id: "i", a: 1 }', '{ id: "i", b: 1 }'],
    refuses: ['{ id: "i" }', "{ a: 1 }", '{ id: "i", a: "1" }', '{ id: "i", a: 1, c: 1 }'],
  },
  {
    rule: "parts of allOf all hold, references among them",
    schema: {
      ...field({
        allOf: [
          { $ref: "#/$defs/A" },
          { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
        ],
      }),
      $defs: {
        A: {
          type: "object",
          properties: { id: { type: "string" } },
          required: ["id"],
          additionalProperties: false,
        },
      },
    },
    takes: ['{ v: { id: "a", n: 1 } }'],
    refuses: ['{ v: { id: "a" } }', "{ v: { n: 1 } }", '{ v: { id: "a", n: 1, m: 1 } }'],
  },
  {
    rule: "a contradiction costs only its field",
    schema: {
      type: "object",
      properties: { msg: { const: "B" }, p: { type: "number" } },
      allOf: [{ properties: { msg: { const: "A" } } }],
    },
    takes: ["{ p: 1 }"],
    refuses: ['{ msg: "A" }', '{ p: "1" }'],
  },
  {
    rule: "a value type beside anyOf narrows it",
    schema: field({ type: "string", anyOf: [{ format: "email" }, { const: "me" }, { enum: ["you", 3] }] }),
    takes: ['{ v: "anything" }'],
    refuses: ["{ v: 3 }"],
  },
  {
    rule: "known values beside their type do not narrow it",
    schema: field({ anyOf: [{ enum: ["small", "large"] }, { type: "string" }] }),
    takes: ['{ v: "small" }', '{ v: "other" }'],
    refuses: ["{ v: 1 }"],
  },
  {
    rule: "additionalProperties: open, typed, closed, silent",
    schema: {
      type: "object",
      properties: {
        open: { type: "object", properties: { a: { type: "string" } }, additionalProperties: true },
        typed: { type: "object", additionalProperties: { type: "number" } },
        mixed: {
          type: "object",
          properties: { a: { type: "string" } },
          additionalProperties: { type: "number" },
        },
        closed: { type: "object", properties: {}, additionalProperties: false },
        free: { type: "object" },
        nested: { type: "object", properties: { a: point }, additionalProperties: { type: "number" } },
      },
    },
    takes: [
      '{ open: { a: "x", b: 1 } }',
      "{ typed: { a: 1 } }",
      '{ mixed: { a: "x", b: 1 } }',
      "{ closed: {} }",
      '{ free: { a: 1, b: "x" } }',
      "{ nested: { a: { x: 1 }, b: 2 } }",
    ],
    refuses: [
      "{ open: { a: 1 } }",
      '{ typed: { a: "x" } }',
      "{ mixed: { a: 1 } }",
      "{ mixed: { b: true } }",
      "{ closed: { a: 1 } }",
      "{ free: [1] }",
      '{ free: "x" }',
      "{ nested: { a: {} } }",
      "{ other: 1 }",
    ],
  },
  {
    rule: "patterns of keys",
    schema: {
      type: "object",
      properties: {
        a: { type: "object", patternProperties: { "^x-": { type: "number" } }, additionalProperties: false },
        b: {
          type: "object",
          patternProperties: { "^[a-z]+$": { type: "number" }, "^[A-Z]+$": { type: "string" } },
        },
        c: {
          type: "object",
          properties: { n: { type: "string" } },
          patternProperties: { "^x-": { type: "number" } },
          additionalProperties: false,
        },
      },
    },
    takes: ['{ a: { "x-1": 1 } }', '{ b: { a: 1, A: "x" } }', '{ c: { n: "s", "x-y": 2 } }'],
    refuses: [
      '{ a: { "x-1": "s" } }',
      "{ a: { y: 1 } }",
      "{ b: { a: true } }",
      '{ c: { "x-y": "s" } }',
      "{ c: { m: 1 } }",
    ],
  },
  {
    rule: "a closed list of key names",
    schema: {
      type: "object",
      properties: {
        some: {
          type: "object",
          propertyNames: { enum: ["a", "b-c"] },
          additionalProperties: { type: "number" },
        },
        all: {
          type: "object",
          propertyNames: { enum: ["a", "b"] },
          additionalProperties: point,
          required: ["a", "b"],
        },
        any: { type: "object", propertyNames: { type: "string" }, additionalProperties: {} },
      },
    },
    takes: ['{ some: { "b-c": 1 } }', "{ all: { a: { x: 1 }, b: { x: 2 } } }", "{ any: { z: 1 } }"],
    refuses: ["{ some: { d: 1 } }", '{ some: { a: "x" } }', "{ all: { a: { x: 1 } } }"],
  },
  {
    rule: "boolean schemas and schemas without a type",
    schema: {
      type: "object",
      properties: {
        a: true,
        b: {},
        c: false,
        d: { properties: { e: { type: "number" } } },
        f: { items: { type: "number" } },
      },
    },
    takes: ['{ a: 1, b: "x", d: { e: 1 }, f: [1] }'],
    refuses: ["{ c: 1 }", '{ d: { e: "x" } }', '{ f: ["x"] }'],
  },
  {
    rule: "not, if and dependentSchemas narrow nothing",
    schema: {
      ...field({ type: "string", not: { const: "x" } }),
      if: { properties: { v: { const: "a" } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { required: ["w"] },
    },
    takes: ['{ v: "x" }'],
    refuses: ["{}"],
  },
  {
    rule: "no arguments: none are needed, and none are taken",
    schema: { type: "object", properties: {} },
    takes: ["{}"],
    refuses: ["{ a: 1 }"],
  },
  {
    rule: "arguments of any kind",
    schema: {},
    takes: ["{}", "{ a: 1 }"],
    refuses: ['"x"'],
  },
  {
    rule: "arguments that are no object are taken as any object",
    schema: { type: "array", items: { type: "string" } },
    takes: ["{ a: 1 }"],
    refuses: ['"x"'],
  },
  {
    rule: "a union of argument sets at the root",
    schema: {
      type: "object",
      oneOf: [
        { properties: { url: { type: "string" } }, required: ["url"], additionalProperties: false },
        { properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
      ],
    },
    takes: ['{ url: "u" }', '{ text: "t" }'],
    refuses: ["{}", "{ url: 1 }", '{ file: "f" }'],
  },
  {
    rule: "definitions named like global types do not replace them",
    schema: {
      type: "object",
      properties: {
        a: { $ref: "#/$defs/Promise" },
        b: { $ref: "#/$defs/Record" },
        c: { $ref: "#/$defs/string" },
        d: { type: "object" },
      },
      $defs: {
        Promise: point,
        Record: { enum: [1, 2, 3] },
        string: { type: "object", properties: { s: { type: "string" } } },
      },
    },
    takes: ['{ a: { x: 1 }, b: 2, c: { s: "x" }, d: { any: 1 } }'],
    refuses: ["{ a: {} }", "{ b: 4 }", "{ c: { s: 1 } }"],
  },
  {
    rule: "definitions with names that are no identifiers",
    schema: {
      type: "object",
      properties: {
        a: { $ref: "#/$defs/Page%5BUser%5D" },
        b: { $ref: "#/$defs/page user" },
        c: { $ref: "#/$defs/1" },
        d: { $ref: "#/$defs/検索" },
      },
      $defs: {
        "Page[User]": point,
        "page user": { ...point, required: [] },
        "1": { enum: ["a", "b"] },
        検索: { enum: ["c", "d"] },
      },
    },
    takes: ['{ a: { x: 1 }, b: {}, c: "a", d: "d" }'],
    refuses: ["{ a: {} }", '{ c: "c" }', '{ d: "e" }'],
  },
];
