import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../../src/kernel/json.ts";
import { renderServer } from "../../src/render/server-files.ts";
import { compile } from "./compile.ts";
import { serverOf, toolOf } from "./support.ts";

const SEED = 20261130;
const SCHEMAS = 2_000;

/** Words that break generators: ends of comments and strings, prototypes, globals, hidden characters. */
const text = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "c",
    "Promise",
    "__proto__",
    "constructor",
    "*/",
    "/**",
    "\u0024{x}",
    "`",
    '"',
    "\\",
    "\u2028",
    "\u202e",
    "\u001b[2J",
    "\n",
    "@ts-expect-error",
    "p0",
    "d0",
    "[k: string]",
    "検索",
    "😀",
    "\ud800",
    "",
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const pointer = fc.constantFrom(
  "#",
  "#/$defs/a",
  "#/$defs/b",
  "#/$defs/c",
  "#/$defs/Promise",
  "#/properties/a",
  "#/properties/b/items",
  "#/anyOf/0",
  "#anchor",
  "#/nowhere",
  "other.json",
  "http://127.0.0.1:9/x.json",
  "#/%",
  "",
);

const { schema } = fc.letrec<{ schema: Json; properties: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    fc.constantFrom<Json>(true, false, {}, null, "string", [], 7),
    fc.record({ $ref: pointer, description: text }, { requiredKeys: ["$ref"] }),
    fc.record(
      {
        type: fc.oneof(
          fc.constantFrom<Json>(
            "string",
            "number",
            "integer",
            "boolean",
            "null",
            "object",
            "array",
            "int",
            3,
            null,
          ),
          fc.array(fc.constantFrom("string", "null", "object", "array", "odd"), { maxLength: 3 }),
        ),
        title: text,
        description: text,
        default: fc.jsonValue() as fc.Arbitrary<Json>,
        enum: fc.array(
          fc.oneof(text, fc.jsonValue(), fc.constant(12345678901234567890n)) as fc.Arbitrary<Json>,
          { maxLength: 4 },
        ),
        const: fc.jsonValue() as fc.Arbitrary<Json>,
        minimum: fc.oneof(fc.integer(), fc.constant("x")),
        minItems: fc.integer({ min: -1, max: 60 }),
        pattern: text,
        nullable: fc.boolean(),
        properties: tie("properties"),
        required: fc.oneof(fc.array(text, { maxLength: 3 }), fc.constant("a"), fc.constant(true)),
        additionalProperties: tie("schema"),
        patternProperties: tie("properties"),
        propertyNames: fc.record({ enum: fc.array(text, { maxLength: 3 }) }),
        items: fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 3 })),
        prefixItems: fc.array(tie("schema"), { maxLength: 3 }),
        anyOf: fc.array(tie("schema"), { maxLength: 3 }),
        oneOf: fc.array(tie("schema"), { maxLength: 3 }),
        allOf: fc.array(tie("schema"), { maxLength: 3 }),
        $defs: tie("properties"),
        $anchor: fc.constant("anchor"),
        $ref: pointer,
        tsType: text,
        tsEnumNames: fc.array(text),
        extends: pointer,
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Json>,
  ) as fc.Arbitrary<Json>,
  properties: fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "c", "Promise"), text), tie("schema"), {
    maxKeys: 4,
  }) as fc.Arbitrary<Json>,
}));

// B1
test(`any schema gives a file that compiles, and never an exception (${SCHEMAS} random ones, seed ${SEED})`, async () => {
  const samples = fc.sample(fc.tuple(schema, fc.option(schema, { nil: undefined }), text), {
    seed: SEED,
    numRuns: SCHEMAS,
  });
  const tools = samples.map(([input, output, description], index) =>
    toolOf({ name: `random_${index}`, input, ...(output === undefined ? {} : { output }), description }),
  );
  const { files, problems } = await renderServer(serverOf(tools));
  expect(files.size).toBe(SCHEMAS + 1);
  expect(problems.filter(({ message }) => message.includes("could not be worked out"))).toEqual([]);
  const errors = await compile(files);
  const first = /^servers\S+?ts/m.exec(errors)?.[0];
  expect(first === undefined ? errors : `${errors}\n${first}\n${files.get(first)}`).toBe("");
}, 240_000);
