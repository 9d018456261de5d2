import { type Parsed, parseScript, type SyntaxNode, walk } from "./parse.ts";
import { folderOf, serverFolderOf, workspacePath } from "./specifier.ts";

/** A string in a script that names another module: of an import, a re-export, `import(…)` or an import type. */
export interface ModuleName {
  readonly specifier: string;
  /** Range of the literal with its quotes, in UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
}

/** All module names in a script, in the order of the text. */
export function moduleNames(parsed: Parsed): readonly ModuleName[] {
  const names: ModuleName[] = [];
  walk(parsed.program.body, (node) => {
    const literal = moduleLiteral(node);
    if (literal) names.push({ specifier: literal.value, start: literal.start, end: literal.end });
    return true;
  });
  return names;
}

/** A name that a script asks of another module. */
export interface ImportedName {
  readonly specifier: string;
  /** As the other module would export it; `default` for a default import. */
  readonly name: string;
}

/**
 * The import behind a UTF-16 offset: of `nope` in `import { nope as n } from "./x"` and `export { nope } from "./x"`, of
 * `x` in `import x from "./x"`, and of `nope` in `x.nope` where `x` is a namespace import. `undefined` for anything else.
 */
export function importedNameAt(text: string, offset: number): ImportedName | undefined {
  const parsed = parseScript(text);
  if (!parsed) return undefined;
  const namespaces = new Map<string, string>();
  let found: ImportedName | undefined;
  for (const statement of parsed.program.body) {
    if (statement.type !== "ImportDeclaration" && statement.type !== "ExportNamedDeclaration") continue;
    const specifier = statement.source?.value;
    if (specifier === undefined) continue;
    for (const item of statement.specifiers) {
      if (item.type === "ImportNamespaceSpecifier") namespaces.set(item.local.name, specifier);
      else if (item.type === "ImportDefaultSpecifier") {
        if (item.start === offset) found = { specifier, name: "default" };
      } else if (item.type === "ImportSpecifier" || item.type === "ExportSpecifier") {
        const outer = item.type === "ImportSpecifier" ? item.imported : item.local;
        if (outer.start === offset) found = { specifier, name: nameOf(outer) };
      }
    }
  }
  walk(parsed.program.body, (node) => {
    const member = memberOf(node);
    const specifier = member && namespaces.get(member.object);
    if (member?.start === offset && specifier !== undefined) found ??= { specifier, name: member.name };
    return found === undefined && node.start <= offset && offset < node.end;
  });
  return found;
}

/** Folders below `servers/` that a file of the workspace imports. Sorted. */
export function importedServers(parsed: Parsed, file: string): readonly string[] {
  const folders = moduleNames(parsed).map(({ specifier }) =>
    specifier.startsWith(".") ? serverFolderOf(workspacePath(specifier, folderOf(file)) ?? "") : undefined,
  );
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

interface StringLiteral extends SyntaxNode {
  readonly value: string;
}

function moduleLiteral(node: SyntaxNode): StringLiteral | undefined {
  if (node.type === "ImportDeclaration" || node.type.startsWith("Export")) return literal(node, "source");
  if (node.type === "TSImportType") return literal(node, "argument");
  if (node.type === "ImportExpression") return literal(node, "source");
  if (node.type === "CallExpression" && child(node, "callee")?.type === "Import") {
    const first: unknown =
      "arguments" in node && Array.isArray(node.arguments) ? node.arguments[0] : undefined;
    return isStringLiteral(first) ? first : undefined;
  }
  return undefined;
}

function literal(node: SyntaxNode, key: string): StringLiteral | undefined {
  const value = child(node, key);
  if (isStringLiteral(value)) return value;
  const inner = value && child(value, "literal");
  return isStringLiteral(inner) ? inner : undefined;
}

function isStringLiteral(value: unknown): value is StringLiteral {
  return typeof value === "object" && value !== null && "type" in value && value.type === "StringLiteral";
}

/** `object.name` or `object["name"]`, with the offset at which a bundler says that the name is missing. */
function memberOf(node: SyntaxNode): { object: string; name: string; start: number } | undefined {
  if (node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression") return undefined;
  const object = child(node, "object");
  const property = child(node, "property");
  if (object?.type !== "Identifier" || property === undefined) return undefined;
  const isIndex = "computed" in node && node.computed === true;
  if (isIndex ? !isStringLiteral(property) : property.type !== "Identifier") return undefined;
  return { object: nameOf(object), name: nameOf(property), start: property.start };
}

function child(node: SyntaxNode, key: string): SyntaxNode | undefined {
  const value: unknown = Reflect.get(node, key);
  return typeof value === "object" && value !== null && "type" in value ? (value as SyntaxNode) : undefined;
}

function nameOf(node: object): string {
  if ("name" in node && typeof node.name === "string") return node.name;
  return "value" in node && typeof node.value === "string" ? node.value : "";
}
