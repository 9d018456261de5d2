import { mergeShapes } from "./merge-shapes.ts";
import { type FieldShape, NOTHING, type ObjectShape, SCALARS, type Shape } from "./shape.ts";

/** The shape without the texts of fields that the config does not name (any more): those become the type string. */
export function keepTexts(shape: Shape, enums: ReadonlySet<string>, path = ""): Shape {
  const isWidened = shape.texts !== undefined && !enums.has(path);
  const items = shape.items && keepTexts(shape.items, enums, path);
  const object = shape.object && keepInObject(shape.object, enums, path);
  if (!isWidened && items === shape.items && object === shape.object) return shape;
  const kept = { ...shape, items, object };
  return isWidened
    ? mergeShapes({ ...kept, texts: undefined }, { ...NOTHING, scalars: SCALARS.string })
    : kept;
}

function keepInObject(object: ObjectShape, enums: ReadonlySet<string>, path: string): ObjectShape {
  const below = (part: Shape, name: string): Shape =>
    keepTexts(part, enums, path === "" ? name : `${path}.${name}`);
  if (object.kind === "map") {
    const value = below(object.value, "*");
    return value === object.value ? object : { kind: "map", value };
  }
  const fields = new Map<string, FieldShape>();
  for (const [name, field] of object.fields) fields.set(name, { ...field, shape: below(field.shape, name) });
  return { kind: "record", fields, rest: object.rest && below(object.rest, "*") };
}
