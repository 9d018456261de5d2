import { McpfsError } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { createTypeFinder, type FoundType, type LoadModule, type TypeModule } from "./module-types.ts";
import {
  allPartial,
  allRequired,
  mergedObjects,
  pickedMembers,
  unionOf,
  withoutMembers,
} from "./object-schema.ts";
import type { Parsed } from "./parse.ts";
import { commentOf } from "./type-comments.ts";

/** A node of a type, of whatever kind. */
export type TypeNode = Extract<
  Parsed["program"]["body"][number],
  { readonly type: "TSTypeAliasDeclaration" }
>["typeAnnotation"];
type Member = Extract<TypeNode, { readonly type: "TSTypeLiteral" }>["members"][number];
type Reference = Extract<TypeNode, { readonly type: "TSTypeReference" }>;

/** Says types as JSON Schema (2020-12), without a compiler: what takes inference is an error, never a guess. */
export interface TypeReader {
  /** @throws McpfsError SCRIPT_ERROR with `data` `{module, offset}`: the module's name and the UTF-16 offset of what cannot be said */
  readonly schemaOf: (type: TypeNode, module: TypeModule) => Promise<JsonObject>;
  /**
   * Of a type by its name; `undefined` where no such type is in sight.
   * @param offset of the name
   * @throws McpfsError as {@link TypeReader.schemaOf} does
   */
  readonly schemaOfName: (
    name: string,
    module: TypeModule,
    offset: number,
  ) => Promise<JsonObject | undefined>;
}

/** Where a type is read: the module, and what the parameters of a generic stand for. */
interface Scope {
  readonly module: TypeModule;
  readonly parameters: ReadonlyMap<string, { readonly type: TypeNode; readonly scope: Scope }>;
}

/** More is a program, and no shape of an answer. */
const MAX_NODES = 5_000;
const MAX_DEPTH = 100;

/** Creates the reader of one bundle's types. */
export function createTypeReader(load: LoadModule): TypeReader {
  const finder = createTypeFinder(load);
  return {
    schemaOf: async (type, module) => {
      const walk = createWalk(finder.find);
      return walk.finish(await walk.type(type, { module, parameters: new Map() }));
    },
    schemaOfName: async (name, module, offset) => {
      const found = await finder.find([name], module);
      if (found === undefined) return undefined;
      const walk = createWalk(finder.find);
      const scope: Scope = { module, parameters: new Map() };
      return walk.finish(await walk.named(found, [], { scope, offset }));
    },
  };
}

interface Walk {
  readonly type: (node: TypeNode, scope: Scope) => Promise<JsonObject>;
  readonly named: (
    found: FoundType,
    given: readonly TypeNode[],
    at: { readonly scope: Scope; readonly offset: number },
  ) => Promise<JsonObject>;
  readonly finish: (schema: JsonObject) => JsonObject;
}

/** One walk over one type and all that it names. */
function createWalk(find: ReturnType<typeof createTypeFinder>["find"]): Walk {
  const open = new Map<string, { isRecursive: boolean; readonly name: string }>();
  const definitions = new Map<string, JsonObject>();
  let nodes = 0;
  let depth = 0;

  const type: Walk["type"] = async (node, scope) => {
    nodes += 1;
    depth += 1;
    if (nodes > MAX_NODES || depth > MAX_DEPTH)
      unsayable(node, scope, "The type is too large for one answer.", "Ask for a part of it.");
    const schema = await typeOf(node, scope);
    depth -= 1;
    return schema;
  };

  const typeOf = async (node: TypeNode, scope: Scope): Promise<JsonObject> => {
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
      case "TSTypeOperator":
        if (node.operator === "readonly") return await type(node.typeAnnotation, scope);
        return unsayable(node, scope, `"${node.operator}" takes a compiler.`, WRITE_OUT);
      case "TSIndexedAccessType":
        return await indexed(node, scope);
      case "TSTypeReference":
        return await reference(node, scope);
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

  const reference = async (node: Reference, scope: Scope): Promise<JsonObject> => {
    const path = pathOf(node.typeName);
    const given = node.typeParameters?.params ?? [];
    const [name = ""] = path;
    const parameter = path.length === 1 ? scope.parameters.get(name) : undefined;
    if (parameter !== undefined) return await type(parameter.type, parameter.scope);
    const found = await find(path, scope.module);
    if (found !== undefined) return await named(found, given, { scope, offset: node.start ?? 0 });
    const known = path.length === 1 ? await utility(name, given, { node, scope }) : undefined;
    if (known !== undefined) return known;
    const hint = NO_DATA.get(name) ?? "Declare it in the script, or import it from a file of the workspace.";
    return unsayable(node, scope, `The type ${path.join(".")} is not in sight, or is no data in JSON.`, hint);
  };

  const named: Walk["named"] = async ({ module, declaration }, given, { scope, offset }) => {
    const name = declaration.id?.name ?? "";
    if (declaration.type === "ClassDeclaration")
      return unsayable({ start: offset }, scope, `${name} is a class, and no data in JSON.`, WRITE_OUT);
    if (declaration.type === "TSEnumDeclaration") return enumOf(declaration, { scope, offset });
    const parameters = new Map(
      (declaration.typeParameters?.params ?? []).flatMap((parameter, at) => {
        const argument = given[at];
        const [type, from] =
          argument === undefined ? [parameter.default, { module, parameters: new Map() }] : [argument, scope];
        return type
          ? [[parameter.name as unknown as string, { type: type as TypeNode, scope: from }] as const]
          : [];
      }),
    );
    const key = `${module.name} ${declaration.start} ${given.map((argument) => argument.start).join(" ")}`;
    const before = open.get(key);
    if (before !== undefined) {
      before.isRecursive = true;
      return { $ref: `#/$defs/${before.name}` };
    }
    const entry = { isRecursive: false, name: freeDefinition(name) };
    open.set(key, entry);
    const schema = await declared(declaration, { module, parameters });
    open.delete(key);
    if (!entry.isRecursive) return schema;
    definitions.set(entry.name, schema);
    return { $ref: `#/$defs/${entry.name}` };
  };

  const declared = async (
    declaration: Extract<
      FoundType["declaration"],
      { readonly type: "TSInterfaceDeclaration" | "TSTypeAliasDeclaration" }
    >,
    scope: Scope,
  ): Promise<JsonObject> => {
    if (declaration.type === "TSTypeAliasDeclaration") return await type(declaration.typeAnnotation, scope);
    const own = await members(declaration.body.body, scope);
    const parents: JsonObject[] = [];
    for (const parent of declaration.extends ?? []) {
      const node = {
        ...parent,
        type: "TSTypeReference",
        typeName: parent.expression,
      } as unknown as Reference;
      parents.push(flat(await type(node, scope)));
    }
    if (parents.length === 0) return own;
    return (
      mergedObjects([...parents, own]) ??
      unsayable(declaration, scope, "An interface can extend objects only.", WRITE_OUT)
    );
  };

  /** The types of the language that make one object type of another, and its names for lists. */
  const utility = async (
    name: string,
    given: readonly TypeNode[],
    { node, scope }: { readonly node: Reference; readonly scope: Scope },
  ): Promise<JsonObject | undefined> => {
    const argument = async (at: number): Promise<JsonObject> => {
      const wanted = given[at];
      return wanted
        ? flat(await type(wanted, scope))
        : unsayable(node, scope, `${name} needs a type.`, WRITE_OUT);
    };
    switch (name) {
      case "integer":
        return { type: "integer" };
      case "Array":
      case "ReadonlyArray":
        return { type: "array", items: await argument(0) };
      case "Readonly":
        return await argument(0);
      case "NonNullable":
        return withoutNull(await argument(0));
      case "Record":
        return recordOf(await argument(0), await argument(1));
      case "Partial":
        return allPartial(await argument(0));
      case "Required":
        return allRequired(await argument(0));
      case "Pick":
        return pickedMembers(await argument(0), wordsIn(await argument(1)));
      case "Omit":
        return withoutMembers(await argument(0), wordsIn(await argument(1)));
      default:
        return undefined;
    }
  };

  /** What a reference to a definition stands for, once that is known. */
  const flat = (schema: JsonObject): JsonObject => {
    const name = typeof schema.$ref === "string" ? schema.$ref.slice("#/$defs/".length) : undefined;
    return (name === undefined ? undefined : definitions.get(name)) ?? schema;
  };

  const freeDefinition = (name: string): string => {
    const taken = new Set([...definitions.keys(), ...[...open.values()].map((entry) => entry.name)]);
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
    return free;
  };

  return {
    type,
    named,
    finish: (schema) =>
      definitions.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(definitions) },
  };
}

const WRITE_OUT =
  "Write the shape out: objects, lists, texts, numbers, true/false, null, and unions of them.";

/** Names of the language that people take for data. */
const NO_DATA: ReadonlyMap<string, string> = new Map([
  ["Date", "JSON has no dates: use string, and say the form in a comment behind the member."],
  ["Map", "Use Record<string, …>."],
  ["Set", "Use a list."],
  ["Promise", "Name the type that it resolves to."],
]);

function unsayable(
  node: { readonly start?: number | null },
  { module }: Scope,
  message: string,
  hint: string,
): never {
  throw new McpfsError("SCRIPT_ERROR", `extract cannot use this type: ${message}`, {
    hint,
    data: { module: module.name, offset: node.start ?? 0 },
  });
}

function literalOf(
  node: Extract<TypeNode, { readonly type: "TSLiteralType" }>,
  scope: Scope,
): string | number | boolean {
  const { literal } = node;
  switch (literal.type) {
    case "StringLiteral":
    case "NumericLiteral":
    case "BooleanLiteral":
      return literal.value;
    case "UnaryExpression":
      if (literal.operator === "-" && literal.argument.type === "NumericLiteral")
        return -literal.argument.value;
      break;
    case "TemplateLiteral":
      if (literal.expressions.length === 0) return literal.quasis[0]?.value.cooked ?? "";
      break;
  }
  return unsayable(node, scope, "This literal is no value of JSON.", WRITE_OUT);
}

function enumOf(
  declaration: Extract<FoundType["declaration"], { readonly type: "TSEnumDeclaration" }>,
  { scope, offset }: { readonly scope: Scope; readonly offset: number },
): JsonObject {
  let next = 0;
  const values = declaration.members.map(({ initializer }) => {
    if (!initializer) return next++;
    if (initializer.type === "NumericLiteral") next = initializer.value + 1;
    if (initializer.type === "NumericLiteral" || initializer.type === "StringLiteral")
      return initializer.value;
    return unsayable({ start: offset }, scope, "A value of this enum is computed.", WRITE_OUT);
  });
  return { enum: values };
}

function pathOf(name: Reference["typeName"]): readonly string[] {
  const node = name as unknown as { type: string; name?: string; left?: unknown; right?: unknown };
  if (node.type === "TSQualifiedName")
    return [...pathOf(node.left as Reference["typeName"]), ...pathOf(node.right as Reference["typeName"])];
  // `extends crm.Row` is an expression.
  if (node.type === "MemberExpression") {
    const { object, property } = name as unknown as Record<string, Reference["typeName"]>;
    return [...(object ? pathOf(object) : []), ...(property ? pathOf(property) : [])];
  }
  return [node.name ?? ""];
}

function keyOf(member: Extract<Member, { readonly type: "TSPropertySignature" }>): string | undefined {
  const { key, computed } = member;
  if (key.type === "Identifier" && computed !== true) return key.name;
  return key.type === "StringLiteral" || key.type === "NumericLiteral" ? String(key.value) : undefined;
}

function isNothing(node: TypeNode): boolean {
  return node.type === "TSUndefinedKeyword" || node.type === "TSVoidKeyword";
}

function mayBeMissing(node: TypeNode): boolean {
  return node.type === "TSUnionType" && node.types.some(isNothing);
}

function isAnything(schema: Json): boolean {
  return typeof schema === "object" && schema !== null && Object.keys(schema).length === 0;
}

function recordOf(keys: JsonObject, values: JsonObject): JsonObject {
  const words = wordsIn(keys);
  return words.length === 0
    ? { type: "object", ...(isAnything(values) ? {} : { additionalProperties: values }) }
    : {
        type: "object",
        properties: Object.fromEntries(words.map((word) => [word, values])),
        required: words,
        additionalProperties: false,
      };
}

/** The words of a union of literals. */
function wordsIn({ enum: several, const: one }: JsonObject): readonly string[] {
  const values = Array.isArray(several) ? (several as readonly Json[]) : one === undefined ? [] : [one];
  return values.map(String);
}

function withoutNull(schema: JsonObject): JsonObject {
  const arms = Array.isArray(schema.anyOf) ? (schema.anyOf as readonly JsonObject[]) : [schema];
  return unionOf(arms.filter(({ type }) => type !== "null"));
}
