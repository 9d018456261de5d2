import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";

/** No value fits: of a member that must not be there. */
export const NEVER: JsonObject = { not: {} };

/** One schema for a value that fits any of these; words are joined to one list. */
export function unionOf(given: readonly JsonObject[]): JsonObject {
  const arms = given.filter((arm) => arm !== NEVER);
  const [only = NEVER] = arms;
  if (arms.length <= 1) return only;
  const words = arms.flatMap((arm) => wordsOf(arm) ?? []);
  const others = arms.filter((arm) => wordsOf(arm) === undefined);
  const list = words.length === 0 ? [] : [words.length === 1 ? { const: words[0] ?? null } : { enum: words }];
  const all = [...list, ...others];
  const [one] = all;
  return one !== undefined && all.length === 1 ? one : { anyOf: all };
}

function wordsOf(arm: JsonObject): readonly Json[] | undefined {
  const keys = Object.keys(arm);
  if (keys.length !== 1) return undefined;
  if (arm.const !== undefined) return [arm.const];
  return Array.isArray(arm.enum) ? (arm.enum as readonly Json[]) : undefined;
}

/** One object with the members of all, the later ones first; `undefined` where one is no plain object. */
export function mergedObjects(parts: readonly JsonObject[]): JsonObject | undefined {
  if (!parts.every(isObjectSchema)) return undefined;
  const properties = Object.assign({}, ...parts.map(membersOf)) as JsonObject;
  const required = [...new Set(parts.flatMap(requiredOf))];
  const others = parts.map(({ additionalProperties }) => additionalProperties);
  const open = others.find((schema) => schema !== false);
  return objectOf(properties, required, others.every((schema) => schema === false) ? false : open);
}

/** `Partial`. */
export function allPartial(schema: JsonObject): JsonObject {
  const { required: _, ...rest } = schema;
  return rest;
}

/** `Required`. */
export function allRequired(schema: JsonObject): JsonObject {
  return isObjectSchema(schema) ? { ...schema, required: Object.keys(membersOf(schema)) } : schema;
}

/** `Pick`. */
export function pickedMembers(schema: JsonObject, names: readonly string[]): JsonObject {
  return filtered(schema, (name) => names.includes(name));
}

/** `Omit`. */
export function withoutMembers(schema: JsonObject, names: readonly string[]): JsonObject {
  return filtered(schema, (name) => !names.includes(name));
}

function filtered(schema: JsonObject, isKept: (name: string) => boolean): JsonObject {
  if (!isObjectSchema(schema)) return schema;
  const properties = Object.fromEntries(Object.entries(membersOf(schema)).filter(([name]) => isKept(name)));
  return objectOf(properties, requiredOf(schema).filter(isKept), schema.additionalProperties);
}

function objectOf(properties: JsonObject, required: readonly string[], others: Json | undefined): JsonObject {
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(others === undefined ? {} : { additionalProperties: others }),
  };
}

function isObjectSchema(schema: JsonObject): boolean {
  return schema.type === "object";
}

function membersOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? (required as readonly string[]) : [];
}

/** `Record`. */
export function recordOf(keys: JsonObject, values: JsonObject): JsonObject {
  const words = wordsIn(keys);
  return words.length === 0
    ? { type: "object", ...(isAnything(values) ? {} : { additionalProperties: values }) }
    : {
        type: "object",
        properties: Object.fromEntries(words.map((word) => [word, values])),
        required: words,
        additionalProperties: false,
      };
}

/** The words of a union of literals. */
export function wordsIn({ enum: several, const: one }: JsonObject): readonly string[] {
  const values = Array.isArray(several) ? (several as readonly Json[]) : one === undefined ? [] : [one];
  return values.map(String);
}

/** `NonNullable`. */
export function withoutNull(schema: JsonObject): JsonObject {
  const arms = Array.isArray(schema.anyOf) ? (schema.anyOf as readonly JsonObject[]) : [schema];
  return unionOf(arms.filter(({ type }) => type !== "null"));
}

/** True for a schema that every value fits. */
export function isAnything(schema: Json): boolean {
  return typeof schema === "object" && schema !== null && Object.keys(schema).length === 0;
}
