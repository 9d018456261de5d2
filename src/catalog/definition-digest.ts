import { digestText } from "../kernel/digest.ts";
import { isJsonObject, isSameJson, type Json, stringifyJson } from "../kernel/json.ts";
import type { RawTool } from "../model/tool.ts";

/**
 * A definition as text by which two of them count as the same: the order of keys does not matter, nor does white space in the
 * texts that only people and models read (`description`, `title`).
 */
export function comparableDefinition(tool: RawTool): string {
  return comparable(tool, "", false);
}

/** True for two definitions that count as the same. */
export function isSameDefinition(a: RawTool, b: RawTool): boolean {
  return a === b || isSameJson(a, b) || comparableDefinition(a) === comparableDefinition(b);
}

/** Digest of what {@link comparableDefinition} gives: 64 hexadecimal characters. */
export function definitionDigest(tool: RawTool): string {
  return digestText(comparableDefinition(tool));
}

/** JSON with sorted keys in one pass: a sync makes it of every definition. */
function comparable(value: Json, key: string, isVerbatim: boolean): string {
  if (typeof value === "string") return JSON.stringify(PROSE.has(key) && !isVerbatim ? spaced(value) : value);
  if (Array.isArray(value)) return `[${value.map((item) => comparable(item, "", isVerbatim)).join(",")}]`;
  if (!isJsonObject(value)) return stringifyJson(value);
  const parts: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const item = value[name];
    if (item === undefined) continue;
    parts.push(`${JSON.stringify(name)}:${comparable(item, name, isVerbatim || VALUES.has(name))}`);
  }
  return `{${parts.join(",")}}`;
}

/** Texts of a definition that nothing is checked against. */
const PROSE: ReadonlySet<string> = new Set(["description", "title"]);

/** Members of a schema that hold values, not schemas: there every character counts. */
const VALUES: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

/** Runs of white space as one space, none at the ends. */
function spaced(text: string): string {
  return UNEVEN.test(text) ? text.replace(/\s+/g, " ").trim() : text;
}

const UNEVEN = /[^\S ]|\s\s|^\s|\s$/;
