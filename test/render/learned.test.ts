import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type Json, stringifyJson } from "../../src/kernel/json.ts";
import { mergeShapes } from "../../src/learning/merge-shapes.ts";
import { settleShape } from "../../src/learning/settle-shape.ts";
import { NOTHING } from "../../src/learning/shape.ts";
import { shapeOf } from "../../src/learning/shape-of.ts";
import { shapeToSchema } from "../../src/learning/shape-schema.ts";
import { renderServer } from "../../src/render/server-files.ts";
import { anyAnswer } from "../learning/arbitraries.ts";
import { compile } from "./compile.ts";
import { serverOf, toolOf } from "./support.ts";

const SEED = 20261130;
const TOOLS = 150;

function learnedFrom(values: readonly Json[]): Json {
  return shapeToSchema(settleShape(values.map((value) => shapeOf(value)).reduce(mergeShapes, NOTHING)));
}

/** In a type an integer of any length is a number, and a script that gets a long one gets a bigint; literals cannot be both. */
function withoutBigints(value: Json): Json {
  if (typeof value === "bigint") return 0;
  if (Array.isArray(value)) return value.map((item: Json) => withoutBigints(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutBigints(item ?? null)]));
}

test("tsc takes every answer as a value of the type that was learned from it", async () => {
  const answers = fc.array(anyAnswer.map(withoutBigints), { minLength: 1, maxLength: 3 });
  const samples = fc.sample(answers, { seed: SEED, numRuns: TOOLS });
  const tools = samples.flatMap((values, index) => {
    const learned = learnedFrom(values);
    return learned === true ? [] : [toolOf({ name: `t${index}`, learned })];
  });
  const { files, problems } = await renderServer(serverOf(tools));
  expect(problems).toEqual([]);
  const proofs = tools.map((tool) => {
    const type = `T${tool.export.slice(1)}Output`;
    const literals = (samples[Number(tool.export.slice(1))] ?? []).map(
      (value, index) => `export const v${index}: ${type} = ${literal(value)};`,
    );
    return [
      `${tool.export}.proof.ts`,
      `import type { ${type} } from "./${tool.file.replace(".ts", ".js")}";\n${literals.join("\n")}\n`,
    ] as const;
  });
  expect(await compile([...files, ...proofs])).toBe("");
});

/** `"__proto__": 1` in a literal sets the prototype; in brackets it is a key. */
function literal(value: Json): string {
  return stringifyJson(value).replaceAll('"__proto__":', '["__proto__"]:');
}

test("a declared schema of the same content is printed without the remark", async () => {
  const schema = learnedFrom([{ id: 1, tags: [] }]);
  const { files } = await renderServer(
    serverOf([toolOf({ name: "seen", learned: schema }), toolOf({ name: "said", output: schema })]),
  );
  expect(files.get("servers/s/seen.ts")).toMatch(
    /\/\*\* observed, not promised \*\/\nexport type SeenOutput = \{ id: number; tags: any\[\] \}/,
  );
  expect(files.get("servers/s/said.ts")).toMatch(
    /\nexport type SaidOutput = \{ id: number; tags: unknown\[\] \}/,
  );
  expect(files.get("servers/s/said.ts")).not.toContain("observed");
});
