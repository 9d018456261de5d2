import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { areKeysData, type KeyKind, keyKind } from "./field-names.ts";
import { boundedRecord, mergeShapes } from "./merge-shapes.ts";
import {
  ANY,
  type FieldShape,
  MAX_DEPTH,
  MAX_TEXT_LENGTH,
  NOTHING,
  type ObjectShape,
  SCALARS,
  type Shape,
} from "./shape.ts";

/** Keys of one answer whose kind is remembered; an object with more different ones is a map. */
const MAX_REMEMBERED_KEYS = 10_000;

/**
 * The shape of one value. Nothing of its scalars is kept, and no key that looks like data.
 * @param enums fields whose texts are kept, as the config names them: `status`, `rows.kind` (of each element of the array
 * `rows`; `*` for the keys of a map)
 */
export function shapeOf(value: Json, enums: ReadonlySet<string> = NO_ENUMS): Shape {
  const kinds = new Map<string, KeyKind>();
  const kindOf = (key: string): KeyKind => {
    let kind = kinds.get(key);
    if (kind === undefined) {
      kind = keyKind(key);
      if (kinds.size < MAX_REMEMBERED_KEYS) kinds.set(key, kind);
    }
    return kind;
  };

  const shapeAt = (item: Json, depth: number, path: string): Shape => {
    if (typeof item === "string")
      return enums.has(path) && item.length <= MAX_TEXT_LENGTH
        ? { ...NOTHING, texts: new Set([item]) }
        : STRING;
    if (item === null) return NULL;
    if (typeof item === "number" || typeof item === "bigint") return NUMBER;
    if (typeof item === "boolean") return BOOLEAN;
    if (depth >= MAX_DEPTH) return ANY;
    if (isJsonObject(item)) return { ...NOTHING, object: objectAt(item, depth, path) };
    let items = NOTHING;
    for (const element of item) items = mergeShapes(items, shapeAt(element, depth + 1, path));
    return { ...NOTHING, items };
  };

  const objectAt = (item: JsonObject, depth: number, path: string): ObjectShape => {
    const keys = Object.keys(item);
    const isMap = areKeysData(keys, kindOf);
    const fields = new Map<string, FieldShape>();
    let rest: Shape | undefined = isMap ? NOTHING : undefined;
    for (const key of keys) {
      const member = item[key];
      if (member === undefined) continue;
      const isField = !isMap && kindOf(key) === "plain";
      const name = isField ? key : "*";
      const shape = shapeAt(member, depth + 1, enums.size === 0 || path === "" ? name : `${path}.${name}`);
      if (isField) fields.set(key, { shape, isOptional: false });
      else rest = mergeShapes(rest ?? NOTHING, shape);
    }
    if (isMap) return { kind: "map", value: rest ?? NOTHING };
    return boundedRecord({ kind: "record", fields, rest });
  };

  return shapeAt(value, 0, "");
}

const NO_ENUMS: ReadonlySet<string> = new Set();

const scalar = (bit: number): Shape => ({ ...NOTHING, scalars: bit });
const BOOLEAN = scalar(SCALARS.boolean);
const NULL = scalar(SCALARS.null);
const NUMBER = scalar(SCALARS.number);
const STRING = scalar(SCALARS.string);
