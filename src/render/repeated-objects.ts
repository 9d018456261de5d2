import { partsOf, rebuilt } from "./definitions.ts";
import { type Definition, type ObjectShape, type Shape, shapeKey } from "./shape.ts";
import { definitionName } from "./type-names.ts";

/** Shorter objects cost less where they stand than a name for them does. In characters of their key. */
const MIN_LENGTH = 150;

/**
 * Finds objects that a tool's types spell out more than once (an output often repeats its input) and gives each a
 * local name, so that it is printed once. The declarations' shapes are replaced.
 * @param taken names that are in use; the new ones are added
 * @returns the new declarations. They are not exported: a change of one copy would take the name away
 */
export function nameRepeatedObjects(
  declarations: readonly Definition[],
  taken: Set<string>,
): readonly Definition[] {
  if (declarations.reduce((sum, { shape }) => sum + objectsIn(shape), 0) < declarations.length + 2) return [];
  const seen = new Map<string, { times: number; readonly word: string }>();
  const count = (shape: Shape, word: string): void => {
    if (shape.kind === "object") {
      const key = shapeKey(shape);
      if (key.length < MIN_LENGTH) return;
      const entry = seen.get(key) ?? { times: 0, word };
      entry.times += 1;
      seen.set(key, entry);
      // What lies in a copy is not counted again: it is printed with the first.
      if (entry.times > 1) return;
      countInside(shape, word);
    } else if (shape.kind === "array") count(shape.item, singular(word));
    else if (shape.kind === "union" || shape.kind === "intersection")
      for (const member of shape.members) count(member, word);
  };
  const countInside = (shape: ObjectShape, word: string): void => {
    for (const [name, field] of shape.fields) count(field.shape, name);
    if (shape.rest !== undefined) count(shape.rest.shape, word);
  };
  for (const { shape } of declarations)
    if (shape.kind === "object") countInside(shape, "");
    else count(shape, "");

  const named = new Map<string, Definition>();
  const replace = (shape: Shape): Shape => {
    if (shape.kind !== "object") return shape;
    const key = shapeKey(shape);
    const entry = seen.get(key);
    if (entry === undefined || entry.times < 2) return shape;
    let definition = named.get(key);
    if (definition === undefined) {
      const name = definitionName(entry.word, taken);
      taken.add(name);
      definition = { name, shape, comment: "" };
      named.set(key, definition);
      definition.shape = inside(shape);
    }
    return { kind: "named", definition };
  };
  const inside = (shape: Shape): Shape => rebuilt(shape, replace);
  if ([...seen.values()].some(({ times }) => times > 1))
    for (const declaration of declarations) declaration.shape = inside(declaration.shape);
  return [...named.values()];
}

/** How many objects a shape spells out. */
function objectsIn(shape: Shape): number {
  const inside = partsOf(shape).reduce((sum, part) => sum + objectsIn(part), 0);
  return shape.kind === "object" ? inside + 1 : inside;
}

/** The word for one of many: an item of `entities` is an `entity`. */
function singular(word: string): string {
  return word.replace(/ies$/, "y").replace(/([^s])s$/, "$1");
}
