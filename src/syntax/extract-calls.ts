import { type Parsed, type SyntaxNode, walk } from "./parse.ts";
import type { TypeNode } from "./type-node.ts";

/** A call of `extract` that names a type: `extract<Invoice>(text)` or `extract(text, Invoice)`. */
export interface ExtractCall {
  /** UTF-16 range of what is called, with the type in its angle brackets. */
  readonly start: number;
  readonly end: number;
  readonly wanted:
    | { readonly kind: "type"; readonly type: TypeNode }
    /** A name as the second argument, which may also be a value's. */
    | { readonly kind: "name"; readonly name: string; readonly start: number; readonly end: number };
}

/** The tool of the built-in server, as scripts import it, and its name without an import. */
const FUNCTION = "extract";
const FREE_NAME = "mcpfs_extract";

/** True for a text in which {@link extractCalls} could find something: most scripts need no parser. */
export function mayExtract(text: string): boolean {
  return text.includes(FUNCTION) && text.includes("mcpfs");
}

/**
 * The calls of the built-in `extract` in a module that name a type.
 * @param isBuiltin true for a specifier that leads to the built-in server's folder
 */
export function extractCalls(
  { program }: Parsed,
  isBuiltin: (specifier: string) => boolean,
): readonly ExtractCall[] {
  const functions = new Set([FREE_NAME]);
  const spaces = new Set<string>();
  for (const statement of program.body) {
    if (statement.type !== "ImportDeclaration" || !isBuiltin(statement.source.value)) continue;
    for (const item of statement.specifiers) {
      if (item.type === "ImportNamespaceSpecifier") spaces.add(item.local.name);
      else if (
        item.type === "ImportSpecifier" &&
        item.imported.type === "Identifier" &&
        item.imported.name === FUNCTION
      )
        functions.add(item.local.name);
    }
  }
  // A name that the script gives to something else, wherever, may mean that.
  const values = valueNames(program.body);
  const isOurs = (callee: Callee): boolean => {
    if (callee.type === "Identifier") return functions.has(callee.name) && !values.has(callee.name);
    const { object, property } = callee;
    const isMember = object.type === "Identifier" && property.type === "Identifier" && !callee.computed;
    return isMember && property.name === FUNCTION && spaces.has(object.name) && !values.has(object.name);
  };
  const calls: ExtractCall[] = [];
  walk(program.body, (node) => {
    if (isCall(node) && isCallee(node.callee) && isOurs(node.callee)) {
      const call = readCall(node, node.callee, values);
      if (call !== undefined) calls.push(call);
    }
    return true;
  });
  return calls;
}

function readCall(
  { typeParameters, arguments: [, second, ...others] }: Call,
  callee: Callee,
  values: ReadonlySet<string>,
): ExtractCall | undefined {
  const { start } = callee;
  const [type, ...more] = typeParameters?.params ?? [];
  if (typeParameters && type && more.length === 0 && second === undefined)
    return { start, end: typeParameters.end, wanted: { kind: "type", type } };
  if (typeParameters || second?.type !== "Identifier" || others.length > 0) return undefined;
  const { name } = second;
  if (name === undefined || values.has(name)) return undefined;
  return { start, end: callee.end, wanted: { kind: "name", name, start: second.start, end: second.end } };
}

interface Call extends SyntaxNode {
  readonly callee: SyntaxNode;
  readonly arguments: readonly (SyntaxNode & { readonly name?: string })[];
  readonly typeParameters?: (SyntaxNode & { readonly params: readonly TypeNode[] }) | null;
}

type Callee =
  | (SyntaxNode & { readonly type: "Identifier"; readonly name: string })
  | (SyntaxNode & {
      readonly type: "MemberExpression";
      readonly object: SyntaxNode & { readonly name: string };
      readonly property: SyntaxNode & { readonly name: string };
      readonly computed: boolean;
    });

function isCall(node: SyntaxNode): node is Call {
  return node.type === "CallExpression";
}

function isCallee(node: SyntaxNode): node is Callee {
  return node.type === "Identifier" || node.type === "MemberExpression";
}

/** Names of variables, parameters, functions and classes; imports left out. Rather too many than too few. */
function valueNames(body: Parsed["program"]["body"]): ReadonlySet<string> {
  const names = new Set<string>();
  const addAll = (pattern: unknown): void =>
    walk(pattern, (node) => {
      if (node.type === "Identifier" && "name" in node) names.add(String(node.name));
      // A type beside a parameter names no value.
      return node.type !== "TSTypeAnnotation";
    });
  walk(body, (node) => {
    for (const key of BINDING_KEYS.get(node.type) ?? []) addAll(Reflect.get(node, key));
    return true;
  });
  return names;
}

const BINDING_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["VariableDeclarator", ["id"]],
  ["FunctionDeclaration", ["id", "params"]],
  ["FunctionExpression", ["id", "params"]],
  ["ArrowFunctionExpression", ["params"]],
  ["ObjectMethod", ["params"]],
  ["ClassMethod", ["params"]],
  ["ClassPrivateMethod", ["params"]],
  ["ClassDeclaration", ["id"]],
  ["ClassExpression", ["id"]],
  ["CatchClause", ["param"]],
]);
