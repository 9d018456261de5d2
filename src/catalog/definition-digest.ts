import { digestText } from "../kernel/digest.ts";
import { isJsonObject, type Json, stableJson } from "../kernel/json.ts";
import type { RawTool } from "../model/tool.ts";

/**
 * A definition as text by which two of them count as the same: the order of keys does not matter, nor does white space in the
 * texts that only people and models read (`description`, `title`).
 */
export function comparableDefinition(tool: RawTool): string {
  return stableJson(withoutSpacing(tool));
}

/** Digest of what {@link comparableDefinition} gives: 64 hexadecimal characters. */
export function definitionDigest(tool: RawTool): string {
  return digestText(comparableDefinition(tool));
}

function withoutSpacing(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutSpacing);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]): [string, Json | undefined] => {
      if (typeof item === "string") return [key, PROSE.has(key) ? spaced(item) : item];
      return [key, item === undefined || VALUES.has(key) ? item : withoutSpacing(item)];
    }),
  );
}

/** Texts of a definition that nothing is checked against. */
const PROSE: ReadonlySet<string> = new Set(["description", "title"]);

/** Members of a schema that hold values, not schemas: there every character counts. */
const VALUES: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

/** Runs of white space as one space, none at the ends. */
function spaced(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
