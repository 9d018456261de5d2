import { expect, test } from "vitest";
import { buildCatalog } from "../../src/catalog/build.ts";
import type { Json } from "../../src/kernel/json.ts";
import type { Learned } from "../../src/learning/learned.ts";
import { shapeOf } from "../../src/learning/shape-of.ts";
import { EMPTY_LOCK } from "../../src/model/lock.ts";
import type { ListingKey, ServerName } from "../../src/model/names.ts";
import type { Tool } from "../../src/model/tool.ts";
import { server } from "./definitions.ts";

const declared = { type: "object", properties: { total: { type: "integer" } } };
const own = { type: "array" };

function toolOf(
  value: Json | undefined,
  entry: Parameters<typeof server>[2] = {},
  definition: Json = { name: "t" },
): Tool | undefined {
  const shapes = value === undefined ? [] : [["t" as ListingKey, shapeOf(value, new Set(["a"]))] as const];
  const learned: Learned = new Map([["s" as ServerName, new Map(shapes)]]);
  return buildCatalog([server("s", [definition], entry)], EMPTY_LOCK, learned).servers[0]?.tools[0];
}

test.each<[string, Tool | undefined, Json | undefined, Json | undefined]>([
  ["nothing is known", toolOf(undefined), undefined, undefined],
  ["answers were seen", toolOf("x"), undefined, { type: "string" }],
  [
    "a declared schema wins over answers",
    toolOf("x", {}, { name: "t", outputSchema: declared }),
    declared,
    undefined,
  ],
  [
    "the config wins over both",
    toolOf("x", { tools: { output: { t: own } } }, { name: "t", outputSchema: declared }),
    own,
    undefined,
  ],
  ["the config wins over answers", toolOf("x", { tools: { output: { t: own } } }), own, undefined],
  ["learning is off", toolOf("x", { learn: false }), undefined, undefined],
  [
    "texts are shown while the config names their field",
    toolOf({ a: "x" }, { tools: { learn: { t: { enums: ["a"] } } } }),
    undefined,
    { type: "object", properties: { a: { enum: ["x"] } }, required: ["a"] },
  ],
  [
    "and are texts like others afterwards",
    toolOf({ a: "x" }),
    undefined,
    { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
  ],
])("the output of a tool: %s", (_name, tool, outputSchema, learned) => {
  expect([tool?.outputSchema, tool?.learned]).toEqual([outputSchema, learned]);
});
