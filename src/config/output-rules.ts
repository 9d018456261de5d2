import { matchGlob } from "../kernel/glob.ts";
import { type Json, own } from "../kernel/json.ts";
import type { Learning, OutputRules } from "../model/server-entry.ts";
import type { ServerShape } from "./server-schema.ts";
import type { LearnRule } from "./tools-schema.ts";

/**
 * What an entry says of its tools' answers: `learn`, `tools.learn`, `tools.output`. A tool's own name counts before patterns, of
 * which the first that matches counts; `learn: false` of the entry is for the tools that none of these names.
 */
export function createOutputRules({
  learn = true,
  tools,
}: Pick<ServerShape, "learn" | "tools">): OutputRules {
  const rules = new Map(Object.entries(tools?.learn ?? {}));
  const ruleOf = (tool: string): LearnRule =>
    rules.get(tool) ?? [...rules].find(([pattern]) => matchGlob(pattern, tool) !== undefined)?.[1] ?? learn;
  return {
    schemaOf: (tool) => own(tools?.output, tool) as Json | undefined,
    learning: (tool) => learningOf(ruleOf(tool)),
  };
}

function learningOf(rule: LearnRule): Learning {
  if (typeof rule === "boolean") return { isOn: rule, enums: NO_ENUMS };
  return { isOn: true, enums: new Set(rule.enums) };
}

const NO_ENUMS: ReadonlySet<string> = new Set();
