import { Node, type ParameterDeclaration, Project } from "ts-morph";
import type { ScriptExport, ScriptParameter } from "../syntax/script-export.ts";

/** What a script exports, in the order of the text: what `skills save` writes down for those who will call it. */
export interface ScriptAnalysis {
  readonly exports: readonly ScriptExport[];
}

/**
 * Reads a script's exports with their parameters and doc comments. The script stands alone: types that it imports are named,
 * not resolved. Loading this module takes about a second.
 */
export function analyzeScript(text: string, fileName: string): ScriptAnalysis {
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    compilerOptions: { strict: true },
  });
  const file = project.createSourceFile(/\.m?js$/.test(fileName) ? "/script.js" : "/script.ts", text);
  const exports: { at: number; item: ScriptExport }[] = [];
  for (const [name, declarations] of file.getExportedDeclarations()) {
    const declaration = declarations.find(Node.isFunctionDeclaration) ?? declarations[0];
    if (declaration === undefined || isType(declaration)) continue;
    const parameters = parametersOf(declaration);
    const kind = name === "default" ? "default" : parameters === undefined ? "value" : "function";
    const item = { name, kind, parameters: parameters ?? [], doc: docOf(declaration).text } as const;
    exports.push({ at: declaration.getPos(), item });
  }
  return { exports: exports.sort((a, b) => a.at - b.at).map(({ item }) => item) };
}

function isType(node: Node): boolean {
  return Node.isInterfaceDeclaration(node) || Node.isTypeAliasDeclaration(node);
}

function parametersOf(node: Node): readonly ScriptParameter[] | undefined {
  const functionNode = Node.isVariableDeclaration(node) ? node.getInitializer() : node;
  const isFunction =
    Node.isFunctionDeclaration(functionNode) ||
    Node.isFunctionExpression(functionNode) ||
    Node.isArrowFunction(functionNode);
  if (!isFunction) return undefined;
  const { parameters } = docOf(node);
  return functionNode.getParameters().map((parameter, index) => parameterOf(parameter, index, parameters));
}

function parameterOf(
  node: ParameterDeclaration,
  index: number,
  docs: ReadonlyMap<string, string>,
): ScriptParameter {
  const isPattern = !Node.isIdentifier(node.getNameNode());
  // A pattern has no name to call it by; most stand for one object of options.
  const name = isPattern ? (index === 0 ? "input" : `input${index + 1}`) : node.getName();
  const type = node.getTypeNode()?.getText() ?? inferredType(node);
  const doc = docs.get(name);
  return {
    name: node.isRestParameter() ? `...${name}` : name,
    type: type.replace(/\s+/g, " "),
    isOptional: node.isOptional(),
    ...(doc === undefined || doc === "" ? {} : { doc }),
  };
}

function inferredType(node: ParameterDeclaration): string {
  const initializer = node.getInitializer();
  return initializer === undefined ? "any" : initializer.getType().getBaseTypeOfLiteralType().getText(node);
}

/** The doc comment of a function or variable: its text, and that of each `@param`. */
function docOf(node: Node): { text: string; parameters: ReadonlyMap<string, string> } {
  const holder = Node.isVariableDeclaration(node) ? node.getVariableStatement() : node;
  const docs = holder !== undefined && Node.isJSDocable(holder) ? holder.getJsDocs() : [];
  const parameters = new Map<string, string>();
  for (const tag of docs.flatMap((doc) => doc.getTags()))
    if (Node.isJSDocParameterTag(tag))
      parameters.set(tag.getName(), tag.getCommentText()?.replace(/^-\s*/, "").trim() ?? "");
  return {
    text: docs
      .map((doc) => doc.getDescription().trim())
      .join("\n")
      .trim(),
    parameters,
  };
}
