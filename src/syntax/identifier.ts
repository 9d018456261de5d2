/** The identifiers in `text` (also in its strings and comments: a cheap superset) that `isWanted` accepts. Sorted. */
export function identifiersIn(text: string, isWanted: (name: string) => boolean): readonly string[] {
  const words = new Set(Array.from(text.matchAll(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu), ([word]) => word));
  return [...words].filter(isWanted).sort();
}

/** The function name for a skill's name: `weekly-report` → `weeklyReport`, `delete` → `delete_`, `3d` → `_3d`. */
export function functionNameOf(skill: string): string {
  const camel = skill.replace(/-+([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
  if (/^\d/.test(camel)) return `_${camel}`;
  return RESERVED.has(camel) ? `${camel}_` : camel;
}

/** `wanted`, or `wanted_2`, `wanted_3`, … so that it is none of `taken`. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`;
  return name;
}

/** Words that cannot name a function of a module, or that would hide a global which scripts use. */
const RESERVED = new Set(
  (
    "arguments args await break case catch class const continue debugger default delete do else enum eval export extends " +
    "extract false finally for fs function if implements import in instanceof interface let mcp new null package private " +
    "protected public return static super switch this throw true try typeof undefined var void while with yield console"
  ).split(" "),
);
