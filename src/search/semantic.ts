import { digestText } from "../kernel/digest.ts";
import type { Embedder, SearchHit, SearchStrategy } from "../model/search.ts";
import type { Tool } from "../model/tool.ts";
import { readQuery } from "./read-query.ts";
import { wordsOf } from "./words.ts";

/** Vectors that are kept between processes, by what they were made of. */
export interface VectorStore {
  /** Vectors of one embedder by digest of their text. */
  readonly read: (embedder: string) => Promise<ReadonlyMap<string, Float32Array>>;
  /** Replaces what is kept for this embedder. */
  readonly write: (embedder: string, vectors: ReadonlyMap<string, Float32Array>) => Promise<void>;
}

/** Texts that are sent at a time. */
const BATCH = 64;
const MAX_TEXT = 1_000;
const MAX_QUERY = 2_000;

/**
 * Finds tools by meaning: what an embedder makes of their definitions, against what it makes of the query. Only definitions that are new are
 * embedded; the others' vectors are kept in the store. Those of another length than the query's are of another model that answers under the same name, and
 * count as none.
 */
export function createSemanticSearch(
  tools: () => readonly Tool[],
  embedder: Embedder,
  store: VectorStore,
): SearchStrategy {
  let kept: Map<string, Float32Array> | undefined;

  /** Vectors of all tools by digest of their text. */
  const vectorsOf = async (
    texts: ReadonlyMap<string, string>,
    length: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Float32Array>> => {
    kept ??= new Map(await store.read(embedder.id));
    const vectors = kept;
    const missing = [...texts].filter(([digest]) => vectors.get(digest)?.length !== length);
    for (let start = 0; start < missing.length; start += BATCH) {
      const batch = missing.slice(start, start + BATCH);
      const made = await embedder.embed(
        batch.map(([, text]) => text),
        signal,
      );
      for (const [at, [digest]] of batch.entries()) {
        const vector = made[at];
        if (vector !== undefined) vectors.set(digest, vector);
      }
    }
    if (missing.length > 0) {
      for (const digest of [...vectors.keys()]) if (!texts.has(digest)) vectors.delete(digest);
      await store.write(embedder.id, vectors);
    }
    return vectors;
  };

  return {
    find: async (query, limit, { within, signal }) => {
      const all = tools().map((tool) => ({ tool, text: embeddedText(tool) }));
      const digests = all.map(({ text }) => digestText(text));
      const texts = new Map(all.map(({ text }, at) => [digests[at] ?? "", text]));
      const [wanted] = await embedder.embed([readQuery(query.slice(0, MAX_QUERY)).text], signal);
      if (wanted === undefined) return [];
      const vectors = await vectorsOf(texts, wanted.length, signal);
      const hits = all.flatMap(({ tool }, at): SearchHit[] => {
        const vector = vectors.get(digests[at] ?? "");
        return vector === undefined || !within(tool) ? [] : [{ tool, score: likeness(wanted, vector) }];
      });
      return hits.sort((a, b) => b.score - a.score).slice(0, limit);
    },
  };
}

/** What is embedded of a tool: its names as words, and how its description begins. */
function embeddedText({ server, raw, title, description }: Tool): string {
  const names = `${wordsOf(server).join(" ")}: ${wordsOf(raw).join(" ")}`;
  return [names, title, description]
    .filter((part) => part !== "")
    .join(". ")
    .slice(0, MAX_TEXT);
}

/** Cosine, as both are of length 1. */
function likeness(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
