import type { KeywordIndex } from "./keyword-index.ts";
import { readQuery } from "./read-query.ts";
import { type Scores, scoreTerms } from "./score-terms.ts";
import { type Ranking, takeTurns } from "./take-turns.ts";
import { createTermReader } from "./terms.ts";

/** A key that was found. */
export interface KeywordHit {
  readonly key: string;
  readonly score: number;
}

/** What a step gains by what the whole query is about. */
const CONTEXT_SHARE = 0.5;
/** Places of each ranking that can be taken. */
const MIN_DEPTH = 60;

/**
 * Finds tools by words: BM25 over the weighted parts of their definitions (BM25F), lifted by how much of the query a tool has, how much of
 * its name the query has, and what its server is about; synonyms count as one word; a request of several steps gets tools for each.
 * @param within true for keys that may be found
 */
export function findByWords(
  index: KeywordIndex,
  query: string,
  limit: number,
  within: (key: string) => boolean,
): readonly KeywordHit[] {
  const read = readQuery(query);
  const termsIn = createTermReader(index);
  const terms = termsIn(read.text);
  if (terms.length === 0 || limit < 1) return [];
  const scorer = scoreTerms(index);
  const depth = Math.max(MIN_DEPTH, limit);
  const keys = index.keys();
  const rank = (scores: Scores): Ranking => ranked(scores, depth, (document) => isIn(keys[document], within));
  const whole = scorer.score(terms);
  const steps = read.steps.map(termsIn).filter((step) => step.length > 0);
  const rankings = {
    whole: rank(whole),
    steps: steps.map((step) => rank(inContext(scorer.score(step), whole))),
    implied: read.implied.map((step) => rank(scorer.score(termsIn(step)))),
  };
  const documents = takeTurns(rankings.whole, rankings, limit);
  const all = [rankings.whole, ...rankings.steps, ...rankings.implied];
  let least = Number.POSITIVE_INFINITY;
  return documents.map((document) => {
    // Places are given by turns, so a later one may have the larger score: what is shown never rises.
    least = Math.min(least, Math.max(...all.map((ranking) => ranking.scoreOf(document))));
    return { key: keys[document] ?? "", score: least };
  });
}

/** A step with the whole query in mind. */
function inContext(step: Scores, whole: Scores): Scores {
  for (const document of step.documents)
    step.values[document] = (step.values[document] ?? 0) + CONTEXT_SHARE * (whole.values[document] ?? 0);
  return step;
}

/** The best documents; equal ones in the order of the catalog. */
function ranked(
  { values, documents }: Scores,
  depth: number,
  isWanted: (document: number) => boolean,
): Ranking {
  const scoreOf = (document: number): number => values[document] ?? 0;
  const best = (least: number): number[] =>
    documents
      .filter((document) => (values[document] ?? 0) >= least)
      .sort((a, b) => scoreOf(b) - scoreOf(a) || a - b)
      .filter(isWanted);
  // Sorting thousands of documents for the best sixty took most of a query's time.
  const least = leastOfBest({ values, documents }, depth);
  const few = best(least);
  return { documents: (few.length >= depth || least === 0 ? few : best(0)).slice(0, depth), scoreOf };
}

const BUCKETS = 256;

/** A score that at least `amount` documents reach, and not many more; 0 where there are not so many. */
function leastOfBest({ values, documents }: Scores, amount: number): number {
  if (documents.length <= amount) return 0;
  let largest = 0;
  for (const document of documents) largest = Math.max(largest, values[document] ?? 0);
  const counts = new Uint32Array(BUCKETS + 1);
  const scale = BUCKETS / largest;
  for (const document of documents) {
    const bucket = Math.floor((values[document] ?? 0) * scale);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  let reached = 0;
  for (let bucket = BUCKETS; bucket > 0; bucket -= 1) {
    reached += counts[bucket] ?? 0;
    if (reached >= amount) return (bucket / BUCKETS) * largest * (1 - Number.EPSILON * 8);
  }
  return 0;
}

function isIn(key: string | undefined, within: (key: string) => boolean): boolean {
  return key !== undefined && within(key);
}
