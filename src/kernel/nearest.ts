/** The names that look most like `wanted`, best first, at most `limit`; names that look nothing like it are left out. */
export function nearestOf(wanted: string, names: Iterable<string>, limit: number): readonly string[] {
  const target = foldedName(wanted);
  const scored: { readonly name: string; readonly distance: number }[] = [];
  for (const name of names) {
    const candidate = foldedName(name);
    const contains =
      candidate !== "" && target !== "" && (candidate.includes(target) || target.includes(candidate));
    const bound = Math.max(2, Math.ceil(Math.max(target.length, candidate.length) * 0.4));
    const distance = contains
      ? Math.abs(candidate.length - target.length) / 10
      : editDistance(target, candidate, bound);
    if (distance <= bound) scored.push({ name, distance });
  }
  return scored
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map((entry) => entry.name);
}

/** Case and separators do not count: `get-document` is `getDocument`. */
export function foldedName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** Levenshtein distance, or anything above `bound` once it must be more. */
function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) > bound) return bound + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column += 1) {
      const substitute = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const cost = Math.min(substitute, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > bound) return bound + 1;
    previous = current;
  }
  return previous[b.length] ?? bound + 1;
}
