import type { Definition, Field, Shape } from "./shape.ts";

/** Shorter comments cost little, and a range or a unit helps wherever it stands. In characters. */
const MIN_LENGTH = 25;

/**
 * Says things once: where a field of the same name has had the same comment already, further up in the tool's types (an output
 * often repeats its input), the comment is left out. The declarations' shapes are replaced.
 * @param declarations in the order in which they are printed
 */
export function dropRepeatedComments(declarations: readonly Definition[]): void {
  const said = new Set<string>();
  const visit = (shape: Shape): Shape => {
    switch (shape.kind) {
      case "object": {
        const fields = new Map<string, Field>();
        for (const [name, field] of shape.fields) {
          const key = JSON.stringify([name, field.comment]);
          const isSaid = field.comment.length >= MIN_LENGTH && said.has(key);
          said.add(key);
          fields.set(name, { ...field, shape: visit(field.shape), comment: isSaid ? "" : field.comment });
        }
        return { ...shape, fields, rest: shape.rest && { ...shape.rest, shape: visit(shape.rest.shape) } };
      }
      case "array":
        return { ...shape, item: visit(shape.item) };
      case "tuple":
        return { ...shape, items: shape.items.map(visit), rest: shape.rest && visit(shape.rest) };
      case "mapped":
        return { ...shape, value: visit(shape.value) };
      case "union":
      case "intersection":
        return { ...shape, members: shape.members.map(visit) };
      default:
        return shape;
    }
  };
  for (const declaration of declarations) declaration.shape = visit(declaration.shape);
}
