import type { Json, JsonObject } from "../kernel/json.ts";
import type { ObjectShape, Shape } from "./shape.ts";
import { isNothing, scalarNames } from "./shape-json.ts";

/** A shape as JSON Schema: what the renderer prints as the type of a tool's value. `true` where nothing is known. */
export function shapeToSchema(shape: Shape): Json {
  if (shape.isAny || isNothing(shape)) return true;
  const arms: JsonObject[] = [];
  // Arrays and objects first: they are what a reader looks for.
  if (shape.object !== undefined) arms.push(objectSchema(shape.object));
  if (shape.items !== undefined) arms.push({ type: "array", items: shapeToSchema(shape.items) });
  if (shape.texts !== undefined) arms.push({ enum: [...shape.texts].sort() });
  for (const type of scalarNames(shape.scalars)) if (type !== "null") arms.push({ type });
  if (scalarNames(shape.scalars).includes("null")) arms.push({ type: "null" });
  const [only] = arms;
  return arms.length === 1 && only !== undefined ? only : { anyOf: arms };
}

function objectSchema(object: ObjectShape): JsonObject {
  if (object.kind === "map") return { type: "object", additionalProperties: shapeToSchema(object.value) };
  // Sorted, since the order in which answers came must not show.
  const fields = [...object.fields].sort(([a], [b]) => (a < b ? -1 : 1));
  if (fields.length === 0) return { type: "object", additionalProperties: true };
  const required = fields.filter(([, field]) => !field.isOptional).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, field]) => [name, shapeToSchema(field.shape)])),
    ...(required.length === 0 ? {} : { required }),
    ...(object.rest === undefined ? {} : { additionalProperties: shapeToSchema(object.rest) }),
  };
}
