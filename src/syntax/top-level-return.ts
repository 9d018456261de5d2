import type { LineShift, Move } from "./line-shift.ts";
import { isFunctionLike, type Parsed, parseScript, type Statement, type SyntaxNode, walk } from "./parse.ts";
import { applyEdits, linesOf, type Place, placeOf, type TextEdit } from "./text-edits.ts";

/** A script whose top-level `return` has become an `export default`. */
export interface RewrittenScript {
  readonly text: string;
  readonly shift: LineShift;
}

export type TopLevelReturn =
  | { readonly kind: "none" }
  | { readonly kind: "rewritten"; readonly script: RewrittenScript }
  /** The script also exports something: there would be two values. The place is the `return`'s. */
  | { readonly kind: "with-export"; readonly place: Place };

const OPEN = "export default await (async () => {";
const CLOSE = "\n})();";

/** Rewrites a script that gives its value by a top-level `return`. Text that cannot be parsed counts as having none. */
export function rewriteTopLevelReturn(text: string): TopLevelReturn {
  if (!/\breturn\b/.test(text)) return { kind: "none" };
  const parsed = parseScript(text);
  const found = parsed && findReturn(parsed.program.body);
  if (!parsed || !found) return { kind: "none" };
  if (parsed.program.body.some(isExport)) return { kind: "with-export", place: placeOf(text, found.start) };
  return { kind: "rewritten", script: rewrite(text, parsed) };
}

function findReturn(body: readonly Statement[]): SyntaxNode | undefined {
  let found: SyntaxNode | undefined;
  walk(body, (node) => {
    if (node.type === "ReturnStatement") found ??= node;
    return found === undefined && !isFunctionLike(node);
  });
  return found;
}

function isExport(statement: Statement): boolean {
  return statement.type.startsWith("Export") || statement.type === "TSExportAssignment";
}

function rewrite(text: string, parsed: Parsed): RewrittenScript {
  const moves: Move[] = [];
  const edits: TextEdit[] = [];
  let prefix = "";
  for (const statement of parsed.program.body) {
    if (statement.type !== "ImportDeclaration") continue;
    const { start, end } = statement as SyntaxNode;
    let place = placeOf(text, start);
    // A comment to the end of its line would swallow what follows it on line 1.
    const bare = withoutComments(text, parsed).slice(start, end);
    for (const piece of linesOf(bare)) {
      moves.push({ ...place, start: prefix.length, length: piece.length });
      prefix += `${piece} `;
      place = { line: place.line + 1, column: 1 };
    }
    prefix += ";";
    edits.push({ start, end, insert: bare.replace(/[^\n\r\u2028\u2029]/g, " ") });
  }
  prefix += OPEN;
  return {
    text: prefix + applyEdits(text, edits) + CLOSE,
    shift: { prefixLength: prefix.length, moves, lineCount: linesOf(text).length },
  };
}

function withoutComments(text: string, parsed: Parsed): string {
  const edits = (parsed.comments ?? []).map(({ start, end }) => {
    const range = { start: start ?? 0, end: end ?? 0 };
    return { ...range, insert: text.slice(range.start, range.end).replace(/[^\n\r\u2028\u2029]/g, " ") };
  });
  return applyEdits(text, edits);
}
