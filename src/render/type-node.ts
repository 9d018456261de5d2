import { resolved } from "./definitions.ts";
import type { Definition, Shape } from "./shape.ts";
import { literalText } from "./type-names.ts";

/** A type as a tree of what TypeScript writes: between a shape, which says what is meant, and its text. */
export type TypeNode =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "array"; readonly item: TypeNode }
  | { readonly kind: "tuple"; readonly items: readonly TypeNode[]; readonly rest: TypeNode | undefined }
  | { readonly kind: "list"; readonly operator: "|" | "&"; readonly members: readonly TypeNode[] }
  | Block;

/** Members of an object by their placeholders (see `library-schema`). */
export interface Block {
  readonly kind: "block";
  readonly members: readonly {
    readonly key: string;
    readonly isOptional: boolean;
    readonly node: TypeNode;
  }[];
}

/**
 * The node of a shape that holds no object: scalars, values, names, and unions and arrays of them.
 * @param nameOf the placeholder of a definition's name
 * @returns `undefined` for any other shape
 */
export function leafNode(
  unresolved: Shape,
  nameOf: (definition: Definition) => string,
): TypeNode | undefined {
  const shape = resolved(unresolved);
  switch (shape.kind) {
    case "unknown":
    case "any":
    case "never":
      return { kind: "word", text: shape.kind };
    case "scalar":
      return { kind: "word", text: shape.name };
    case "literal":
      return { kind: "word", text: literalText(shape.value) };
    case "named":
      return { kind: "word", text: nameOf(shape.definition) };
    case "array": {
      const item = leafNode(shape.item, nameOf);
      return item && { kind: "array", item };
    }
    case "union": {
      const members = shape.members.toSorted(literalsFirst).map((member) => leafNode(member, nameOf));
      const known = members.filter((member) => member !== undefined);
      return known.length < members.length ? undefined : { kind: "list", operator: "|", members: known };
    }
    default:
      return undefined;
  }
}

function literalsFirst(a: Shape, b: Shape): number {
  return Number(b.kind === "literal") - Number(a.kind === "literal");
}
