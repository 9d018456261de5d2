/**
 * The words among which are all names that a text asks of the module `specifier`; `undefined` where it may ask for any: its
 * namespace is passed around, listed, indexed by a variable or exported again. Read without a parser, which would take longer
 * than most bundles: whatever is not plainly one of the usual forms counts as asking for all.
 */
export function namesAskedOf(text: string, specifier: string): ReadonlySet<string> | undefined {
  const quoted = `(?:"${escapeForPattern(specifier)}"|'${escapeForPattern(specifier)}')`;
  const mentions = text.match(new RegExp(quoted, "g"))?.length ?? 0;
  const named = text.match(new RegExp(`${NAMED}${quoted}`, "gu"))?.length ?? 0;
  const spaces = [...text.matchAll(new RegExp(`${NAMESPACE}${quoted}`, "gu"))];
  // A mention in another form: `export *`, `import()`, a comment in between. None: the name is written with an escape.
  if (mentions === 0 || named + spaces.length !== mentions) return undefined;
  if (spaces.length > 0 && (ESCAPE_IN_NAME.test(text) || /\beval\b/.test(text))) return undefined;
  for (const { 0: statement, 1: space = "", index } of spaces)
    if (!isOnlyRead(text.slice(0, index) + text.slice(index + statement.length), space)) return undefined;
  return new Set(text.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu));
}

const NAME = "[\\p{ID_Start}$_][\\p{ID_Continue}$]*";
/** `import { a, b as c } from`, `import type { A } from`, `export { a } from`. */
const NAMED = "\\b(?:import|export)(?:\\s+type)?\\s*\\{[^{}]*\\}\\s*from\\s*";
/** `import * as x from`. */
const NAMESPACE = `\\bimport\\s*\\*\\s*as\\s+(${NAME})\\s*from\\s*`;
/** An identifier can be spelled with escapes, and is then no word that a search finds. */
const ESCAPE_IN_NAME = /\\u/;

/** True when `space` stands only before a dot and a name: `crm.getContact`, `crm?.getContact`. */
function isOnlyRead(text: string, space: string): boolean {
  const name = escapeForPattern(space);
  const uses = new RegExp(
    `(?<![\\p{ID_Continue}$])${name}(?![\\p{ID_Continue}$])(\\s*(?:\\?\\.|\\.)\\s*[\\p{ID_Start}$_])?`,
    "gu",
  );
  for (const [, member] of text.matchAll(uses)) if (member === undefined) return false;
  return true;
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
