import { stableJson } from "../kernel/json.ts";
import type { RawTool } from "../model/tool.ts";
import { compare } from "./naming.ts";

/** Raw names of tools by what became of them, each list sorted. */
export interface DefinitionsDiff {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Compares two lists of definitions by raw name; the order of tools and of keys does not count. */
export function diffDefinitions(before: readonly RawTool[], after: readonly RawTool[]): DefinitionsDiff {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const listed = new Map(after.map((tool) => [tool.name, tool]));
  const isChanged = (name: string): boolean =>
    old.has(name) && stableJson(old.get(name)) !== stableJson(listed.get(name));
  return {
    added: [...listed.keys()].filter((name) => !old.has(name)).sort(compare),
    changed: [...listed.keys()].filter(isChanged).sort(compare),
    removed: [...old.keys()].filter((name) => !listed.has(name)).sort(compare),
  };
}
