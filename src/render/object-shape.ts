import type { Json, JsonObject } from "../kernel/json.ts";
import { isJsonObject, own } from "../kernel/json.ts";
import { type Field, type ObjectShape, type Shape, UNKNOWN, unionOf } from "./shape.ts";
import type { Described, Place, Walk } from "./walk.ts";

/**
 * What a schema says of objects. Keys that are not declared: allowed where the schema gives `additionalProperties`
 * or `patternProperties` and allows them; where it is silent, refused, so that a typing error is noticed. An object
 * of which nothing is known is free; a tool whose `properties` are empty takes no arguments.
 */
export function objectShape(schema: JsonObject, place: Place, walk: Walk): Described {
  const inner = (name: string): Place => ({ depth: place.depth + 1, name, role: "value" });
  const fields = new Map<string, Field>();
  const required = new Set(
    ([] as Json[]).concat(own(schema, "required") ?? []).filter((name) => typeof name === "string"),
  );
  const properties = own(schema, "properties");
  const entries = isJsonObject(properties) ? Object.entries(properties) : [];
  if (entries.length > MAX_FIELDS)
    walk.report(`A part of the schema has more than ${MAX_FIELDS} fields; the others have the type unknown.`);
  if (isJsonObject(properties))
    for (const [name, property] of entries.slice(0, MAX_FIELDS)) {
      const { shape, comment } = walk.shapeAt(property, inner(name));
      fields.set(name, { shape, comment, isRequired: required.has(name) });
    }
  else if (properties !== undefined) walk.report("A part of the schema has properties that are no object.");
  const rest: Rest =
    entries.length > MAX_FIELDS
      ? { kind: "some", prefix: "", shape: UNKNOWN, comment: "" }
      : restOf(schema, place, walk);

  const mapped = fields.size === 0 ? mappedShape(schema, required, rest) : undefined;
  if (mapped !== undefined) return mapped;

  const hasFields = fields.size > 0;
  for (const name of required)
    if (!fields.has(name)) {
      if (place.role !== "part" && hasFields && rest.kind !== "some")
        walk.report(`The required field ${JSON.stringify(name)} is not declared; its type is unknown.`);
      fields.set(name, {
        shape: rest.kind === "some" && rest.prefix === "" ? rest.shape : UNKNOWN,
        comment: "",
        isRequired: true,
      });
    }
  if (rest.kind === "some")
    return {
      shape: {
        kind: "object",
        fields,
        rest: { prefix: rest.prefix, shape: widened(rest, fields) },
        comment: "",
      },
      comment: rest.comment === "" ? "" : `values: ${rest.comment}`,
    };
  if (place.role === "part" && fields.size === 0) return { shape: UNKNOWN, comment: "" };
  const isKnown = hasFields || (place.role === "input" && properties !== undefined);
  const isFree = rest.kind === "unsaid" && !isKnown && place.role !== "part";
  const shape: ObjectShape = {
    kind: "object",
    fields,
    rest: isFree ? { prefix: "", shape: UNKNOWN } : undefined,
    comment: "",
  };
  return { shape, comment: "" };
}

/** More fields than a reader, or the library within a second, can take. */
const MAX_FIELDS = 2_000;

/** What the schema says of keys beyond the declared ones. */
type Rest =
  | { readonly kind: "some"; readonly prefix: string; readonly shape: Shape; readonly comment: string }
  | { readonly kind: "none" }
  | { readonly kind: "unsaid" };

function restOf(schema: JsonObject, place: Place, walk: Walk): Rest {
  const patterns = own(schema, "patternProperties");
  const entries = isJsonObject(patterns) ? Object.entries(patterns) : [];
  const inner: Place = { depth: place.depth + 1, name: "", role: "value" };
  const described = entries.map(([, part]) => walk.shapeAt(part, inner));
  const additional = own(schema, "additionalProperties") ?? own(schema, "unevaluatedProperties");
  const isClosed = additional === undefined || additional === false;
  if (!isClosed) described.push(walk.shapeAt(additional, inner));
  if (described.length === 0) return { kind: additional === false ? "none" : "unsaid" };
  const [only] = entries;
  return {
    kind: "some",
    prefix: isClosed && entries.length === 1 && only !== undefined ? prefixOf(only[0]) : "",
    shape: unionOf(described.map((one) => one.shape)),
    comment: described
      .map((one) => one.comment)
      .filter((word) => word !== "")
      .join("; "),
  };
}

/** The literal start that a pattern demands (`^x-` → `x-`), where it demands nothing else. */
function prefixOf(pattern: string): string {
  return /^\^([\w-]+)(\.[*+]\$?)?$/.exec(pattern)?.[1] ?? "";
}

/** `propertyNames` with a closed list of names (a record over an enum). */
function mappedShape(schema: JsonObject, required: ReadonlySet<string>, rest: Rest): Described | undefined {
  const names = own(schema, "propertyNames");
  const values =
    own(names, "enum") ?? (own(names, "const") === undefined ? undefined : [own(names, "const")]);
  if (!Array.isArray(values) || values.length === 0 || rest.kind === "none") return undefined;
  const keys = (values as readonly Json[]).filter((value) => typeof value === "string");
  if (keys.length === 0) return undefined;
  const isRequired = keys.every((key) => required.has(key));
  const value = rest.kind === "some" ? rest.shape : UNKNOWN;
  const comment = rest.kind === "some" ? rest.comment : "";
  if (!isRequired && keys.some((key) => required.has(key))) {
    const fields = new Map(
      keys.map((key) => [key, { shape: value, isRequired: required.has(key), comment: "" }]),
    );
    return { shape: { kind: "object", fields, rest: undefined, comment: "" }, comment };
  }
  return { shape: { kind: "mapped", keys: [...new Set(keys)], value, isRequired }, comment };
}

/**
 * TypeScript wants every field to fit the type of the other keys (TS2411). The library widens that type by the
 * fields' types; where those are long, or the keys have a prefix (which it does not know), it is `unknown` instead.
 */
function widened(
  rest: { readonly prefix: string; readonly shape: Shape },
  fields: ReadonlyMap<string, Field>,
): Shape {
  const concerned = [...fields]
    .filter(([name]) => name.startsWith(rest.prefix))
    .map(([, field]) => field.shape);
  const isShort = rest.prefix === "" ? concerned.every(isPlain) : concerned.length === 0;
  return isShort ? rest.shape : UNKNOWN;
}

/** Short enough to be repeated in the type of the other keys. */
function isPlain(shape: Shape): boolean {
  if (shape.kind === "union") return shape.members.length <= 3 && shape.members.every(isPlain);
  return shape.kind === "scalar" || shape.kind === "named" || (shape.kind === "array" && isPlain(shape.item));
}
