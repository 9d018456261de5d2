import {
  ANY,
  type FieldShape,
  MAX_FIELDS,
  MAX_TEXTS,
  NOTHING,
  type ObjectShape,
  SCALARS,
  type Shape,
} from "./shape.ts";

/**
 * The smallest shape that fits what `a` fits and what `b` fits. Commutative, associative and idempotent: calls may be merged in
 * any order and more than once.
 * @returns `a` itself, the same object, when `b` tells nothing new
 */
export function mergeShapes(a: Shape, b: Shape): Shape {
  if (a === b || a.isAny || b === NOTHING) return a;
  if (b.isAny) return ANY;
  if (a === NOTHING) return b;
  const texts = mergeTexts(a, b);
  const scalars = a.scalars | b.scalars | (texts === "too many" ? SCALARS.string : 0);
  const kept = scalars & SCALARS.string || texts === "too many" ? undefined : texts;
  const items = mergeOptional(a.items, b.items, mergeShapes);
  const object = mergeOptional(a.object, b.object, mergeObjects);
  const isKnown = scalars === a.scalars && kept === a.texts && items === a.items && object === a.object;
  return isKnown ? a : { isAny: false, scalars, texts: kept, items, object };
}

/** A map of everything that the fields and the rest were: for a record whose keys are data after all. */
export function toMap(record: Extract<ObjectShape, { readonly kind: "record" }>): ObjectShape {
  let value = record.rest ?? NOTHING;
  for (const { shape } of record.fields.values()) value = mergeShapes(value, shape);
  return { kind: "map", value };
}

/** A record, or a map where it has more fields than a record may have. */
export function boundedRecord(record: Extract<ObjectShape, { readonly kind: "record" }>): ObjectShape {
  return record.fields.size > MAX_FIELDS ? toMap(record) : record;
}

function mergeOptional<T>(a: T | undefined, b: T | undefined, merge: (a: T, b: T) => T): T | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return merge(a, b);
}

function mergeTexts(a: Shape, b: Shape): ReadonlySet<string> | undefined | "too many" {
  if (a.texts === undefined || b.texts === undefined) return a.texts ?? b.texts;
  const known = a.texts;
  if ([...b.texts].every((text) => known.has(text))) return known;
  const texts = new Set([...known, ...b.texts]);
  return texts.size > MAX_TEXTS ? "too many" : texts;
}

function mergeObjects(a: ObjectShape, b: ObjectShape): ObjectShape {
  if (a.kind === "map" || b.kind === "map") {
    const one = a.kind === "map" ? a : toMap(a);
    const other = b.kind === "map" ? b : toMap(b);
    if (one.kind !== "map" || other.kind !== "map") return one;
    const value = mergeShapes(one.value, other.value);
    return a === one && value === one.value ? a : { kind: "map", value };
  }
  // Copied only when something changes: of 10,000 rows most tell nothing new.
  let fields: Map<string, FieldShape> | undefined;
  for (const [name, field] of a.fields) {
    const merged = mergeFields(field, b.fields.get(name));
    if (merged === field) continue;
    fields ??= new Map(a.fields);
    fields.set(name, merged);
  }
  for (const [name, { shape }] of b.fields) {
    if (a.fields.has(name)) continue;
    fields ??= new Map(a.fields);
    fields.set(name, { shape, isOptional: true });
  }
  const rest = mergeOptional(a.rest, b.rest, mergeShapes);
  if (fields === undefined && rest === a.rest) return a;
  return boundedRecord({ kind: "record", fields: fields ?? a.fields, rest });
}

function mergeFields(a: FieldShape, b: FieldShape | undefined): FieldShape {
  const shape = b === undefined ? a.shape : mergeShapes(a.shape, b.shape);
  const isOptional = a.isOptional || b === undefined || b.isOptional;
  return shape === a.shape && isOptional === a.isOptional ? a : { shape, isOptional };
}
