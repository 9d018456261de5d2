import type { Json, JsonObject } from "../kernel/json.ts";
import { own } from "../kernel/json.ts";

/**
 * The types that a schema declares, or implies by its keywords; `any` where it says nothing.
 * @returns `invalid` for a type that JSON Schema does not know (`int`, `file`), which may mean anything
 */
export function typesOfSchema(schema: JsonObject): "any" | "invalid" | readonly TypeName[] {
  const declared = own(schema, "type");
  if (declared === undefined) return impliedTypes(schema);
  const names = Array.isArray(declared) ? (declared as readonly Json[]) : [declared];
  const types = names.map((name) => (typeof name === "string" ? TYPE_NAMES.get(name) : undefined));
  const valid = types.filter((type) => type !== undefined);
  return valid.length === types.length && valid.length > 0 ? [...new Set(valid)] : "invalid";
}

/** The types of JSON as TypeScript tells them apart. */
export type TypeName = "string" | "number" | "integer" | "boolean" | "null" | "object" | "array";

const TYPE_NAMES: ReadonlyMap<string, TypeName> = new Map([
  ["string", "string"],
  ["number", "number"],
  ["integer", "integer"],
  ["boolean", "boolean"],
  ["null", "null"],
  ["object", "object"],
  ["array", "array"],
]);

/** Keywords that make sense for one type only; a schema that has them without a `type` means that type. */
const IMPLYING: readonly (readonly [TypeName, readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "patternProperties", "propertyNames"]],
  ["array", ["items", "prefixItems"]],
];

function impliedTypes(schema: JsonObject): "any" | readonly TypeName[] {
  for (const [type, keywords] of IMPLYING)
    if (keywords.some((keyword) => own(schema, keyword) !== undefined)) return [type];
  return "any";
}

/** True when `value` has one of `types`. */
export function isOfTypes(value: Json, types: readonly TypeName[]): boolean {
  if (value === null) return types.includes("null");
  if (Array.isArray(value)) return types.includes("array");
  const isInteger = typeof value === "bigint" || Number.isInteger(value);
  const name = typeof value === "bigint" ? "number" : (typeof value as TypeName);
  return types.includes(name) || (isInteger && types.includes("integer"));
}
