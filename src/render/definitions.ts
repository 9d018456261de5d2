import { type Definition, type Field, intersectionOf, type Shape, UNKNOWN, unionOf } from "./shape.ts";

/** A type whose text is about as short as a name for it. */
export function isSmall(shape: Shape): boolean {
  switch (shape.kind) {
    case "object":
      return shape.fields.size === 0 && (shape.rest === undefined || isSmall(shape.rest.shape));
    case "array":
      return isSmall(shape.item);
    case "union":
      return shape.members.length === 2 && shape.members.every((member) => member.kind === "scalar");
    case "scalar":
    case "literal":
    case "unknown":
    case "any":
    case "never":
      return true;
    default:
      return false;
  }
}

/** `root` and the definitions that can be reached from it, in the order in which a reader meets them. */
function definitionsFrom(root: Definition): readonly Definition[] {
  const found = new Set<Definition>([root]);
  const visit = (shape: Shape): void => {
    if (shape.kind === "named") found.add(shape.definition);
    else for (const part of partsOf(shape)) visit(part);
  };
  // A set grows while it is walked, so that what a definition refers to is walked too.
  for (const definition of found) visit(definition.shape);
  return [...found];
}

/** The shapes that a shape is made of; a definition is not entered. */
export function partsOf(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case "array":
      return [shape.item];
    case "tuple":
      return shape.rest === undefined ? shape.items : [...shape.items, shape.rest];
    case "object": {
      const fields = [...shape.fields.values()].map((field) => field.shape);
      return shape.rest === undefined ? fields : [...fields, shape.rest.shape];
    }
    case "mapped":
      return [shape.value];
    case "union":
    case "intersection":
      return shape.members;
    default:
      return [];
  }
}

/** The shape that stands where a definition is used: itself, where it came out no longer than a name. */
export function resolved(shape: Shape): Shape {
  if (shape.kind !== "named") return shape;
  const target = shape.definition.shape;
  if (target.kind === "named") return resolved(target);
  return isSmall(target) ? target : shape;
}

/**
 * Settles definitions after the walk. `type A = A | string` is no type for TypeScript: one that is nothing but itself
 * becomes `unknown` there, is reported, and what stands beside it is worked out again.
 */
export function settleDefinitions(
  root: Definition,
  report: (message: string) => void,
): readonly Definition[] {
  const definitions = definitionsFrom(root);
  cutAliasCycles(definitions, report);
  if (definitions.some((definition) => definition !== root && isSmall(definition.shape)))
    for (const definition of definitions) definition.shape = rebuilt(resolved(definition.shape), resolved);
  return definitionsFrom(root).slice(1);
}

/**
 * The same shape with each of its parts replaced, from the outside in: a part that `replace` gives back as it is has its
 * own parts replaced in turn. Unions and intersections are simplified once more.
 */
export function rebuilt(shape: Shape, replace: (part: Shape) => Shape): Shape {
  const next = (part: Shape): Shape => {
    const replaced = replace(part);
    return replaced === part ? rebuilt(part, replace) : replaced;
  };
  switch (shape.kind) {
    case "array":
      return { ...shape, item: next(shape.item) };
    case "tuple":
      return { ...shape, items: shape.items.map(next), rest: shape.rest && next(shape.rest) };
    case "object": {
      const fields = new Map<string, Field>();
      for (const [name, field] of shape.fields) fields.set(name, { ...field, shape: next(field.shape) });
      return { ...shape, fields, rest: shape.rest && { ...shape.rest, shape: next(shape.rest.shape) } };
    }
    case "mapped":
      return { ...shape, value: next(shape.value) };
    case "union":
      return unionOf(shape.members.map(next));
    case "intersection":
      return intersectionOf(shape.members.map(next));
    default:
      return shape;
  }
}

function cutAliasCycles(definitions: readonly Definition[], report: (message: string) => void): void {
  const isOpen = new Set<Definition>();
  const isDone = new Set<Definition>();
  const cut = (shape: Shape): Shape => {
    if (shape.kind === "union") return unionOf(shape.members.map(cut));
    if (shape.kind === "intersection") return intersectionOf(shape.members.map(cut));
    if (shape.kind !== "named") return shape;
    if (isOpen.has(shape.definition)) {
      report(
        `The definition ${JSON.stringify(shape.definition.name)} is defined by nothing but itself; it is unknown.`,
      );
      return UNKNOWN;
    }
    visit(shape.definition);
    return shape;
  };
  const visit = (definition: Definition): void => {
    if (isDone.has(definition)) return;
    isOpen.add(definition);
    definition.shape = cut(definition.shape);
    isOpen.delete(definition);
    isDone.add(definition);
  };
  for (const definition of definitions) visit(definition);
}
