import { isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";
import { createReferences, REFERENCE_KEYWORDS, referenceOf } from "../render/references.ts";
import { mapParts } from "./subschemas.ts";
import type { Note } from "./vendor.ts";

/**
 * A schema as valid JSON Schema 2020-12, the dialect in which vendors read it: older spellings are turned into today's, what means
 * nothing goes, and references are put in place (`inline`) or kept where they lead to something (`keep`).
 */
export function spellOut(root: Json, references: "inline" | "keep", note: Note): JsonObject {
  const { resolve } = createReferences(root);
  let parts = 0;

  const visit = (schema: Json, path: string, open: readonly Json[]): Json | undefined => {
    if (schema === false) {
      note(path, "nothing is valid here, so it is left out");
      return undefined;
    }
    if (!isJsonObject(schema)) {
      if (schema !== true) note(path, "is no schema, so anything goes");
      return {};
    }
    parts += 1;
    const reference = referenceOf(schema);
    if (reference !== undefined && (references === "inline" || !isPointer(reference)))
      return follow(schema, reference, path, open);
    if (reference !== undefined && resolve(reference) === undefined)
      return withoutTarget(schema, reference, path);
    const today = modernized(schema, path, note);
    return mapParts(today, path, (part, at) => visit(part, at, open));
  };

  const follow = (
    schema: JsonObject,
    reference: string,
    path: string,
    open: readonly Json[],
  ): Json | undefined => {
    const target = resolve(reference)?.node;
    if (target === undefined) return withoutTarget(schema, reference, path);
    if (open.includes(target) || parts > MAX_PARTS) {
      note(
        path,
        open.includes(target) ? "repeats itself without end, and is cut off" : "is too large, and is cut off",
      );
      const type = own(target, "type");
      return { ...withoutReference(schema), ...(typeof type === "string" ? { type } : {}) };
    }
    const siblings = withoutReference(schema);
    const merged = isJsonObject(target) ? { ...target, ...siblings } : target;
    return visit(merged, path, [...open, target]);
  };

  const withoutTarget = (schema: JsonObject, reference: string, path: string): Json => {
    note(path, `refers to ${JSON.stringify(reference.slice(0, 80))}, which is not there, so anything goes`);
    return withoutReference(schema);
  };

  const whole = visit(root, "", [root]);
  if (!isJsonObject(whole)) return {};
  return references === "inline" ? without(whole, ["$defs", "definitions"]) : whole;
}

/** Definitions that use each other again and again grow without bound when they are put in place. */
const MAX_PARTS = 3_000;

function isPointer(reference: string): boolean {
  return reference === "#" || reference.startsWith("#/");
}

function withoutReference(schema: JsonObject): JsonObject {
  return without(schema, REFERENCE_KEYWORDS);
}

/** A copy without these keys. */
export function without(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

const TYPES: readonly Json[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** Of one schema, its own keywords: drafts 3 to 7 and OpenAPI wrote some of them in another way. */
function modernized(schema: JsonObject, path: string, note: Note): JsonObject {
  const now: Record<string, Json | undefined> = { ...schema };
  // They say nothing of the value, and only cost tokens.
  for (const key of ["$schema", "$comment", "$id", "id"]) if (typeof now[key] === "string") delete now[key];
  const types = typeList(schema, path, note);
  if (types !== undefined) now.type = types.length === 1 ? (types[0] ?? null) : types;
  else delete now.type;
  if (schema.nullable === true && types !== undefined && !types.includes("null"))
    now.type = [...types, "null"];
  delete now.nullable;
  for (const side of ["Minimum", "Maximum"] as const) modernizeBound(now, side);
  if (Array.isArray(schema.items)) {
    now.prefixItems = schema.items;
    now.items = schema.additionalItems ?? true;
  }
  delete now.additionalItems;
  if (now.items === true) now.items = {};
  if (now.required !== undefined && !isTextList(now.required)) delete now.required;
  if (now.properties !== undefined && !isJsonObject(now.properties)) delete now.properties;
  if (now.enum !== undefined && !(Array.isArray(now.enum) && now.enum.length > 0)) delete now.enum;
  return now;
}

function typeList(schema: JsonObject, path: string, note: Note): readonly Json[] | undefined {
  const given = own(schema, "type");
  if (given === undefined) return undefined;
  const listed: readonly Json[] = Array.isArray(given) ? given : [given];
  const known = [...new Set(listed)].filter((type) => TYPES.includes(type));
  if (known.length < listed.length) note(path, `type ${JSON.stringify(given)} is not one of JSON Schema's`);
  return known.length === 0 ? undefined : known;
}

/** Draft 4: `exclusiveMinimum: true` beside `minimum`. */
function modernizeBound(schema: Record<string, Json | undefined>, side: "Minimum" | "Maximum"): void {
  const exclusive = `exclusive${side}`;
  const plain = side.toLowerCase();
  if (typeof schema[exclusive] !== "boolean") return;
  if (schema[exclusive] === true && typeof schema[plain] === "number") {
    schema[exclusive] = schema[plain];
    delete schema[plain];
  } else delete schema[exclusive];
}

function isTextList(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
