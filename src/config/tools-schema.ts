import { z } from "zod";
import { flag, text, texts } from "./schema-parts.ts";

/** `tools` of an entry: which exist, their names, and the types of their answers. */
export interface ToolsShape {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly rename?:
    | string
    | readonly { readonly pattern: string; readonly to: string }[]
    | Readonly<Record<string, string>>
    | undefined;
  readonly learn?: Readonly<Record<string, LearnRule>> | undefined;
  readonly output?: Readonly<Record<string, unknown>> | undefined;
}

/** What an entry's `tools.learn` says of a tool. */
export type LearnRule = boolean | { readonly enums: readonly string[] };

const renamePattern = z.looseObject({ pattern: text, to: text }, { error: "an object with pattern and to" });

const LEARN_RULE = "true, false, or an object with enums";
const learnRule = z.union([flag, z.looseObject({ enums: texts }, { error: LEARN_RULE })], {
  error: LEARN_RULE,
});
const outputSchema = z.union([z.record(z.string(), z.unknown()), flag], { error: "a JSON Schema" });

const toolsObject = z.looseObject(
  {
    allow: texts.describe("Only what matches one of these patterns (* and ?) exists.").optional(),
    deny: texts.describe("What matches one of these patterns does not exist.").optional(),
    rename: z
      .union([text, z.array(renamePattern), z.record(z.string(), text)], {
        error: "a module's path, an object of names, or a list of {pattern, to}",
      })
      .describe("A module's path, an object from raw to new names, or a list of {pattern, to}.")
      .optional(),
    learn: z
      .record(z.string(), learnRule, { error: "an object from tool names to true, false or {enums}" })
      .describe(
        "By raw name or pattern (* and ?): false learns nothing from this tool's answers; {enums} names fields whose texts may be kept.",
      )
      .optional(),
    output: z
      .record(z.string(), outputSchema, { error: "an object from tool names to JSON Schemas" })
      .describe("By raw name: the JSON Schema of this tool's value, in place of the server's own.")
      .optional(),
  },
  { error: "an object with allow, deny, rename, learn and output" },
);

/** Checks `tools` of an entry. */
export const toolsSchema: z.ZodType<ToolsShape> = toolsObject;

/** The keys that `tools` of an entry may have. */
export const TOOLS_KEYS: readonly string[] = Object.keys(toolsObject.shape);
