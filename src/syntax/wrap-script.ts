import { freeName } from "./identifier.ts";
import { type Parsed, type SyntaxNode, walk } from "./parse.ts";
import { applyEdits, type TextEdit } from "./text-edits.ts";
import type { TopLevel } from "./top-level.ts";

/** How a script is to become a skill. */
export interface SkillModuleOptions {
  /** Name of the function that a script without functions of its own becomes: `weeklyReport`. */
  readonly functionName: string;
  /** One line for that function's comment. */
  readonly description: string;
  /** Slashed folder of the script below the workspace; `undefined` for a script outside. */
  readonly scriptFolder: string | undefined;
  /** Slashed folder of the skill: `skills/weekly-report`. */
  readonly skillFolder: string;
}

/**
 * Makes the body of one async function of a script that does things when it is loaded. Imports stay on top. The script's
 * value, a default export, becomes what the function returns; a top-level `return` is one already.
 */
export function wrapScript(
  text: string,
  parsed: Parsed,
  top: TopLevel,
  links: readonly TextEdit[],
  options: SkillModuleOptions,
): string {
  const name = freeName(options.functionName, top.names);
  const head = top.linking.map((node) => linkText(text, node, links));
  const value = valueEdits(parsed, top);
  const removed = [...top.linking, ...value.removed].map((node) => ({
    ...wholeLine(text, node),
    insert: "",
  }));
  const edits = [
    ...indents(text, parsed, removed),
    ...removed,
    ...links.filter((edit) => !top.linking.some((node) => isWithin(node, edit))),
    ...value.edits,
  ];
  const body = applyEdits(text, edits)
    .replace(/^(?:[ \t]*(?:\r\n|[\r\n]))+/, "")
    .trimEnd();
  const takesArgs = usesArgs(parsed.program as SyntaxNode, top) || value.last.includes("(args)");
  return [
    ...head,
    ...(head.length > 0 ? [""] : []),
    `/** ${options.description.replaceAll("*/", "* /")} */`,
    `export async function ${name}(${takesArgs ? "args?: any" : ""}) {`,
    ...(body === "" ? [] : [body]),
    ...(value.last === "" ? [] : [`  ${value.last}`]),
    "}",
    "",
    `export default ${name};`,
    "",
  ].join("\n");
}

/** True when `node` may mean the global `args`: no such name is declared at the top level. */
export function usesArgs(node: SyntaxNode, top: TopLevel): boolean {
  let found = false;
  walk(node, (inner) => {
    found ||= inner.type === "Identifier" && "name" in inner && inner.name === "args";
    return !found;
  });
  return found && !top.names.has("args");
}

function linkText(text: string, node: SyntaxNode, links: readonly TextEdit[]): string {
  const edits = links.filter((edit) => isWithin(node, edit));
  const moved = edits.map((edit) => ({
    ...edit,
    start: edit.start - node.start,
    end: edit.end - node.start,
  }));
  return applyEdits(text.slice(node.start, node.end), moved);
}

function isWithin(node: SyntaxNode, edit: TextEdit): boolean {
  return node.start <= edit.start && edit.end <= node.end;
}

/** The range of a statement, with its line's end where it stands alone on its lines. */
function wholeLine(text: string, node: SyntaxNode): { start: number; end: number } {
  const before = /[^\r\n]*$/.exec(text.slice(0, node.start))?.[0] ?? "";
  const after = /^[ \t]*(?:\r\n|[\r\n]|$)/.exec(text.slice(node.end))?.[0];
  return before.trim() === "" && after !== undefined
    ? { start: node.start - before.length, end: node.end + after.length }
    : { start: node.start, end: node.end };
}

/** Two spaces at the start of each line, but in the text of a template or string, where they would change its value. */
function indents(text: string, parsed: Parsed, removed: readonly TextEdit[]): readonly TextEdit[] {
  const fixed: { start: number; end: number }[] = [...removed];
  walk(parsed.program, (node) => {
    if (TEXTS.has(node.type)) fixed.push({ start: node.start + 1, end: node.end + 1 });
    return true;
  });
  return [...text.matchAll(/^(?=.*\S)/gm)]
    .map(({ index }) => index)
    .filter((at) => !fixed.some(({ start, end }) => start <= at && at < end))
    .map((at) => ({ start: at, end: at, insert: "  " }));
}

const TEXTS = new Set(["TemplateElement", "StringLiteral", "DirectiveLiteral"]);

/** What becomes of the exports: edits in place, statements that go, and a last one that gives the value. */
interface ValueEdits {
  readonly edits: readonly TextEdit[];
  readonly removed: readonly SyntaxNode[];
  readonly last: string;
}

function valueEdits(parsed: Parsed, top: TopLevel): ValueEdits {
  const edits: TextEdit[] = [];
  const removed: SyntaxNode[] = [];
  for (const statement of parsed.program.body) {
    if (statement.type !== "ExportNamedDeclaration" || statement.source) continue;
    const node = statement as SyntaxNode;
    const inner = statement.declaration as SyntaxNode | null | undefined;
    if (inner) edits.push({ start: node.start, end: inner.start, insert: "" });
    else removed.push(node);
  }
  const found = top.defaultExport;
  if (found === undefined) return { edits, removed, last: "" };
  const { node, value } = found;
  const call = found.parameterCount > 0 ? "(args)" : "()";
  if (found.kind === "name")
    return { edits, removed: [...removed, node], last: `return ${found.name}${call};` };
  if (found.kind === "declaration" && found.name !== "") {
    edits.push({ start: node.start, end: value.start, insert: "" });
    return { edits, removed, last: `return ${found.name}${call};` };
  }
  const isLast = parsed.program.body.at(-1)?.start === node.start;
  if (found.kind === "value" && isLast) {
    edits.push({ start: node.start, end: value.start, insert: "return " });
    return { edits, removed, last: "" };
  }
  const local = freeName(found.kind === "value" ? "result" : "main", top.names);
  edits.push({ start: node.start, end: value.start, insert: `const ${local} = ` });
  return { edits, removed, last: `return ${local}${found.kind === "value" ? "" : call};` };
}
