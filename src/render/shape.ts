import type { Json } from "../kernel/json.ts";
import { stableJson } from "../kernel/json.ts";

/**
 * A type as TypeScript can say it: what is left of a JSON Schema once references, siblings and half-valid pieces
 * are settled. Schemas go in (`schema-to-shape`), type text comes out (`print-shapes`).
 */
export type Shape =
  | { readonly kind: "unknown" }
  /** A part of an observed type that no answer has shown yet: a script may do with it what it likes. */
  | { readonly kind: "any" }
  | { readonly kind: "never" }
  | { readonly kind: "scalar"; readonly name: ScalarName }
  | { readonly kind: "literal"; readonly value: Literal }
  | { readonly kind: "array"; readonly item: Shape }
  | TupleShape
  | ObjectShape
  | {
      readonly kind: "mapped";
      readonly keys: readonly string[];
      readonly value: Shape;
      readonly isRequired: boolean;
    }
  | { readonly kind: "union"; readonly members: readonly Shape[] }
  | { readonly kind: "intersection"; readonly members: readonly Shape[] }
  | { readonly kind: "named"; readonly definition: Definition };

/** `integer` is a number to TypeScript; it prints as a name of its own, which says more for the same price. */
export type ScalarName = "string" | "number" | "integer" | "boolean" | "null";

/** A value that is a type by itself. An integer beyond 2^53 is a `bigint`, as it arrives in a script. */
export type Literal = string | number | bigint | boolean | null;

export interface TupleShape {
  readonly kind: "tuple";
  readonly items: readonly Shape[];
  /** How many items must be there; the others may be left out from the end. */
  readonly required: number;
  /** What may follow, or `undefined` where nothing may. */
  readonly rest: Shape | undefined;
}

export interface ObjectShape {
  readonly kind: "object";
  /** By name; a Map, since names such as `__proto__` are untrusted. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Keys beyond the fields: those that start with `prefix` (empty: all). `undefined` where none may be. */
  readonly rest: { readonly prefix: string; readonly shape: Shape } | undefined;
  /** What the schema says of this object, where no field can say it (a member of a union). */
  readonly comment: string;
}

export interface Field {
  readonly shape: Shape;
  readonly isRequired: boolean;
  /** Text of the field's comment, as written by the server: untrusted. */
  readonly comment: string;
}

/** A type with a name of its own: what a reference of the schema points to. `shape` is set once it is known. */
export interface Definition {
  readonly name: string;
  shape: Shape;
  comment: string;
}

export const UNKNOWN: Shape = { kind: "unknown" };
export const NEVER: Shape = { kind: "never" };
export const NULL: Shape = { kind: "scalar", name: "null" };
/** Any object: `Record<string, unknown>`. */
export const OPEN_OBJECT: ObjectShape = {
  kind: "object",
  fields: new Map(),
  rest: { prefix: "", shape: UNKNOWN },
  comment: "",
};

/** The union of `shapes`, without doubles. Known values stay beside their type (`"a" | string`): a reader learns from them. */
export function unionOf(shapes: readonly Shape[]): Shape {
  const parts = shapes.flatMap((shape) => (shape.kind === "union" ? shape.members : [shape]));
  const hasNumber = parts.some((shape) => shape.kind === "scalar" && shape.name === "number");
  const isCovered = (shape: Shape): boolean =>
    shape.kind === "never" || (hasNumber && shape.kind === "scalar" && shape.name === "integer");
  const members = distinct(parts.filter((shape) => !isCovered(shape)));
  const free =
    members.find((shape) => shape.kind === "any") ?? members.find((shape) => shape.kind === "unknown");
  if (free !== undefined) return free;
  const [first] = members;
  if (first === undefined) return NEVER;
  return members.length === 1 ? first : { kind: "union", members };
}

/**
 * What fits all of `shapes`. Objects without a name melt into one; a contradiction gives `never` and is told to
 * `onContradiction` with the field's name (empty for the whole).
 */
export function intersectionOf(
  shapes: readonly Shape[],
  onContradiction: (field: string) => void = () => {},
): Shape {
  const members = distinct(
    shapes.flatMap((shape) => (shape.kind === "intersection" ? shape.members : [shape])),
  ).filter((shape) => shape.kind !== "unknown");
  let result: Shape[] = [];
  for (const next of members) {
    let member: Shape = next;
    const others: Shape[] = [];
    for (const known of result) {
      const both = meet(known, member, onContradiction);
      if (both === undefined) others.push(known);
      else member = both;
    }
    if (member.kind === "never") return NEVER;
    result = [...others, member];
  }
  const [only] = result;
  if (only === undefined) return UNKNOWN;
  return result.length === 1 ? only : { kind: "intersection", members: result };
}

/** True when `value` has the scalar type `name`; a `bigint` is an integer. */
function isOfScalar(value: Literal, name: ScalarName): boolean {
  if (value === null) return name === "null";
  if (typeof value === "bigint") return name === "number" || name === "integer";
  return name === "integer" ? Number.isInteger(value) : typeof value === name;
}

/** The shape that only `value` has. */
export function shapeOfValue(value: Json): Shape {
  if (Array.isArray(value))
    return { kind: "tuple", items: value.map(shapeOfValue), required: value.length, rest: undefined };
  if (typeof value === "number" && !Number.isFinite(value)) return { kind: "scalar", name: "number" };
  if (value === null) return NULL;
  if (typeof value !== "object") return { kind: "literal", value };
  const fields = new Map<string, Field>();
  for (const [key, item] of Object.entries(value))
    if (item !== undefined) fields.set(key, { shape: shapeOfValue(item), isRequired: true, comment: "" });
  return { kind: "object", fields, rest: undefined, comment: "" };
}

/** True when `{}` has this shape: then a wrapper can be called without arguments. */
export function allowsEmptyObject(shape: Shape): boolean {
  switch (shape.kind) {
    case "unknown":
      return true;
    case "object":
      return ![...shape.fields.values()].some((field) => field.isRequired);
    case "mapped":
      return !shape.isRequired;
    case "union":
      return shape.members.some(allowsEmptyObject);
    case "intersection":
      return shape.members.every(allowsEmptyObject);
    case "named":
      return allowsEmptyObject(shape.definition.shape);
    default:
      return false;
  }
}

/** What fits both, where that is one shape again; `undefined` where TypeScript's `&` has to say it. */
function meet(left: Shape, right: Shape, onContradiction: (field: string) => void): Shape | undefined {
  if (left.kind === "object" && right.kind === "object") return meetObjects(left, right, onContradiction);
  const leftValues = plainMembers(left);
  const rightValues = plainMembers(right);
  if (leftValues === undefined || rightValues === undefined) {
    const isPlain = leftValues !== undefined || rightValues !== undefined;
    const isStructure =
      left.kind === "object" || right.kind === "object" || left.kind === "array" || right.kind === "array";
    return isPlain && isStructure ? contradiction("", onContradiction) : undefined;
  }
  const both = leftValues.flatMap((a) =>
    rightValues.flatMap((b): readonly Plain[] => {
      if (a.kind === "literal" && b.kind === "literal") return a.value === b.value ? [a] : [];
      if (a.kind === "literal") return b.kind === "scalar" && isOfScalar(a.value, b.name) ? [a] : [];
      if (b.kind === "literal") return a.kind === "scalar" && isOfScalar(b.value, a.name) ? [b] : [];
      if (a.name === "integer" && b.name === "number") return [a];
      return a.name === b.name || (a.name === "number" && b.name === "integer") ? [b] : [];
    }),
  );
  return both.length === 0 ? contradiction("", onContradiction) : unionOf(both);
}

function meetObjects(
  left: ObjectShape,
  right: ObjectShape,
  onContradiction: (field: string) => void,
): Shape | undefined {
  const isOpen = (shape: ObjectShape): boolean =>
    shape.rest?.shape.kind === "unknown" && shape.rest.prefix === "";
  if ((left.rest !== undefined && !isOpen(left)) || (right.rest !== undefined && !isOpen(right)))
    return undefined;
  const fields = new Map(left.fields);
  for (const [name, field] of right.fields) {
    const other = fields.get(name);
    if (other === undefined) {
      fields.set(name, field);
      continue;
    }
    const isRequired = field.isRequired || other.isRequired;
    let shape = intersectionOf([other.shape, field.shape]);
    if (shape.kind === "never" && other.shape.kind !== "never" && field.shape.kind !== "never") {
      onContradiction(name);
      // A required field that nothing fits would make the whole tool uncallable.
      if (isRequired) shape = UNKNOWN;
    }
    fields.set(name, { shape, isRequired, comment: joinComments(other.comment, field.comment) });
  }
  const rest = isOpen(left) || isOpen(right) ? OPEN_OBJECT.rest : undefined;
  return { kind: "object", fields, rest, comment: joinComments(left.comment, right.comment) };
}

/** Both comments, each once. */
export function joinComments(first: string, second: string): string {
  if (first === "" || second.includes(first)) return second;
  if (second === "" || first.includes(second)) return first;
  return `${first}\n${second}`;
}

function contradiction(field: string, onContradiction: (field: string) => void): Shape {
  onContradiction(field);
  return NEVER;
}

type Plain = Extract<Shape, { kind: "scalar" | "literal" }>;

function plainMembers(shape: Shape): readonly Plain[] | undefined {
  const members = shape.kind === "union" ? shape.members : [shape];
  const plain = members.filter(
    (member): member is Plain => member.kind === "scalar" || member.kind === "literal",
  );
  return plain.length === members.length ? plain : undefined;
}

function distinct(shapes: readonly Shape[]): Shape[] {
  if (shapes.length < 2) return [...shapes];
  const byText = new Map<string, Shape>();
  for (const shape of shapes) {
    const text = shapeKey(shape);
    if (!byText.has(text)) byText.set(text, shape);
  }
  return [...byText.values()];
}

/** Text that is equal for equal shapes, comments included; a definition counts by its name, so a recursive one ends. */
export function shapeKey(shape: Shape): string {
  switch (shape.kind) {
    case "scalar":
      return shape.name;
    case "literal":
      return typeof shape.value === "bigint" ? `${shape.value}n` : JSON.stringify(shape.value);
    case "array":
      return `[${shapeKey(shape.item)}]`;
    case "tuple":
      return `(${shape.items.map(shapeKey).join()};${shape.required};${shape.rest ? shapeKey(shape.rest) : ""})`;
    case "object": {
      const fields = [...shape.fields].map(
        ([name, field]) =>
          `${JSON.stringify(name)}${field.isRequired ? "!" : ""}:${shapeKey(field.shape)}:${JSON.stringify(field.comment)}`,
      );
      const rest = shape.rest === undefined ? "" : `${shape.rest.prefix}=${shapeKey(shape.rest.shape)}`;
      return `{${fields.join()};${rest};${shape.comment}}`;
    }
    case "mapped":
      return `<${stableJson(shape.keys)}${shape.isRequired}${shapeKey(shape.value)}>`;
    case "union":
      return `u(${shape.members.map(shapeKey).join()})`;
    case "intersection":
      return `i(${shape.members.map(shapeKey).join()})`;
    case "named":
      return `#${shape.definition.name}`;
    default:
      return shape.kind;
  }
}
