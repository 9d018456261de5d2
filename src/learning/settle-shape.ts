import { toMap } from "./merge-shapes.ts";
import { ANY, type FieldShape, MAX_DEPTH, type ObjectShape, SCALARS, type Shape } from "./shape.ts";
import { isNothing, isSameShape } from "./shape-json.ts";

/**
 * Names and types in one shape; with more, its deepest levels become {@link ANY}. A wrapper with 600 fields takes about 6,000
 * tokens, more than anybody reads.
 */
const MAX_PARTS = 600;

/** So many objects of the same fields under different keys: the keys are ids or names of things. */
const MANY_SAME_OBJECTS = 5;
/** So many numbers, flags or lists under different keys: counts by somebody's name. */
const MANY_SAME_VALUES = 17;
/** So many keys of which no answer had one in common with all others, all with one type. */
const MANY_VARYING = 9;

/**
 * What is kept of a shape that was merged from answers: records whose keys turn out to be data become maps, and what is too large
 * is cut. Unlike the merge itself this looks at the whole, so it is done once, before a shape is stored. Settling twice changes nothing.
 */
export function settleShape(shape: Shape): Shape {
  let settled = settleKeys(shape);
  for (let depth = MAX_DEPTH; depth > 0 && countParts(settled) > MAX_PARTS; depth -= 1)
    settled = settleKeys(cutAt(settled, depth - 1));
  return settled;
}

function settleKeys(shape: Shape): Shape {
  const object = shape.object === undefined ? undefined : settleObject(shape.object);
  const items = shape.items === undefined ? undefined : settleKeys(shape.items);
  return { ...shape, items, object };
}

function settleObject(object: ObjectShape): ObjectShape {
  if (object.kind === "map") return { kind: "map", value: settleKeys(object.value) };
  const fields = new Map<string, FieldShape>();
  for (const [name, field] of object.fields) fields.set(name, { ...field, shape: settleKeys(field.shape) });
  const rest = object.rest === undefined ? undefined : settleKeys(object.rest);
  const record = { kind: "record", fields, rest } as const;
  return hasDataAsKeys(fields) ? settleObject(toMap(record)) : record;
}

function hasDataAsKeys(fields: ReadonlyMap<string, FieldShape>): boolean {
  const [first] = fields.values();
  if (first === undefined || fields.size < MANY_SAME_OBJECTS) return false;
  for (const { shape } of fields.values()) if (!isSameShape(shape, first.shape)) return false;
  const { object, items, scalars } = first.shape;
  if (object !== undefined && !(object.kind === "record" && object.fields.size === 0)) return true;
  const isText = (scalars & SCALARS.string) !== 0 || first.shape.texts !== undefined;
  const isCount = !isText && !first.shape.isAny && (items !== undefined || scalars !== SCALARS.null);
  if (isCount && fields.size >= MANY_SAME_VALUES) return true;
  return fields.size >= MANY_VARYING && [...fields.values()].every((field) => field.isOptional);
}

function cutAt(shape: Shape, levels: number): Shape {
  if (shape.object === undefined && shape.items === undefined) return shape;
  if (levels === 0) return ANY;
  const below = (part: Shape): Shape => cutAt(part, levels - 1);
  return {
    ...shape,
    items: shape.items && (isNothing(shape.items) ? shape.items : below(shape.items)),
    object: shape.object && cutObject(shape.object, below),
  };
}

function cutObject(object: ObjectShape, below: (part: Shape) => Shape): ObjectShape {
  if (object.kind === "map") return { kind: "map", value: below(object.value) };
  const fields = [...object.fields].map(
    ([name, field]) => [name, { ...field, shape: below(field.shape) }] as const,
  );
  return { kind: "record", fields: new Map(fields), rest: object.rest && below(object.rest) };
}

function countParts(shape: Shape): number {
  let parts = 1;
  if (shape.items !== undefined) parts += countParts(shape.items);
  if (shape.object?.kind === "map") parts += countParts(shape.object.value);
  if (shape.object?.kind === "record") {
    for (const { shape: field } of shape.object.fields.values()) parts += countParts(field);
    if (shape.object.rest !== undefined) parts += countParts(shape.object.rest);
  }
  return parts;
}
