import { createStemmer, FIELDS, indexDocument, type SearchedText } from "./index-document.ts";
import { findByWords } from "./keyword.ts";
import type { KeywordIndex } from "./keyword-index.ts";
import { readQuery } from "./read-query.ts";
import { createTermReader } from "./terms.ts";

/** Why words find a tool, or do not. */
export interface HitExplanation {
  /** Place among the hits, from 1; 0 where it is not among the first {@link MAX_RANK}. */
  readonly rank: number;
  readonly score: number;
  readonly words: readonly ExplainedWord[];
  /** Steps that the query was cut into; empty for one. */
  readonly steps: readonly string[];
  /** What was searched for besides, since the query needs it. */
  readonly implied: readonly string[];
}

/** A word of the query. */
export interface ExplainedWord {
  readonly word: string;
  /** How rare it is among all tools: 0 where it and what stands for it is in none. */
  readonly rarity: number;
  /** What of the tool's text it was found by, and in which parts; empty where it was not. */
  readonly found: readonly { readonly stem: string; readonly parts: readonly string[] }[];
}

/** Further down nobody looks. */
const MAX_RANK = 1_000;

/** Says how the words of a query stand to one tool. @param searched what is searched of it; @param key under which the index has it */
export function explainHit(
  index: KeywordIndex,
  query: string,
  { key, searched }: { readonly key: string; readonly searched: SearchedText },
): HitExplanation {
  const { text, steps, implied } = readQuery(query);
  const document = indexDocument(searched, createStemmer());
  const hits = findByWords(index, query, MAX_RANK, () => true);
  const at = hits.findIndex((hit) => hit.key === key);
  return {
    rank: at + 1,
    score: hits[at]?.score ?? 0,
    words: createTermReader(index)(text).map(({ word, forms }) => ({
      word,
      rarity: Math.max(0, ...forms.map(([stem]) => index.rarity(stem))),
      found: forms.flatMap(([stem]) => {
        const parts = FIELDS.filter((_, field) => document.fields[field]?.has(stem));
        return parts.length === 0 ? [] : [{ stem, parts }];
      }),
    })),
    steps,
    implied,
  };
}
