/** Below this likeness a suggestion misleads more than it helps. */
const MIN_LIKENESS = 0.4;

/** Up to three of `known` that are most like `name`, by the pairs of letters they share: for a hint, never to act on. */
export function nearestNames(name: string, known: readonly string[]): readonly string[] {
  const wanted = pairsOf(name);
  return known
    .map((candidate) => ({ candidate, likeness: likenessOf(wanted, pairsOf(candidate)) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size);
}

function pairsOf(name: string): ReadonlySet<string> {
  const plain = `^${name.toLowerCase().replaceAll(/[-_. ]/g, "")}$`;
  return new Set(Array.from({ length: plain.length - 1 }, (_, at) => plain.slice(at, at + 2)));
}
