import type { Json, JsonObject } from "../kernel/json.ts";
import { isAnything, mergedObjects, NEVER, recordOf, unionOf, wordsIn } from "./object-schema.ts";
import { commentOf } from "./type-comments.ts";
import {
  isNothing,
  keyOf,
  literalOf,
  type Member,
  mayBeMissing,
  type ReadType,
  type Scope,
  type TypeNode,
  unsayable,
  WRITE_OUT,
} from "./type-node.ts";

/** How the parts of a type are read. */
export interface PartReaders {
  /** Any type; a type that contains itself becomes a reference. */
  readonly type: ReadType;
  /** What a reference to a definition stands for, once that is known. */
  readonly flat: (schema: JsonObject) => JsonObject;
}

/** Reads types that are written out; a name is none of them. */
export function createStructuralTypes({ type, flat }: PartReaders): ReadType {
  const typeOf: ReadType = async (node, scope) => {
    switch (node.type) {
      case "TSStringKeyword":
        return { type: "string" };
      case "TSNumberKeyword":
        return { type: "number" };
      case "TSBigIntKeyword":
        return { type: "integer" };
      case "TSBooleanKeyword":
        return { type: "boolean" };
      case "TSNullKeyword":
        return { type: "null" };
      case "TSAnyKeyword":
      case "TSUnknownKeyword":
        return {};
      case "TSNeverKeyword":
        return NEVER;
      case "TSObjectKeyword":
        return { type: "object" };
      case "TSParenthesizedType":
        return await type(node.typeAnnotation, scope);
      case "TSLiteralType":
        return { const: literalOf(node, scope) };
      case "TSArrayType":
        return { type: "array", items: await type(node.elementType, scope) };
      case "TSTupleType":
        return await tuple(node, scope);
      case "TSUnionType":
        return await union(node.types, scope, node);
      case "TSIntersectionType":
        return await merged(node.types, scope, node);
      case "TSTypeLiteral":
        return await members(node.members, scope);
      case "TSMappedType":
        return await mapped(node, scope);
      case "TSTypeOperator":
        if (node.operator === "readonly") return await type(node.typeAnnotation, scope);
        return unsayable(node, scope, `"${node.operator}" takes a compiler.`, WRITE_OUT);
      case "TSIndexedAccessType":
        return await indexed(node, scope);
      default:
        return unsayable(node, scope, "This kind of type is no data in JSON.", WRITE_OUT);
    }
  };

  const tuple = async (
    { elementTypes }: Extract<TypeNode, { readonly type: "TSTupleType" }>,
    scope: Scope,
  ): Promise<JsonObject> => {
    const prefixItems: JsonObject[] = [];
    let items: Json = false;
    let least = 0;
    for (const [at, element] of elementTypes.entries()) {
      const inner = element.type === "TSNamedTupleMember" ? element.elementType : element;
      const isLast = at === elementTypes.length - 1;
      if (inner.type === "TSRestType") {
        const rest = await type(inner.typeAnnotation, scope);
        if (!isLast || rest.type !== "array")
          unsayable(inner, scope, "Only the last element of a tuple may stand for several.", WRITE_OUT);
        items = rest.items ?? {};
        continue;
      }
      const isOptional =
        inner.type === "TSOptionalType" || (element.type === "TSNamedTupleMember" && element.optional);
      prefixItems.push(await type(inner.type === "TSOptionalType" ? inner.typeAnnotation : inner, scope));
      if (!isOptional) least += 1;
    }
    return { type: "array", ...(prefixItems.length === 0 ? {} : { prefixItems }), items, minItems: least };
  };

  const union = async (types: readonly TypeNode[], scope: Scope, node: TypeNode): Promise<JsonObject> => {
    const arms: JsonObject[] = [];
    // `undefined` is no value of JSON: a member that may hold it is one that may be left out.
    for (const arm of types) if (!isNothing(arm)) arms.push(await type(arm, scope));
    if (arms.length === 0) return unsayable(node, scope, "undefined is no value of JSON.", "Use null.");
    return unionOf(arms);
  };

  const merged = async (types: readonly TypeNode[], scope: Scope, node: TypeNode): Promise<JsonObject> => {
    const parts: JsonObject[] = [];
    for (const part of types) parts.push(flat(await type(part, scope)));
    return mergedObjects(parts) ?? unsayable(node, scope, "Only objects can be joined by &.", WRITE_OUT);
  };

  const members = async (all: readonly Member[], scope: Scope): Promise<JsonObject> => {
    const properties: [string, JsonObject][] = [];
    const required: string[] = [];
    let others: Json = false;
    for (const member of all) {
      if (member.type === "TSIndexSignature") {
        if (member.typeAnnotation) others = await type(member.typeAnnotation.typeAnnotation, scope);
        continue;
      }
      if (member.type !== "TSPropertySignature")
        return unsayable(member, scope, "A method is no data in JSON.", "Leave it out of the type.");
      const name = keyOf(member);
      const annotation = member.typeAnnotation?.typeAnnotation;
      if (name === undefined)
        return unsayable(member, scope, "The name of this member is computed.", WRITE_OUT);
      const schema = annotation === undefined ? {} : await type(annotation, scope);
      const comment = commentOf(member, scope.module.text, scope.module.parsed.comments);
      properties.push([name, comment === "" ? schema : { ...schema, description: comment }]);
      if (!member.optional && !(annotation && mayBeMissing(annotation))) required.push(name);
    }
    return {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length === 0 ? {} : { required }),
      ...(isAnything(others) ? {} : { additionalProperties: others }),
    };
  };

  /** `{ [key in "a" | "b"]: string }`: a record of known words. */
  const mapped = async (
    node: Extract<TypeNode, { readonly type: "TSMappedType" }>,
    scope: Scope,
  ): Promise<JsonObject> => {
    const { typeParameter, typeAnnotation, nameType, optional } = node;
    const words = typeParameter.constraint ? wordsIn(await type(typeParameter.constraint, scope)) : [];
    if (words.length === 0 || nameType || !typeAnnotation)
      return unsayable(node, scope, "The names of these members are computed.", WRITE_OUT);
    const { required, ...rest } = recordOf({ enum: words }, await type(typeAnnotation, scope));
    return optional ? rest : { ...rest, required };
  };

  /** `["a","b"][number]`, as wrappers write long lists of words, and `Invoice["total"]`. */
  const indexed = async (
    { objectType, indexType }: Extract<TypeNode, { readonly type: "TSIndexedAccessType" }>,
    scope: Scope,
  ): Promise<JsonObject> => {
    const whole = flat(await type(objectType, scope));
    if (indexType.type === "TSNumberKeyword") {
      const { prefixItems, items } = whole;
      if (Array.isArray(prefixItems)) return unionOf(prefixItems as readonly JsonObject[]);
      if (typeof items === "object" && items !== null) return items as JsonObject;
    }
    const key = indexType.type === "TSLiteralType" ? literalOf(indexType, scope) : undefined;
    const member = typeof key === "string" ? (whole.properties as JsonObject | undefined)?.[key] : undefined;
    return member === undefined
      ? unsayable(indexType, scope, "There is no such member.", WRITE_OUT)
      : (member as JsonObject);
  };

  return typeOf;
}
