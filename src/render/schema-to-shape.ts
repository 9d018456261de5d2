import type { Json, JsonObject } from "../kernel/json.ts";
import { isJsonObject, own } from "../kernel/json.ts";
import { tellApart } from "./arms.ts";
import { isSmall, settleDefinitions } from "./definitions.ts";
import { notesOf } from "./notes.ts";
import { objectShape } from "./object-shape.ts";
import { createReferences, REFERENCE_KEYWORDS, referenceOf } from "./references.ts";
import { isOfTypes, type TypeName, typesOfSchema } from "./schema-types.ts";
import {
  type Definition,
  intersectionOf,
  joinComments,
  NEVER,
  NULL,
  type Shape,
  shapeOfValue,
  UNKNOWN,
  unionOf,
} from "./shape.ts";
import { definitionName } from "./type-names.ts";
import type { Described, Place, Walk } from "./walk.ts";

/** Deeper schemas exist only to break generators; TypeScript itself gives up soon after. */
const MAX_DEPTH = 200;
/** Parts of one schema; the largest honest one known has about 1,000. Beyond, the rest is `unknown`. */
const MAX_PARTS = 5_000;

/**
 * Turns a JSON Schema of any draft (untrusted, maybe half-valid) into a {@link Shape}. Never throws and never looks
 * outside the document; what cannot be said becomes `unknown` and is reported.
 * @param options.rootName the name under which a reference to the whole document (`#`) is printed
 * @param options.taken names that no definition may get; the names given here are added
 * @returns the root's shape, and the definitions that it refers to, in the order in which they are met
 */
export function shapeOfSchema(options: {
  readonly schema: Json;
  readonly role: "value" | "input";
  readonly rootName: string;
  readonly taken: Set<string>;
  /** Definitions of the tool's other schema by their meaning; the ones met here are added. */
  readonly shared: Map<string, Described>;
  readonly report: (message: string) => void;
}): { readonly root: Definition; readonly definitions: readonly Definition[] } {
  const references = createReferences(options.schema);
  const root: Definition = { name: options.rootName, shape: UNKNOWN, comment: "" };
  /** Definitions that are being worked out, and those that were met again meanwhile. */
  const open = new Set<Definition>();
  const recursive = new Set<Definition>();
  const known = new Map<Json, Described>();
  let parts = 0;

  const report = options.report;
  const walk: Walk = { report, shapeAt };

  function shapeAt(schema: Json | undefined, place: Place): Described {
    if (schema === true) return { shape: UNKNOWN, comment: "" };
    if (schema === false || isNothing(schema)) return { shape: NEVER, comment: "" };
    if (!isJsonObject(schema)) {
      report(`${at(place)} is not a schema; its type is unknown.`);
      return { shape: UNKNOWN, comment: "" };
    }
    parts += 1;
    if (place.depth > MAX_DEPTH) return giveUp(`The schema is nested more than ${MAX_DEPTH} levels deep`);
    if (parts > MAX_PARTS) return giveUp(`The schema has more than ${MAX_PARTS} parts`);
    return references.isTarget(schema) ? shapeOfTarget(schema, place) : shapeOfPart(schema, place);
  }

  let hasGivenUp = false;
  function giveUp(reason: string): Described {
    if (!hasGivenUp) report(`${reason}; what is beyond has the type unknown.`);
    hasGivenUp = true;
    return { shape: UNKNOWN, comment: "" };
  }

  /** A part that something refers to: named and printed once, unless its text is no longer than a name. */
  function shapeOfTarget(schema: JsonObject, place: Place): Described {
    if (schema === options.schema) return { shape: { kind: "named", definition: root }, comment: "" };
    const isKnown = known.has(schema);
    const meaning = isKnown ? undefined : references.meaningOf(schema);
    const before = isKnown ? known.get(schema) : options.shared.get(meaning ?? "");
    if (before?.shape.kind === "named" && open.has(before.shape.definition))
      recursive.add(before.shape.definition);
    if (before !== undefined) return before;
    const path = references.pathOf(schema);
    const definition: Definition = {
      name: definitionName(nameFrom(path), options.taken),
      shape: UNKNOWN,
      comment: "",
    };
    options.taken.add(definition.name);
    const named: Described = { shape: { kind: "named", definition }, comment: "" };
    known.set(schema, named);
    if (meaning !== undefined) options.shared.set(meaning, named);
    open.add(definition);
    const described = shapeOfPart(schema, { depth: place.depth, name: path.at(-1) ?? "", role: "value" });
    open.delete(definition);
    if (isSmall(described.shape) && !recursive.has(definition)) {
      known.set(schema, described);
      if (meaning !== undefined) options.shared.set(meaning, described);
      options.taken.delete(definition.name);
      return described;
    }
    definition.shape = described.shape;
    definition.comment = described.comment;
    return named;
  }

  function shapeOfPart(schema: JsonObject, place: Place): Described {
    const reference = referenceOf(schema);
    if (reference === undefined) return shapeOfBody(schema, place, undefined);
    const target = references.resolve(reference);
    let referred: Described = { shape: UNKNOWN, comment: "" };
    if (target === undefined)
      report(`${at(place)} refers to something outside its schema; its type is unknown.`);
    else if (isJsonObject(target.node)) referred = shapeOfReferred(target.node, place);
    else referred = shapeAt(target.node, { ...place, depth: place.depth + 1 });
    return shapeOfBody(schema, place, referred);
  }

  /** References that only lead to one another never reach a type. */
  function shapeOfReferred(node: JsonObject, place: Place): Described {
    if (place.depth > MAX_DEPTH) return giveUp(`The schema is nested more than ${MAX_DEPTH} levels deep`);
    return shapeOfTarget(node, { ...place, depth: place.depth + 1 });
  }

  function shapeOfBody(schema: JsonObject, place: Place, referred: Described | undefined): Described {
    const inner = { depth: place.depth + 1, name: "", role: "part" } as const;
    const words: string[] = [];
    const shapes: Shape[] = [];
    if (referred !== undefined) shapes.push(referred.shape);
    for (const part of list(schema, "allOf")) {
      const { shape, comment } = shapeAt(part, inner);
      shapes.push(shape);
      words.push(comment);
    }
    for (const keyword of ["anyOf", "oneOf"]) {
      const members = list(schema, keyword);
      if (members.length === 0) continue;
      const arms = members.map((member) =>
        shapeAt(member, { ...inner, role: armRole(schema, member, place) }),
      );
      const isExclusive = members.map(
        (member) => keyword === "oneOf" || own(member, "additionalProperties") === false,
      );
      shapes.push(unionOf(tellApart(arms.map(withOwnComment), isExclusive)));
      words.push(...arms.map((arm) => armWords(arm)).filter((word) => word !== ""));
    }
    const hasParts = shapes.some((shape) => shape.kind !== "unknown");
    const base = ownShape(schema, hasParts ? { ...place, role: "part" } : place);
    words.push(base.comment);
    let shape = intersectionOf([base.shape, ...shapes], (field) => {
      report(
        field === "" ? `${at(place)} allows no value at all.` : `Nothing fits the field ${quote(field)}.`,
      );
    });
    if (shape.kind === "never" && !hasFalse(schema)) shape = UNKNOWN;
    if (
      own(schema, "nullable") === true &&
      own(schema, "enum") === undefined &&
      own(schema, "const") === undefined
    )
      shape = unionOf([shape, NULL]);
    const notes = notesOf(schema, place.name);
    const ownWords = referred === undefined || notes !== "" ? notes : referred.comment;
    return { shape, comment: [ownWords, ...words].reduce(joinComments, "") };
  }

  /** What `type`, `enum`, `const` and the keywords of objects and arrays say. */
  function ownShape(schema: JsonObject, place: Place): Described {
    const declared = typesOfSchema(schema);
    if (declared === "invalid")
      report(`${at(place)} has a type that JSON Schema does not know; its type is unknown.`);
    const types = declared === "invalid" ? "any" : declared;
    const constant = own(schema, "const");
    if (constant !== undefined) return { shape: shapeOfValue(constant), comment: "" };
    const values = own(schema, "enum");
    if (Array.isArray(values) && values.length > 0)
      return { shape: enumShape(values, types, place), comment: "" };
    if (values !== undefined) report(`${at(place)} has an empty or invalid enum, which is left out.`);
    if (types === "any") return { shape: UNKNOWN, comment: "" };
    const described = types.map((type): Described => {
      if (type === "object") return objectShape(schema, place, walk);
      if (type === "array") return arrayShape(schema, place);
      return { shape: { kind: "scalar", name: type }, comment: "" };
    });
    return {
      shape: unionOf(described.map((one) => one.shape)),
      comment: described.map((one) => one.comment).reduce(joinComments, ""),
    };
  }

  function enumShape(values: readonly Json[], types: "any" | readonly TypeName[], place: Place): Shape {
    const fitting = types === "any" ? values : values.filter((value) => isOfTypes(value, types));
    if (fitting.length === 0) report(`${at(place)} has an enum of which no value has its type.`);
    return unionOf((fitting.length === 0 ? values : fitting).map(shapeOfValue));
  }

  function arrayShape(schema: JsonObject, place: Place): Described {
    const items = own(schema, "items");
    const prefix = own(schema, "prefixItems") ?? (Array.isArray(items) ? items : undefined);
    const inner = { depth: place.depth + 1, name: "", role: "value" } as const;
    if (!Array.isArray(prefix) || prefix.length === 0) {
      const item =
        items === undefined || Array.isArray(items) ? { shape: UNKNOWN, comment: "" } : shapeAt(items, inner);
      return { shape: { kind: "array", item: item.shape }, comment: each(item.comment) };
    }
    const described = (prefix as readonly Json[]).map((item) => shapeAt(item, inner));
    const restSchema = Array.isArray(items) ? own(schema, "additionalItems") : items;
    const rest = restSchema === undefined ? { shape: UNKNOWN, comment: "" } : shapeAt(restSchema, inner);
    const most = own(schema, "maxItems");
    const isFull = rest.shape.kind === "never" || (typeof most === "number" && most <= described.length);
    const least = own(schema, "minItems");
    return {
      shape: {
        kind: "tuple",
        items: described.map((item) => item.shape),
        required: typeof least === "number" ? Math.max(0, Math.min(described.length, Math.floor(least))) : 0,
        rest: isFull ? undefined : rest.shape,
      },
      comment: described
        .map((item) => item.comment)
        .filter((word) => word !== "")
        .join(", "),
    };
  }

  const described = shapeAtRoot();
  root.shape = described.shape;
  root.comment = described.comment;
  return { root, definitions: settleDefinitions(root, report) };

  function shapeAtRoot(): Described {
    const schema = options.schema;
    if (!isJsonObject(schema)) return shapeAt(schema, { depth: 0, name: "", role: options.role });
    return shapeOfPart(schema, { depth: 0, name: "", role: options.role });
  }
}

function list(schema: JsonObject, keyword: string): readonly Json[] {
  const value = own(schema, keyword);
  return Array.isArray(value) ? value : [];
}

/** An arm beside fields of its own schema only adds to them; one that stands alone is a value. */
function armRole(schema: JsonObject, member: Json, place: Place): Place["role"] {
  const hasFields = own(schema, "properties") !== undefined;
  const onlyRequires =
    isJsonObject(member) && own(member, "type") === undefined && own(member, "properties") === undefined;
  return hasFields || onlyRequires ? "part" : place.role;
}

function withOwnComment(arm: Described): Shape {
  return arm.shape.kind === "object" && arm.comment !== ""
    ? { ...arm.shape, comment: arm.comment }
    : arm.shape;
}

function armWords({ shape, comment }: Described): string {
  if (comment === "" || shape.kind === "object") return "";
  if (shape.kind === "literal") return `${String(shape.value)}: ${comment}`;
  return shape.kind === "scalar" ? `${shape.name}: ${comment}` : comment;
}

function each(comment: string): string {
  return comment === "" ? "" : `each: ${comment}`;
}

function hasFalse(schema: JsonObject): boolean {
  return ["allOf", "anyOf", "oneOf"].some((keyword) =>
    list(schema, keyword).some((part) => part === false || isNothing(part)),
  );
}

/** `{"not": {}}` is how zod writes `undefined`: no value of JSON fits. */
function isNothing(schema: Json | undefined): boolean {
  const not = own(schema, "not");
  return not === true || (isJsonObject(not) && Object.keys(not).length === 0);
}

/** The last part of a pointer that names something: `#/properties/filter/items` is a filter. */
function nameFrom(path: readonly string[]): string {
  return path.findLast((part) => part !== "" && !/^\d+$/.test(part) && !STRUCTURE.has(part)) ?? "Value";
}

const STRUCTURE: ReadonlySet<string> = new Set(
  [
    ...REFERENCE_KEYWORDS,
    "items",
    "prefixItems",
    "additionalProperties",
    "additionalItems",
    "anyOf",
    "oneOf",
    "allOf",
  ].concat(["properties", "$defs", "definitions", "patternProperties", "not", "if", "then", "else"]),
);

function at(place: Place): string {
  return place.name === "" ? "A part of the schema" : `The field ${quote(place.name)}`;
}

function quote(name: string): string {
  return JSON.stringify(name);
}
