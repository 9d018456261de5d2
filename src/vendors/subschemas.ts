import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";

/** Keywords of JSON Schema 2020-12 by what they hold. */
const ONE: ReadonlySet<string> = new Set([
  "items",
  "additionalProperties",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const MANY: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const NAMED: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

/** A copy of a schema whose direct parts went through `change`; a part that becomes `undefined` is left out. */
export function mapParts(
  schema: JsonObject,
  path: string,
  change: (part: Json, path: string) => Json | undefined,
): JsonObject {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
    if (value === undefined) return [];
    // `additionalProperties: false` closes an object; it is no part that could be left out.
    if (ONE.has(keyword) && typeof value !== "boolean") {
      const part = change(value, keyword === "items" ? `${path}[]` : path);
      return part === undefined ? [] : [[keyword, part]];
    }
    if (MANY.has(keyword) && Array.isArray(value)) {
      const at = keyword === "prefixItems" ? `${path}[]` : path;
      const parts = value.map((part: Json) => change(part, at));
      return [[keyword, parts.filter((part) => part !== undefined)]];
    }
    if (NAMED.has(keyword) && isJsonObject(value)) {
      const isField = keyword === "properties";
      const parts = Object.entries(value).flatMap(([name, part]): [string, Json][] => {
        const changed = part === undefined ? undefined : change(part, isField ? joined(path, name) : path);
        return changed === undefined ? [] : [[name, changed]];
      });
      return [[keyword, Object.fromEntries(parts)]];
    }
    return [[keyword, value]];
  });
  return Object.fromEntries(entries);
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
