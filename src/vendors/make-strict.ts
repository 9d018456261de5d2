import { isJsonObject, type Json, type JsonObject, own, stringifyJson } from "../kernel/json.ts";
import type { StrictRules } from "./rules.ts";
import { mapParts } from "./subschemas.ts";
import type { Note } from "./vendor.ts";

/**
 * A restricted schema in the form in which the vendor keeps a model to it: closed objects, a type everywhere, and for OpenAI every
 * field required.
 * @param misfit hears why the schema cannot be said so; the result is then of no use
 */
export function makeStrict(root: JsonObject, rules: StrictRules, note: Note, misfit: Note): JsonObject {
  const close = (schema: JsonObject, path: string): JsonObject => {
    const shut = closed(schema, path, misfit);
    return rules.isAllRequired ? allRequired(shut, path, note) : shut;
  };
  const visit = (part: Json, path: string): Json => {
    if (!isJsonObject(part)) return part;
    const typed = withType(part, path, misfit);
    const inner = mapParts(typed, path, visit);
    return hasType(inner, "object") ? close(inner, path) : inner;
  };
  const schema = visit(root, "") as JsonObject;
  judgeSize(schema, rules, misfit);
  return schema;
}

function withType(schema: JsonObject, path: string, misfit: Note): JsonObject {
  if (own(schema, "type") !== undefined || own(schema, "anyOf") !== undefined) return schema;
  if (own(schema, "properties") !== undefined) return { type: "object", ...schema };
  const values = own(schema, "const") === undefined ? own(schema, "enum") : [own(schema, "const") ?? null];
  if (Array.isArray(values)) return { type: [...new Set(values.map(typeOf))], ...schema };
  misfit(path, "may be anything");
  return schema;
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

function hasType(schema: JsonObject, type: string): boolean {
  return [own(schema, "type")].flat().includes(type);
}

function closed(schema: JsonObject, path: string, misfit: Note): JsonObject {
  const given = own(schema, "properties");
  const properties = isJsonObject(given) ? given : {};
  const extra = own(schema, "additionalProperties");
  const isFree = extra === undefined && Object.keys(properties).length === 0 && path !== "";
  if (isFree || (extra !== undefined && extra !== false)) misfit(path, "takes fields of any name");
  return { ...schema, properties, additionalProperties: false };
}

/** A field that may be missing becomes one that may be null. */
function allRequired(schema: JsonObject, path: string, note: Note): JsonObject {
  const properties = own(schema, "properties");
  const fields = isJsonObject(properties) ? Object.entries(properties) : [];
  const required = own(schema, "required");
  const needed: readonly Json[] = Array.isArray(required) ? required : [];
  const optional = fields.map(([name]) => name).filter((name) => !needed.includes(name));
  if (optional.length > 0) note(path, `${optional.join(", ")} may be null instead of missing`);
  const all = fields.map(([name, field = {}]) => [name, optional.includes(name) ? orNull(field) : field]);
  return {
    ...schema,
    properties: Object.fromEntries(all) as JsonObject,
    required: fields.map(([name]) => name),
  };
}

/** The schema, or null. */
function orNull(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  const { anyOf, const: constant, ...rest } = schema;
  if (Array.isArray(anyOf)) {
    const hasNull = anyOf.some((arm: Json) => isJsonObject(arm) && hasType(arm, "null"));
    return hasNull ? schema : { ...schema, anyOf: [...anyOf, { type: "null" }] };
  }
  if (hasType(schema, "null")) return schema;
  const values = constant === undefined ? own(schema, "enum") : [constant];
  return {
    ...rest,
    type: [...[own(schema, "type") ?? []].flat(), "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}

/** Documented bounds of one schema. */
function judgeSize(root: JsonObject, rules: StrictRules, misfit: Note): void {
  const total = { fields: 0, optional: 0, unions: 0, enumValues: 0, characters: 0, depth: 0 };
  const visit = (part: Json, depth: number): Json => {
    if (!isJsonObject(part)) return part;
    const properties = own(part, "properties");
    const names = isJsonObject(properties) ? Object.keys(properties) : [];
    const required = own(part, "required");
    const values = own(part, "enum");
    total.fields += names.length;
    total.optional += names.length - (Array.isArray(required) ? required.length : 0);
    if (own(part, "anyOf") !== undefined || Array.isArray(own(part, "type"))) total.unions += 1;
    if (Array.isArray(values)) {
      total.enumValues += values.length;
      total.characters += values.reduce((sum: number, value: Json) => sum + stringifyJson(value).length, 0);
    }
    total.characters += names.reduce((sum, name) => sum + name.length, 0);
    const inner = names.length > 0 ? depth + 1 : depth;
    total.depth = Math.max(total.depth, inner);
    mapParts(part, "", (child) => visit(child, inner));
    return part;
  };
  visit(root, 0);
  const bounds: readonly (readonly [found: number, most: number, what: string])[] = [
    [total.fields, rules.maxFields, "fields"],
    [total.optional, rules.maxOptionalFields, "optional fields"],
    [total.unions, rules.maxUnions, "choices of type"],
    [total.depth, rules.maxDepth, "levels"],
    [total.enumValues, rules.maxEnumValues, "values of enums"],
    [total.characters, rules.maxCharacters, "characters of names and values"],
  ];
  for (const [found, most, what] of bounds)
    if (found > most) misfit("", `${found} ${what}; ${rules.vendor} takes ${most}`);
}
