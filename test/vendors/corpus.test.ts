import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { packageFile } from "../../src/kernel/paths.ts";
import { type PortableTool, portableTool } from "../../src/vendors/portable-tool.ts";
import type { Fitted, Vendor } from "../../src/vendors/vendor.ts";
import { toolOf } from "../render/support.ts";
import { refusalsOf } from "./refusals.ts";

const [{ makeInstance }, { judgeOf }, { randomOf }] = await Promise.all(
  ["instances", "judge", "random"].map((name) => import(packageFile(`bench/fidelity/${name}.mjs`))),
);
const corpus = fileURLToPath(new URL("../../../shared/corpus/servers", import.meta.url));

const SHAPES: readonly (readonly [string, Vendor, (tool: PortableTool) => Fitted])[] = [
  ["Anthropic", "anthropic", (tool) => tool.toAnthropic()],
  ["OpenAI", "openai", (tool) => tool.toOpenAI()],
  ["Gemini", "gemini", (tool) => tool.toGemini()],
  ["Anthropic, strict", "anthropic", (tool) => tool.toAnthropic({ isStrict: true })],
  ["OpenAI, strict", "openai", (tool) => tool.toOpenAI({ isStrict: true })],
];

/** Compiling 25,000 schemas takes minutes: every twelfth tool has its values judged, with `EVERY_TOOL=1` each. */
const EACH = process.env.EVERY_TOOL === "1" ? 1 : 12;

// M13
describe.skipIf(!existsSync(corpus))(
  "5,000 captured tools (skipped where ../shared/corpus is absent)",
  () => {
    const engine = new Ajv2020({
      strict: false,
      validateFormats: false,
      logger: false,
      unicodeRegExp: false,
    });
    const tools = readdirSync(corpus).flatMap((file) => {
      if (!file.endsWith(".json")) return [];
      const captured: any = JSON.parse(readFileSync(join(corpus, file), "utf8"));
      return captured.tools.map((tool: any) => ({ ...tool, file }));
    });

    test.each(SHAPES)(
      "%s: none is refused, and none refuses a value that its server takes",
      (_name, vendor, shape) => {
        const faults: string[] = [];
        for (const [index, { name, file, description, inputSchema }] of tools.entries()) {
          const folder = file.replace(".json", "").slice(0, 20);
          const { value } = shape(portableTool(toolOf({ name, folder, description, input: inputSchema })));
          const place = `${file} ${name}`;
          // The names here are made as simply as the tests need; those of a catalog have at most 64 characters.
          const refusals = refusalsOf(vendor, value).filter((refusal) => !refusal.startsWith("name "));
          faults.push(...refusals.map((refusal) => `${place}: ${refusal}`));
          if (index % EACH !== 0) continue;
          const schema: any = value.input_schema ?? value.parameters ?? value.parametersJsonSchema;
          const check = engine.compile(schema);
          if (value.strict !== true)
            for (const given of instancesOf(inputSchema, place))
              if (!check(given)) faults.push(`${place}: refuses ${JSON.stringify(given).slice(0, 200)}`);
          engine.removeSchema(schema);
        }
        expect(faults).toEqual([]);
      },
    );
  },
);

/** Values that fit a schema, as its own dialect judges: the least, the most, and one by chance. */
function instancesOf(schema: any, name: string): readonly unknown[] {
  const judge = judgeOf(schema);
  if (typeof judge === "string") return [];
  return ["least", "most", "some"].flatMap((mode) => {
    try {
      const made = makeInstance(schema, randomOf(20261130, name), mode);
      const isObject = typeof made?.value === "object" && made.value !== null && !Array.isArray(made.value);
      return isObject && judge(made.value) ? [made.value] : [];
    } catch {
      // A reference that leads nowhere.
      return [];
    }
  });
}
