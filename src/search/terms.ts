import type { KeywordIndex } from "./keyword-index.ts";
import { SYNONYMS } from "./synonyms.ts";
import { COMMON_STEMS, stemOf, WEAK_STEMS, wordsOf } from "./words.ts";

/** A word of a query. */
export interface Term {
  /** The word as it was written. */
  readonly word: string;
  readonly stem: string;
  /** What it counts. */
  readonly weight: number;
  /** Stems that it is found by, itself first, and what each counts. */
  readonly forms: readonly (readonly [stem: string, likeness: number])[];
}

/** From so many words on that say what is meant, those that only talk about the request count less. */
const LONG_QUERY = 9;
const WEAK_WEIGHT = 0.6;
/** A word said twice counts twice, and not more. */
const MAX_COUNT = 2;
/** More words than this are a text, not a query. */
const MAX_TERMS = 120;
const MISSPELT_LIKENESS = 0.6;

/** Reads texts of one query as terms. */
export type TermReader = (text: string) => readonly Term[];

/**
 * Creates what reads the words of a query with what they count. A word that stands in no tool, and has no synonym that does, is taken as
 * misspelt or cut short: the nearest words of the index stand for it.
 */
export function createTermReader(index: KeywordIndex): TermReader {
  const read = new Map<string, Term["forms"]>();
  const formsOf = (stem: string): Term["forms"] => {
    const known = read.get(stem);
    if (known !== undefined) return known;
    const forms = [[stem, 1] as const, ...othersFor(stem, index)];
    read.set(stem, forms);
    return forms;
  };
  return (text) => {
    const words = new Map<string, { word: string; count: number }>();
    for (const word of wordsOf(text)) {
      const stem = stemOf(word);
      const known = words.get(stem);
      if (known !== undefined) known.count += 1;
      else if (words.size < MAX_TERMS) words.set(stem, { word, count: 1 });
    }
    const strong = [...words].filter(([stem]) => !COMMON_STEMS.has(stem));
    // `who is` asks for the tool `who_is`.
    const used = strong.length > 0 ? strong : [...words];
    const isLong = used.filter(([stem]) => !WEAK_STEMS.has(stem)).length >= LONG_QUERY;
    return used.map(([stem, { word, count }]) => ({
      word,
      stem,
      weight: Math.min(count, MAX_COUNT) * (isLong && WEAK_STEMS.has(stem) ? WEAK_WEIGHT : 1),
      forms: formsOf(stem),
    }));
  };
}

function othersFor(stem: string, index: KeywordIndex): Term["forms"] {
  const synonyms = SYNONYMS.get(stem) ?? [];
  const isKnown = [stem, ...synonyms.map(([other]) => other)].some((form) => index.rarity(form) > 0);
  return isKnown ? synonyms : nearStems(stem, index).map((other) => [other, MISSPELT_LIKENESS] as const);
}

/** Words this short are near too many others. */
const MIN_MISSPELT = 5;
const MAX_NEAR = 3;

/** Stems of the index that begin like `stem`, or that one typing error makes of it (two in a long one). */
function nearStems(stem: string, index: KeywordIndex): readonly string[] {
  if (stem.length < MIN_MISSPELT || !/^\p{L}+$/u.test(stem)) return [];
  const bound = stem.length >= 9 ? 2 : 1;
  const near: { stem: string; distance: number }[] = [];
  for (const known of index.stemsFrom(stem[0] ?? "")) {
    if (known.length < stem.length - bound) continue;
    if (known.startsWith(stem))
      near.push({ stem: known, distance: 0.5 + (known.length - stem.length) / 100 });
    else if (known.length <= stem.length + bound) {
      const distance = editDistance(stem, known, bound);
      if (distance <= bound) near.push({ stem: known, distance });
    }
  }
  return near
    .sort((a, b) => a.distance - b.distance || (a.stem < b.stem ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map((found) => found.stem);
}

/** Letters put in, left out, replaced or swapped with the next one; anything above `bound` once it must be more. */
function editDistance(a: string, b: string, bound: number): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replace = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? bound) + 1 : bound + 1;
      row.push(Math.min(replace, swap, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    if (Math.min(...row) > bound) return bound + 1;
    before = last;
    last = row;
  }
  return last[b.length] ?? bound + 1;
}
