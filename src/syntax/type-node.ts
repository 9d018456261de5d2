import { McpfsError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { TypeDeclaration, TypeModule } from "./module-types.ts";
import type { Parsed } from "./parse.ts";

/** A node of a type, of whatever kind. */
export type TypeNode = Extract<
  Parsed["program"]["body"][number],
  { readonly type: "TSTypeAliasDeclaration" }
>["typeAnnotation"];
/** A member of an object type. */
export type Member = Extract<TypeNode, { readonly type: "TSTypeLiteral" }>["members"][number];
/** A type by its name. */
export type Reference = Extract<TypeNode, { readonly type: "TSTypeReference" }>;

/** Where a type is read: the module, and what the parameters of a generic stand for. */
export interface Scope {
  readonly module: TypeModule;
  readonly parameters: ReadonlyMap<string, Binding>;
}

/** What a parameter stands for: a type, and where it is read. */
export interface Binding {
  readonly type: TypeNode;
  readonly scope: Scope;
}

/** Says a type as JSON Schema. @throws McpfsError SCRIPT_ERROR as {@link unsayable} does */
export type ReadType = (node: TypeNode, scope: Scope) => Promise<JsonObject>;

/** What to do instead, for most types that cannot be said. */
export const WRITE_OUT =
  "Write the shape out: objects, lists, texts, numbers, true/false, null, and unions of them.";

/**
 * Ends the reading of a type that cannot be said as JSON Schema.
 * @throws McpfsError SCRIPT_ERROR with `data` `{module, offset}`: the module's name and the UTF-16 offset of what cannot be said
 */
export function unsayable(
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

/** The value of a literal type. */
export function literalOf(
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

/** The schema of an enum whose values are written out. */
export function enumOf(
  declaration: Extract<TypeDeclaration, { readonly type: "TSEnumDeclaration" }>,
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

/** `crm.Row` as `["crm", "Row"]`. */
export function pathOf(name: Reference["typeName"]): readonly string[] {
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

/** A member's name; `undefined` for one that is computed. */
export function keyOf(member: Extract<Member, { readonly type: "TSPropertySignature" }>): string | undefined {
  const { key, computed } = member;
  if (key.type === "Identifier" && computed !== true) return key.name;
  return key.type === "StringLiteral" || key.type === "NumericLiteral" ? String(key.value) : undefined;
}

/** True for what is no value of JSON. */
export function isNothing(node: TypeNode): boolean {
  return node.type === "TSUndefinedKeyword" || node.type === "TSVoidKeyword";
}

/** True where a member may be left out though it has no question mark. */
export function mayBeMissing(node: TypeNode): boolean {
  return node.type === "TSUnionType" && node.types.some(isNothing);
}
