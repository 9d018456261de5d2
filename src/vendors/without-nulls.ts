import { isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";

/**
 * What a model sent under a strict schema, as the server wants it: there a field that may be missing is `null` instead, which the
 * server's own schema may not allow. Such fields go; a `null` that the schema allows, or that stands for a required field, stays.
 * @param schema the server's, as one object, with references in place
 */
export function withoutNulls(schema: Json, value: Json): Json {
  if (Array.isArray(value)) {
    const items = own(schema, "items") ?? {};
    return value.map((item: Json) => withoutNulls(items, item));
  }
  if (!isJsonObject(value)) return value;
  const shape = objectFor(schema, value);
  const properties = own(shape, "properties");
  const required = own(shape, "required");
  const needed: readonly Json[] = Array.isArray(required) ? required : [];
  const fields = Object.entries(value).flatMap(([name, field]): [string, Json][] => {
    const part = own(properties, name);
    if (part === undefined || field === undefined) return field === undefined ? [] : [[name, field]];
    if (field === null && !needed.includes(name) && !allowsNull(part)) return [];
    return [[name, withoutNulls(part, field)]];
  });
  return Object.fromEntries(fields);
}

/** Of a choice, the first arm that has all fields of the value. */
function objectFor(schema: Json, value: JsonObject): Json {
  const arms = own(schema, "anyOf") ?? own(schema, "oneOf");
  if (own(schema, "properties") !== undefined || !Array.isArray(arms)) return schema;
  const hasAll = (arm: Json): boolean =>
    Object.keys(value).every((name) => own(own(arm, "properties"), name) !== undefined);
  return (arms as readonly Json[]).find(hasAll) ?? schema;
}

function allowsNull(schema: Json): boolean {
  const arms = own(schema, "anyOf") ?? own(schema, "oneOf");
  if (Array.isArray(arms)) return arms.some(allowsNull);
  const values = own(schema, "enum");
  if (Array.isArray(values)) return values.includes(null);
  if (own(schema, "const") !== undefined) return own(schema, "const") === null;
  const type = own(schema, "type");
  return type === undefined ? own(schema, "properties") === undefined : [type].flat().includes("null");
}
