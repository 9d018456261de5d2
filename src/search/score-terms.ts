import type { KeywordIndex } from "./keyword-index.ts";
import type { Term } from "./terms.ts";
import { COMMON_VERBS, WEAK_STEMS } from "./words.ts";

/** Where BM25 stops counting repetitions. */
const SATURATION = 1.4;
const SERVER_SATURATION = 1.2;
/** How much a tool gains by what its server is about as a whole. */
const SERVER_SHARE = 0.3;
/** How much it gains by a server that is named: `run apify/…`. A name that is an ordinary word of the field gains nothing. */
const SERVER_NAME_SHARE = 1.5;
/** The share of a score that depends on how much of the query the tool has. */
const QUERY_SHARE = 0.8;
/** The share that depends on how much of the tool's name the query has: `area` alone is not `generate_area_chart`. */
const NAME_SHARE = 0.5;
/** What a verb of a name counts that the query does not have. */
const VERB_SHARE = 0.15;
/** What a tool gains whose first word is the query's: both say what is done. */
const HEAD_SHARE = 0.5;

/** Scores of documents for some words. */
export interface Scores {
  /** By document; 0 where none of the words stands. */
  readonly values: Float64Array;
  /** The documents in which one of them stands, in no order. */
  readonly documents: readonly number[];
}

/** What the words of a query find, each looked up once: a query of many steps says the same words again. */
export interface ScoredTerms {
  readonly score: (terms: readonly Term[]) => Scores;
}

interface TermHits {
  readonly documents: readonly number[];
  readonly scores: readonly number[];
  /** What each server as a whole gains. */
  readonly servers: readonly (readonly [server: number, score: number])[];
}

/** Creates the scorer of one query. */
export function scoreTerms(index: KeywordIndex): ScoredTerms {
  const size = index.size();
  const found = new Map<string, TermHits>();
  /** What servers gain whose name has the stem. */
  const namedGains = new Map<string, ReadonlyMap<number, number>>();
  const serverOf = index.serversOf();
  const best = new Float64Array(size);
  const covered = new Float64Array(size);
  const sums = new Float64Array(index.serverSizes().length);

  /** @param servers number of servers in whose texts the stem stands */
  const noticeName = (stem: string, servers: number): void => {
    const gain = Math.log((sums.length + 1) / (Math.max(servers, 1) + 0.5)) - 1;
    if (gain > 0) namedGains.set(stem, new Map(index.serversNamed(stem).map((server) => [server, gain])));
  };

  const lookUp = (term: Term): TermHits => {
    const touched: number[] = [];
    // Synonyms are one word that stands in all of their documents: the commonest of them says how rare it is.
    const rarities = term.forms.map(([stem]) => index.rarity(stem)).filter((rarity) => rarity > 0);
    const rarity = Math.min(...rarities);
    const gains = new Map<number, number>();
    for (const [stem, likeness] of term.forms) {
      const servers: number[] = [];
      index.postings(stem, (document, weight) => {
        const score = (likeness * rarity * weight * (SATURATION + 1)) / (weight + SATURATION);
        if (best[document] === 0) touched.push(document);
        if (score > (best[document] ?? 0)) best[document] = score;
        const server = serverOf[document] ?? 0;
        if (sums[server] === 0) servers.push(server);
        sums[server] = (sums[server] ?? 0) + weight;
      });
      for (const server of servers) {
        const weight = (sums[server] ?? 0) / Math.sqrt(Math.max(index.serverSizes()[server] ?? 1, 1));
        sums[server] = 0;
        const rare = Math.log(1 + (sums.length - servers.length + 0.5) / (servers.length + 0.5));
        const gain = (likeness * rare * weight * (SERVER_SATURATION + 1)) / (weight + SERVER_SATURATION);
        gains.set(server, Math.max(gain, gains.get(server) ?? 0));
      }
      if (stem === term.stem) noticeName(stem, servers.length);
    }
    const scores = touched.map((document) => best[document] ?? 0);
    for (const document of touched) best[document] = 0;
    return { documents: touched, scores, servers: [...gains] };
  };

  const add = (to: Float64Array, at: number, amount: number): void => {
    to[at] = (to[at] ?? 0) + amount;
  };

  return {
    score: (terms) => {
      const scores = new Float64Array(size);
      const documents: number[] = [];
      const servers = new Float64Array(sums.length);
      let mass = 0;
      for (const term of terms) {
        const hits = found.get(term.stem) ?? lookUp(term);
        found.set(term.stem, hits);
        const share = index.rarity(term.stem) * term.weight;
        mass += share;
        for (let at = 0; at < hits.documents.length; at += 1) {
          const document = hits.documents[at] ?? 0;
          if (scores[document] === 0) {
            documents.push(document);
            covered[document] = 0;
          }
          add(scores, document, term.weight * (hits.scores[at] ?? 0));
          add(covered, document, share);
        }
        for (const [server, gain] of hits.servers) add(servers, server, SERVER_SHARE * term.weight * gain);
        for (const [server, gain] of namedGains.get(term.stem) ?? [])
          add(servers, server, SERVER_NAME_SHARE * term.weight * gain);
      }
      const named = namedMass(index, terms);
      const masses = index.nameMasses();
      const weakMasses = index.weakNameMasses();
      const perMass = mass > 0 ? QUERY_SHARE / mass : 0;
      const rest = mass > 0 ? 1 - QUERY_SHARE : 1;
      for (const document of documents) {
        const score = scores[document] ?? 0;
        const known = (named[document] ?? 0) + VERB_SHARE * (weakMasses[document] ?? 0);
        scores[document] =
          score *
            (rest + perMass * (covered[document] ?? 0)) *
            (1 - NAME_SHARE + (NAME_SHARE * known) / (masses[document] || 1)) +
          (servers[serverOf[document] ?? 0] ?? 0);
      }
      liftHeads(index, terms[0], scores);
      return { values: scores, documents };
    },
  };
}

/** What begins with the word with which the query begins does what it asks for. */
function liftHeads(index: KeywordIndex, first: Term | undefined, scores: Float64Array): void {
  const lifted = new Map<number, number>();
  for (const [stem, likeness] of first?.forms ?? [])
    for (const document of index.documentsHeaded(stem))
      lifted.set(document, Math.max(likeness, lifted.get(document) ?? 0));
  for (const [document, likeness] of lifted)
    scores[document] = (scores[document] ?? 0) * (1 + HEAD_SHARE * likeness);
}

/** How much of each document's name the words have; what weak words count anyway is left out. */
function namedMass(index: KeywordIndex, terms: readonly Term[]): Float64Array {
  const likenesses = new Map<string, number>();
  for (const { forms } of terms)
    for (const [stem, value] of forms) likenesses.set(stem, Math.max(value, likenesses.get(stem) ?? 0));
  const named = new Float64Array(index.size());
  for (const [stem, likeness] of likenesses) {
    const least = WEAK_STEMS.has(stem) || COMMON_VERBS.has(stem) ? VERB_SHARE : 0;
    const gain = index.rarity(stem) * (likeness - least);
    for (const document of index.documentsNamed(stem)) named[document] = (named[document] ?? 0) + gain;
  }
  return named;
}
