import {
  isFunctionLike,
  type Parsed,
  type Statement,
  type SyntaxNode,
  walk,
  withoutParentheses,
} from "./parse.ts";

/** What a script's top level declares and does: from this a script becomes a skill, and a listing names its exports. */
export interface TopLevel {
  /** Imports, and exports from other modules. */
  readonly linking: readonly SyntaxNode[];
  /** Names of functions that the script exports by name, in the order of the text. */
  readonly exportedFunctions: readonly string[];
  /** Names of all values that the script exports, `default` included. */
  readonly exports: readonly string[];
  readonly defaultExport: DefaultExport | undefined;
  /** The first statement that does something when the module is loaded; the default export does not count. */
  readonly firstEffect: SyntaxNode | undefined;
  /** Every name declared or imported at the top level. */
  readonly names: ReadonlySet<string>;
  /** Names of functions among them. */
  readonly functions: ReadonlyMap<string, number /* parameters */>;
}

/** `export default …`. */
export interface DefaultExport {
  readonly node: SyntaxNode;
  /** What is exported, with its parentheses. */
  readonly value: SyntaxNode;
  /** `declaration`: `function f() {}`; `expression`: an arrow or function expression; `name`: of a function above. */
  readonly kind: "declaration" | "expression" | "name" | "value";
  /** Of a declaration or name; empty for what has none. */
  readonly name: string;
  /** Parameters of the function; 0 for a value. */
  readonly parameterCount: number;
}

/** Reads the top level of a parsed script. */
export function readTopLevel(parsed: Parsed): TopLevel {
  const body = parsed.program.body;
  const names = new Set<string>();
  const functions = new Map<string, number>();
  for (const statement of body) readNames(declarationOf(statement) ?? statement, names, functions);
  const exports = new Set(body.flatMap(exportedNames));
  const defaultNode = body.find((statement) => statement.type === "ExportDefaultDeclaration");
  return {
    linking: body.filter(isLinking).map(asNode),
    exportedFunctions: [...exports].filter((name) => functions.has(name)),
    exports: [...exports],
    defaultExport:
      defaultNode && readDefault(asNode(defaultNode), asNode(defaultNode.declaration), functions),
    firstEffect: body.map(asNode).find((node) => hasEffect(node)),
    names,
    functions,
  };
}

function asNode(node: object): SyntaxNode {
  return node as SyntaxNode;
}

function isLinking(statement: Statement): boolean {
  if (statement.type === "ImportDeclaration" || statement.type === "ExportAllDeclaration") return true;
  return statement.type === "ExportNamedDeclaration" && Boolean(statement.source);
}

function declarationOf(statement: Statement): Statement | undefined {
  if (statement.type === "ExportNamedDeclaration") return statement.declaration ?? undefined;
  if (statement.type !== "ExportDefaultDeclaration") return undefined;
  return statement.declaration.type === "FunctionDeclaration" ? statement.declaration : undefined;
}

function readNames(statement: Statement, names: Set<string>, functions: Map<string, number>): void {
  switch (statement.type) {
    case "ImportDeclaration":
      for (const specifier of statement.specifiers) names.add(specifier.local.name);
      break;
    case "FunctionDeclaration":
      if (statement.id) functions.set(statement.id.name, statement.params.length);
      if (statement.id) names.add(statement.id.name);
      break;
    case "VariableDeclaration":
      for (const { id, init } of statement.declarations) {
        for (const name of boundNames(asNode(id))) names.add(name);
        const parameters = init ? parametersOf(asNode(init)) : undefined;
        if (id.type === "Identifier" && parameters !== undefined) functions.set(id.name, parameters);
      }
      break;
    case "ClassDeclaration":
    case "TSEnumDeclaration":
      if (statement.id) names.add(statement.id.name);
      break;
    default:
  }
}

/** The names that a pattern binds: `{ a: b, c: [d] = e }` binds `b` and `d`. */
function boundNames(pattern: SyntaxNode): readonly string[] {
  const parts = (key: string): readonly string[] => {
    const inner: unknown = Reflect.get(pattern, key);
    return [inner]
      .flat()
      .filter((node) => typeof node === "object" && node !== null)
      .flatMap((node) => boundNames(node as SyntaxNode));
  };
  switch (pattern.type) {
    case "Identifier":
      return [nameIn(pattern)];
    case "ObjectPattern":
      return parts("properties");
    case "ObjectProperty":
      return parts("value");
    case "ArrayPattern":
      return parts("elements");
    case "AssignmentPattern":
      return parts("left");
    case "RestElement":
      return parts("argument");
    default:
      return [];
  }
}

function parametersOf(node: SyntaxNode): number | undefined {
  const inner = withoutParentheses(node);
  if (!FUNCTIONS.has(inner.type)) return undefined;
  return "params" in inner && Array.isArray(inner.params) ? inner.params.length : 0;
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

function exportedNames(statement: Statement): readonly string[] {
  if (statement.type === "ExportDefaultDeclaration") return ["default"];
  if (statement.type !== "ExportNamedDeclaration" || statement.exportKind === "type") return [];
  const declared = new Set<string>();
  if (statement.declaration) readNames(statement.declaration, declared, new Map());
  for (const specifier of statement.specifiers) {
    if (specifier.type === "ExportSpecifier" && specifier.exportKind === "type") continue;
    const { exported } = specifier;
    declared.add(exported.type === "Identifier" ? exported.name : exported.value);
  }
  return [...declared];
}

function readDefault(
  node: SyntaxNode,
  value: SyntaxNode,
  functions: ReadonlyMap<string, number>,
): DefaultExport {
  const inner = withoutParentheses(value);
  const name = nameIn(inner);
  const parameterCount = parametersOf(inner);
  if (inner.type === "FunctionDeclaration")
    return { node, value, kind: "declaration", name, parameterCount: parameterCount ?? 0 };
  if (parameterCount !== undefined) return { node, value, kind: "expression", name: "", parameterCount };
  const known = inner.type === "Identifier" ? functions.get(name) : undefined;
  return known === undefined
    ? { node, value, kind: "value", name: "", parameterCount: 0 }
    : { node, value, kind: "name", name, parameterCount: known };
}

function nameIn(node: SyntaxNode): string {
  const named: unknown = node.type === "Identifier" ? node : Reflect.get(node, "id");
  return typeof named === "object" && named !== null && "name" in named ? String(named.name) : "";
}

/** Statements that only declare; a variable whose value is awaited is no mere declaration. */
function hasEffect(node: SyntaxNode): boolean {
  if (node.type === "ExpressionStatement" || node.type.endsWith("Statement"))
    return node.type !== "EmptyStatement";
  const isDeclaration = node.type === "VariableDeclaration" || node.type === "ExportNamedDeclaration";
  return isDeclaration && awaits(node);
}

function awaits(node: SyntaxNode): boolean {
  let found = false;
  walk(node, (inner) => {
    found ||= inner.type === "AwaitExpression";
    return !found && !isFunctionLike(inner);
  });
  return found;
}
