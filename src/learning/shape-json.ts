import { isJsonObject, type Json, type JsonObject, own, stringifyJson } from "../kernel/json.ts";
import { keyKind } from "./field-names.ts";
import {
  ANY,
  type FieldShape,
  MAX_DEPTH,
  MAX_FIELDS,
  MAX_TEXT_LENGTH,
  MAX_TEXTS,
  NOTHING,
  type ObjectShape,
  SCALARS,
  type Shape,
} from "./shape.ts";

/**
 * A shape as JSON, for the committed file; short, and one fact a line when it is indented. Equal shapes give equal JSON.
 *
 *     "number|string"                 scalar types         "any"                          nothing is known
 *     ["string"], []                  an array             {"id": "number", "name?": …}   an object; ? may be missing
 *     {"*": …}                        a map                {"=": ["open", "closed"]}      texts that were seen
 *     {"|": ["null", {"id": …}]}      one of these
 */
export function shapeToJson(shape: Shape): Json {
  if (shape.isAny) return "any";
  const parts: Json[] = [];
  if (shape.scalars > 0) parts.push(scalarNames(shape.scalars).join("|"));
  if (shape.texts !== undefined) parts.push({ "=": [...shape.texts].sort() });
  if (shape.items !== undefined) parts.push(isNothing(shape.items) ? [] : [shapeToJson(shape.items)]);
  if (shape.object !== undefined) parts.push(objectToJson(shape.object));
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { "|": parts };
}

/** Names of the scalar types in `scalars`. */
export function scalarNames(scalars: number): readonly (keyof typeof SCALARS)[] {
  return NAMES.filter((name) => (scalars & SCALARS[name]) !== 0);
}

const NAMES = ["boolean", "null", "number", "string"] as const;

/** True when two shapes say the same. */
export function isSameShape(a: Shape, b: Shape): boolean {
  return a === b || stringifyJson(shapeToJson(a)) === stringifyJson(shapeToJson(b));
}

/** True for the shape of what was never seen. */
export function isNothing(shape: Shape): boolean {
  return !shape.isAny && shape.scalars === 0 && !shape.texts && !shape.items && !shape.object;
}

function objectToJson(object: ObjectShape): JsonObject {
  if (object.kind === "map") return { "*": shapeToJson(object.value) };
  const fields = [...object.fields]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { shape, isOptional }]): [string, Json] => [
      isOptional ? `${name}?` : name,
      shapeToJson(shape),
    ]);
  if (object.rest !== undefined) fields.push(["*", shapeToJson(object.rest)]);
  return Object.fromEntries(fields);
}

/** Reads what {@link shapeToJson} wrote. @returns `undefined` for anything that it cannot have written */
export function shapeFromJson(json: Json): Shape | undefined {
  return parse(json, 0);
}

function parse(json: Json, depth: number): Shape | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (json === "any") return ANY;
  if (typeof json === "string") return parseScalars(json);
  if (Array.isArray(json)) return parseItems(json, depth);
  if (!isJsonObject(json)) return undefined;
  const texts = own(json, "=");
  if (texts !== undefined) return Object.keys(json).length === 1 ? parseTexts(texts) : undefined;
  const parts = own(json, "|");
  if (parts === undefined) return parseObject(json, depth);
  return Object.keys(json).length === 1 && Array.isArray(parts) ? parseUnion(parts, depth) : undefined;
}

function parseScalars(text: string): Shape | undefined {
  let scalars = 0;
  for (const name of text.split("|")) {
    const known = NAMES.find((one) => one === name);
    if (known === undefined) return undefined;
    scalars |= SCALARS[known];
  }
  return { ...NOTHING, scalars };
}

function parseItems(list: readonly Json[], depth: number): Shape | undefined {
  const [item] = list;
  if (list.length > 1) return undefined;
  const items = item === undefined ? NOTHING : parse(item, depth + 1);
  return items && { ...NOTHING, items };
}

function parseTexts(list: Json): Shape | undefined {
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_TEXTS) return undefined;
  const isText = (text: Json): text is string => typeof text === "string" && text.length <= MAX_TEXT_LENGTH;
  return list.every(isText) ? { ...NOTHING, texts: new Set(list) } : undefined;
}

/** Each kind at most once, as it was written: an array and an object may stand beside scalars, not two arrays. */
function parseUnion(parts: readonly Json[], depth: number): Shape | undefined {
  let union = NOTHING;
  for (const part of parts) {
    const one = parse(part, depth);
    if (one === undefined || one.isAny) return undefined;
    const isTwice =
      (union.scalars > 0 && one.scalars > 0) ||
      (union.items && one.items) ||
      (union.object && one.object) ||
      (union.texts && one.texts);
    if (isTwice) return undefined;
    union = {
      isAny: false,
      scalars: union.scalars | one.scalars,
      texts: union.texts ?? one.texts,
      items: union.items ?? one.items,
      object: union.object ?? one.object,
    };
  }
  return union.texts !== undefined && union.scalars & SCALARS.string ? undefined : union;
}

function parseObject(json: JsonObject, depth: number): Shape | undefined {
  const fields = new Map<string, FieldShape>();
  let rest: Shape | undefined;
  for (const [key, member] of Object.entries(json)) {
    const shape = parse(member ?? null, depth + 1);
    if (shape === undefined) return undefined;
    const isOptional = key.endsWith("?");
    const name = isOptional ? key.slice(0, -1) : key;
    if (key === "*") rest = shape;
    // A key that looks like data was never written; one that stands here twice was merged by hand.
    else if (keyKind(name) !== "plain" || fields.has(name)) return undefined;
    else fields.set(name, { shape, isOptional });
  }
  if (fields.size > MAX_FIELDS) return undefined;
  const isMap = rest !== undefined && fields.size === 0;
  return {
    ...NOTHING,
    object: isMap ? { kind: "map", value: rest ?? NOTHING } : { kind: "record", fields, rest },
  };
}
