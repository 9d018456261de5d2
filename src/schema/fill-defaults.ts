import { isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";

/**
 * Arguments with the defaults of their schema in the places that the caller left out: of properties, also of objects in objects and
 * lists, and behind references within the schema. Defaults of branches of a union are not filled, since nobody knows which branch
 * is meant. What the caller gave stays as it is.
 */
export function fillDefaults(schema: Json, args: JsonObject): JsonObject {
  const filled = fill(schema, args, { root: schema, depth: 0 });
  return isJsonObject(filled) ? filled : args;
}

/** Where in the schema this is; a schema that refers to itself with defaults would go on for ever. */
interface Place {
  readonly root: Json;
  readonly depth: number;
}

const MAX_DEPTH = 32;

function fill(schema: Json, value: Json, place: Place): Json {
  if (place.depth > MAX_DEPTH) return value;
  const within = { ...place, depth: place.depth + 1 };
  const target = own(schema, "$ref");
  const seen = typeof target === "string" ? fill(resolve(place.root, target) ?? {}, value, within) : value;
  if (Array.isArray(seen)) {
    const items = own(schema, "items");
    return isJsonObject(items) ? (seen as readonly Json[]).map((item) => fill(items, item, within)) : seen;
  }
  return isJsonObject(seen) ? fillObject(schema, seen, within) : seen;
}

function fillObject(schema: Json, value: JsonObject, place: Place): JsonObject {
  const properties = own(schema, "properties");
  if (!isJsonObject(properties)) return value;
  // By entries and not by assignment, so that a key `__proto__` stays a key.
  const members = new Map(Object.entries(value));
  for (const [key, property] of Object.entries(properties)) {
    const given = members.get(key);
    if (given !== undefined) members.set(key, fill(property ?? {}, given, place));
    else if (!members.has(key)) {
      const fallback = defaultOf(property ?? {}, place);
      if (fallback !== undefined) members.set(key, fallback);
    }
  }
  return Object.fromEntries(members);
}

function defaultOf(property: Json, { root, depth }: Place): Json | undefined {
  const target = own(property, "$ref");
  const direct = own(property, "default");
  if (direct !== undefined || typeof target !== "string" || depth > MAX_DEPTH) return direct;
  return defaultOf(resolve(root, target) ?? {}, { root, depth: depth + 1 });
}

/** What `#/$defs/address` points to. Nothing outside of the schema is ever looked at. */
function resolve(root: Json, reference: string): Json | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let found: Json | undefined = root;
  for (const step of reference.slice(2).split("/")) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    found = Array.isArray(found) ? (found as readonly Json[])[Number(key)] : own(found, key);
  }
  return found;
}
