import type { JsonObject } from "../kernel/json.ts";
import { commentText } from "./comment-text.ts";
import { resolved } from "./definitions.ts";
import type { Definition, Literal, ObjectShape, Shape } from "./shape.ts";
import { literalText, propertyName } from "./type-names.ts";
import { type Block, leafNode } from "./type-node.ts";

/**
 * What a placeholder in the library's output stands for. No text of a server goes through the library: names,
 * comments and references travel as `p0`, `d0` and come back in `type-text`.
 * `field`: a property; `key`: the bracket of an index or mapped type; `item`: an item of a tuple;
 * `note`: a comment of the object itself.
 */
export interface Head {
  readonly kind: "field" | "key" | "item" | "note";
  /** Text of the name or bracket, ready to print. */
  readonly text: string;
  /** Text of the comment, untrusted. */
  readonly comment: string;
}

/** A schema in the small dialect that json-schema-to-typescript prints right, with the meaning of its placeholders. */
export interface LibrarySchema {
  readonly schema: JsonObject;
  /** By placeholder, `p0`, `p1`, …; the first ones are the declarations, in order. */
  readonly heads: ReadonlyMap<string, Head>;
  /** Names of types by placeholder, `d0`, `d1`, … */
  readonly names: ReadonlyMap<string, string>;
  /** Objects that are finished already, by placeholder, `f0`, `f1`, … */
  readonly blocks: ReadonlyMap<string, Block>;
}

/**
 * Translates declarations into one object schema with a property for each, so that one call of the library prints
 * them all. Ordinary kinds go through as JSON Schema; these are handed over as finished text (`tsType`) or as an
 * object behind a placeholder, since the library prints them wrong or not at all (measured on 16.0.0): references
 * (it copies those with siblings, throws on anchors and fetches foreign ones), `unknown` and `never`, integers beyond 2^53,
 * tuples with optional items (unions of tuples that repeat every item), keys with a prefix or from a closed list.
 * Objects without objects in them are finished here and travel as one word: the library looks at each part some 25 times, and
 * most parts of a definition lie in such objects (a third of a sync's time).
 */
export function librarySchema(declarations: readonly Definition[]): LibrarySchema {
  const heads = new Map<string, Head>();
  const names = new Map<string, string>();
  const blocks = new Map<string, Block>();
  const placeholders = new Map<Definition, string>();

  const head = (kind: Head["kind"], text: string, comment = ""): string => {
    const placeholder = `p${heads.size}`;
    heads.set(placeholder, { kind, text, comment });
    return placeholder;
  };
  const nameOf = (definition: Definition): string => {
    let placeholder = placeholders.get(definition);
    if (placeholder === undefined) {
      placeholder = `d${placeholders.size}`;
      placeholders.set(definition, placeholder);
      names.set(placeholder, definition.name);
    }
    return placeholder;
  };

  const toSchema = (unresolved: Shape): JsonObject => {
    const shape = resolved(unresolved);
    switch (shape.kind) {
      case "unknown":
      case "any":
      case "never":
        return { tsType: shape.kind };
      case "scalar":
        // The library would print `number`.
        return shape.name === "integer" ? { tsType: "integer" } : { type: shape.name };
      case "literal":
        return literalSchema([shape.value]);
      case "named":
        return { tsType: nameOf(shape.definition) };
      case "array":
        return { type: "array", items: toSchema(shape.item) };
      case "tuple":
        return {
          type: "array",
          items: shape.items.map((item, index) =>
            boxed([[head("item", ""), toSchema(item)]], index < shape.required),
          ),
          minItems: shape.items.length,
          additionalItems: shape.rest === undefined ? false : toSchema(shape.rest),
        };
      case "mapped": {
        const key = `[key in ${shape.keys.map(literalText).join(" | ")}]`;
        return boxed([[head("key", key), toSchema(shape.value)]], shape.isRequired);
      }
      case "object":
        return objectSchema(shape);
      case "union": {
        const literals = shape.members.flatMap((member) => (member.kind === "literal" ? [member.value] : []));
        const others = shape.members.filter((member) => member.kind !== "literal").map(toSchema);
        if (literals.length > 0) others.unshift(literalSchema(literals));
        return others.length === 1 ? (others[0] ?? {}) : { anyOf: others };
      }
      case "intersection":
        return { allOf: shape.members.map(toSchema) };
    }
  };

  /** The object as one word, where it holds no other object. */
  const flatSchema = ({ fields, rest, comment }: ObjectShape): JsonObject | undefined => {
    const leaves = [...fields].map(([name, field]) => ({ name, field, node: leafNode(field.shape, nameOf) }));
    if (rest !== undefined || leaves.some(({ node }) => node === undefined)) return undefined;
    const members = commentText(comment) === "" ? [] : [noteMember(head("note", "", comment))];
    for (const { name, field, node } of leaves)
      if (node !== undefined)
        members.push({
          key: head("field", propertyName(name), field.comment),
          isOptional: !field.isRequired,
          node,
        });
    const placeholder = `f${blocks.size}`;
    blocks.set(placeholder, { kind: "block", members });
    return { tsType: placeholder };
  };

  const objectSchema = (shape: ObjectShape): JsonObject => {
    const { fields, rest, comment } = shape;
    if (fields.size === 0 && rest === undefined) return { tsType: "Record<string, never>" };
    const flat = flatSchema(shape);
    if (flat !== undefined) return flat;
    const properties: [string, JsonObject][] = [];
    const required: string[] = [];
    if (commentText(comment) !== "") {
      const note = head("note", "", comment);
      properties.push([note, { tsType: "never" }]);
      required.push(note);
    }
    for (const [name, field] of fields) {
      const placeholder = head("field", propertyName(name), field.comment);
      properties.push([placeholder, toSchema(field.shape)]);
      if (field.isRequired) required.push(placeholder);
    }
    if (rest !== undefined && rest.prefix !== "") {
      const key = head("key", `[key: \`${rest.prefix}\${string}\`]`);
      properties.push([key, toSchema(rest.shape)]);
      required.push(key);
    }
    return {
      type: "object",
      properties: Object.fromEntries(properties),
      required,
      additionalProperties: rest === undefined || rest.prefix !== "" ? false : toSchema(rest.shape),
    };
  };

  const tops = declarations.map((declaration) => head("field", declaration.name, declaration.comment));
  const schema = boxed(
    declarations.map((declaration, index) => [tops[index] ?? "", toSchema(declaration.shape)]),
    true,
  );
  return { schema, heads, names, blocks };
}

function noteMember(key: string): Block["members"][number] {
  return { key, isOptional: false, node: { kind: "word", text: "never" } };
}

function boxed(properties: readonly (readonly [string, JsonObject])[], isRequired: boolean): JsonObject {
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: isRequired ? properties.map(([name]) => name) : [],
    additionalProperties: false,
  };
}

/** The library prints values by `JSON.stringify`, which does not know long integers. */
function literalSchema(values: readonly Literal[]): JsonObject {
  const plain = values.filter((value) => typeof value !== "bigint");
  const long = values
    .filter((value) => typeof value === "bigint")
    .map((value) => ({ tsType: literalText(value) }));
  if (long.length === 0) return { enum: plain };
  return { anyOf: plain.length === 0 ? long : [{ enum: plain }, ...long] };
}
