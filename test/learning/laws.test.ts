import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type Json, stableJson } from "../../src/kernel/json.ts";
import { keepTexts } from "../../src/learning/keep-texts.ts";
import { mergeShapes } from "../../src/learning/merge-shapes.ts";
import { settleShape } from "../../src/learning/settle-shape.ts";
import { NOTHING, type Shape } from "../../src/learning/shape.ts";
import { shapeFromJson, shapeToJson } from "../../src/learning/shape-json.ts";
import { shapeOf } from "../../src/learning/shape-of.ts";
import { shapeToSchema } from "../../src/learning/shape-schema.ts";
import { anyAnswer, ENUMS } from "./arbitraries.ts";

const RUNS = { numRuns: 2_000, seed: 3 };
const shape = fc.array(anyAnswer, { maxLength: 3 }).map((values) => learned(values));

function learned(values: readonly Json[]): Shape {
  return values.map((value) => shapeOf(value, ENUMS)).reduce(mergeShapes, NOTHING);
}

/** Shapes that are equal print equally. */
const text = (one: Shape): string => stableJson(shapeToJson(one));

test("a merge does not depend on the order of answers", () => {
  fc.assert(
    fc.property(shape, shape, (a, b) => {
      expect(text(mergeShapes(a, b))).toBe(text(mergeShapes(b, a)));
    }),
    RUNS,
  );
});

test("a merge does not depend on how answers are grouped", () => {
  fc.assert(
    fc.property(shape, shape, shape, (a, b, c) => {
      expect(text(mergeShapes(mergeShapes(a, b), c))).toBe(text(mergeShapes(a, mergeShapes(b, c))));
    }),
    RUNS,
  );
});

test("an answer seen twice changes nothing, and the merge says so by giving back the same object", () => {
  fc.assert(
    fc.property(shape, shape, (a, b) => {
      const both = mergeShapes(a, b);
      expect(mergeShapes(both, a)).toBe(both);
      expect(mergeShapes(both, b)).toBe(both);
      expect(mergeShapes(a, NOTHING)).toBe(a);
      expect(text(mergeShapes(NOTHING, a))).toBe(text(a));
    }),
    RUNS,
  );
});

test("what was learned fits every answer that it was learned from, settled or not", () => {
  fc.assert(
    fc.property(fc.array(anyAnswer, { minLength: 1, maxLength: 4 }), (answers) => {
      const values = answers.map((answer) => judged(answer));
      const one = learned(values);
      for (const fitting of [one, settleShape(one), keepTexts(one, new Set())]) {
        const validate = new Ajv2020({ strict: false }).compile(shapeToSchema(fitting) as never);
        for (const value of values) expect([validate(value), value]).toEqual([true, value]);
      }
    }),
    { ...RUNS, numRuns: 60 },
  );
});

test("settling twice is settling once, and a settled shape still absorbs what it was made of", () => {
  fc.assert(
    fc.property(shape, (one) => {
      const settled = settleShape(one);
      expect(text(settleShape(settled))).toBe(text(settled));
      expect(text(settleShape(mergeShapes(settled, one)))).toBe(text(settled));
    }),
    RUNS,
  );
});

test("a shape is read from the file as it was written", () => {
  fc.assert(
    fc.property(shape, (one) => {
      const json = JSON.parse(JSON.stringify(shapeToJson(one)));
      const read = shapeFromJson(json);
      expect(read && text(read)).toBe(text(one));
    }),
    RUNS,
  );
});

test("nothing of an answer's texts and numbers is in what is kept, and no key that is data", () => {
  fc.assert(
    fc.property(anyAnswer, (value) => {
      const kept = JSON.stringify(shapeToJson(shapeOf(value)));
      expect(kept).not.toMatch(/open|closed|secret|x{9}|\d{3}|@|Ada|main\.ts/);
    }),
    RUNS,
  );
});

/** The answer without what the judge cannot see: Ajv knows no long integers, and never looks at `__proto__`. */
function judged(value: Json): Json {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map((item: Json) => judged(item));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "__proto__");
  return Object.fromEntries(entries.map(([key, item]) => [key, judged(item ?? null)]));
}
