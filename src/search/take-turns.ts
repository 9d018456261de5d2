/** A ranked list of documents, with their scores in it. */
export interface Ranking {
  /** Best first. */
  readonly documents: readonly number[];
  readonly scoreOf: (document: number) => number;
}

/** Below this share of the strongest step's best score a step has found nothing. */
const MIN_STEP = 0.5;
/** After its first turn a step gives only what is at least this share of its best. */
const MIN_LATER = 0.5;

/**
 * Joins what the whole query found with what its steps found, so that each step has a tool among the first: the whole, then what is
 * implied, then the steps, strongest first, and again from the start. A document has one place, its best.
 */
export function takeTurns(
  whole: Ranking,
  { steps, implied }: { readonly steps: readonly Ranking[]; readonly implied: readonly Ranking[] },
  limit: number,
): readonly number[] {
  const taken = new Set<number>();
  const best = (ranking: Ranking): number => ranking.scoreOf(ranking.documents[0] ?? -1);
  const strongest = Math.max(0, ...steps.map(best));
  const turns = [
    { next: taker(whole, 0), isOnce: false },
    ...implied.map((ranking) => ({ next: taker(ranking, 0), isOnce: true })),
    ...steps
      .filter((step) => step.documents.length > 0 && best(step) >= MIN_STEP * strongest)
      .toSorted((a, b) => best(b) - best(a))
      .map((step) => ({ next: taker(step, MIN_LATER * best(step)), isOnce: false })),
  ];
  for (let round = 0, before = -1; taken.size < limit && taken.size > before; round += 1) {
    before = taken.size;
    for (const { next, isOnce } of turns) {
      if (taken.size >= limit) break;
      if (round > 0 && isOnce) continue;
      const document = next(taken, round === 0);
      if (document !== undefined) taken.add(document);
    }
  }
  return [...taken];
}

/** Gives the next document of a ranking that nobody else has taken. */
function taker(
  { documents, scoreOf }: Ranking,
  minimum: number,
): (taken: ReadonlySet<number>, isFirst: boolean) => number | undefined {
  let at = 0;
  return (taken, isFirst) => {
    while (at < documents.length && taken.has(documents[at] ?? -1)) at += 1;
    const document = documents[at];
    if (document === undefined || (!isFirst && scoreOf(document) < minimum)) return undefined;
    at += 1;
    return document;
  };
}
