/** A loop that says itself that it has no end. */
const ENDLESS = /\b(?:while\s*\(\s*(?:true|1)\s*\)|for\s*\(\s*;\s*;\s*\))/g;

/**
 * Where a script loops for ever, as far as its text tells: the one loop without an end, if there is exactly one. The engine knows
 * the line of a loop that calls something, and no line of one that only counts.
 */
export function endlessLoopIn(text: string): { readonly line: number; readonly column: number } | undefined {
  const [found, ...others] = text.matchAll(ENDLESS);
  if (found === undefined || others.length > 0) return undefined;
  const before = text.slice(0, found.index).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
