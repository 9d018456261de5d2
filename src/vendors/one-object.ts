import { isJsonObject, isSameJson, type Json, type JsonObject, own } from "../kernel/json.ts";
import { without } from "./spell-out.ts";
import type { Note } from "./vendor.ts";

const UNIONS = ["allOf", "anyOf", "oneOf"] as const;
type Union = (typeof UNIONS)[number];

/** True where the arguments are written as a choice, which vendors refuse at the top. */
export function hasUnion(root: Json): boolean {
  return UNIONS.some((keyword) => own(root, keyword) !== undefined);
}

/**
 * Arguments as one plain object, as all vendors want them (Anthropic: "does not support oneOf, allOf, or anyOf at the top level").
 * Fields of all arms of a choice become fields of the whole; which belong together is said in the description. The host judges the
 * arguments of every call by the server's own schema, so nothing wrong gets through.
 */
export function asOneObject(root: JsonObject, note: Note): JsonObject {
  const merged = UNIONS.reduce((schema, keyword) => withArms(schema, keyword, note), root);
  const left = REFUSED_AT_TOP.filter((keyword) => own(merged, keyword) !== undefined);
  for (const keyword of left) note("", `${keyword} is not allowed at the top, and is left out`);
  const type = own(merged, "type");
  if (type !== undefined && type !== "object") note("", `the type is object, not ${JSON.stringify(type)}`);
  const properties = own(merged, "properties");
  return { ...without(merged, left), type: "object", properties: isJsonObject(properties) ? properties : {} };
}

const REFUSED_AT_TOP = ["not", "enum", "const", "if", "then", "else", "dependentSchemas"] as const;

function withArms(schema: JsonObject, keyword: Union, note: Note): JsonObject {
  const given = own(schema, keyword);
  if (given === undefined) return schema;
  const rest = without(schema, [keyword]);
  const arms = (Array.isArray(given) ? (given as readonly Json[]) : [])
    .filter(isJsonObject)
    .map((arm) => UNIONS.reduce((inner, word) => withArms(inner, word, () => {}), arm));
  note("", `${keyword} at the top becomes one object`);
  if (arms.length === 0) return rest;
  const properties = new Map(Object.entries(fieldsOf(rest)));
  for (const arm of arms)
    for (const [name, field] of Object.entries(fieldsOf(arm)))
      properties.set(name, joinedField(properties.get(name), field, keyword));
  const needed = arms.map(requiredOf);
  const common =
    keyword === "allOf"
      ? needed.flat()
      : (needed[0] ?? []).filter((name) => needed.every((names) => names.includes(name)));
  const required = [...new Set([...requiredOf(rest), ...common])];
  const isClosed = [rest, ...arms].some((part) => own(part, "additionalProperties") === false);
  const advice = keyword === "allOf" ? "" : choiceText(keyword, needed);
  const description = [own(rest, "description"), advice].filter(
    (text) => typeof text === "string" && text !== "",
  );
  return {
    ...without(rest, ["additionalProperties", "required", "description"]),
    ...(description.length === 0 ? {} : { description: description.join(" ") }),
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    ...(isClosed ? { additionalProperties: false } : {}),
  };
}

function fieldsOf(schema: JsonObject): Readonly<Record<string, Json>> {
  const properties = own(schema, "properties");
  return isJsonObject(properties) ? (properties as Readonly<Record<string, Json>>) : {};
}

function requiredOf(schema: JsonObject): readonly string[] {
  const required = own(schema, "required");
  return Array.isArray(required) ? (required as readonly string[]) : [];
}

/** A field that several arms have in different ways may be either. */
function joinedField(known: Json | undefined, field: Json, keyword: Union): Json {
  if (known === undefined || isEmpty(known) || isSameJson(known, field)) return field;
  if (isEmpty(field)) return known;
  if (keyword === "allOf") return isJsonObject(known) && isJsonObject(field) ? { ...field, ...known } : known;
  const before = own(known, "anyOf");
  const arms: readonly Json[] =
    Array.isArray(before) && isJsonObject(known) && Object.keys(known).length === 1 ? before : [known];
  return arms.some((arm) => isSameJson(arm, field)) ? known : { anyOf: [...arms, field] };
}

function isEmpty(schema: Json): boolean {
  return isJsonObject(schema) && Object.keys(schema).length === 0;
}

/** `Give exactly one of: (id) or (name, city).` */
function choiceText(keyword: "anyOf" | "oneOf", needed: readonly (readonly string[])[]): string {
  const sets = [
    ...new Set(needed.filter((names) => names.length > 0).map((names) => `(${names.join(", ")})`)),
  ];
  if (sets.length < 2 || sets.length > MAX_SETS) return "";
  return `Give ${keyword === "oneOf" ? "exactly" : "at least"} one of: ${sets.join(" or ")}.`;
}

const MAX_SETS = 8;
