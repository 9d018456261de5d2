import {
  createStemmer,
  FIELD_WEIGHTS,
  FIELDS,
  type IndexDocument,
  indexDocument,
  LENGTH_SHARES,
  type SearchedText,
} from "./index-document.ts";
import { COMMON_VERBS, WEAK_STEMS } from "./words.ts";

/** What is known of the words of all tools. Documents are numbered in the order in which they came. */
export interface KeywordIndex {
  /** Documents ever added: one more than the largest number. */
  readonly size: () => number;
  /** Documents that are no longer valid; an index with many of them is better built anew. */
  readonly removed: () => number;
  /** Keys of the documents by number; `undefined` for removed ones. */
  readonly keys: () => readonly (string | undefined)[];
  /** The documents in which a stem stands, and what it counts in each; removed ones are left out. */
  readonly postings: (stem: string, visit: (document: number, weight: number) => void) => void;
  /** How rare a stem is: 0 where it stands nowhere. */
  readonly rarity: (stem: string) => number;
  /** All stems that begin with a letter. */
  readonly stemsFrom: (letter: string) => readonly string[];
  /** The server of each document, by number. */
  readonly serversOf: () => readonly number[];
  /** Number of tools of each server. */
  readonly serverSizes: () => readonly number[];
  /** Servers in whose name a stem stands. */
  readonly serversNamed: (stem: string) => readonly number[];
  /** The documents in whose name a stem stands; removed ones are among them. */
  readonly documentsNamed: (stem: string) => readonly number[];
  /** How rare the words of each document's name are together, and those of them that say little; by number. */
  readonly nameMasses: () => readonly number[];
  readonly weakNameMasses: () => readonly number[];
  /** The documents whose name or description begins with a stem; removed ones are among them. */
  readonly documentsHeaded: (stem: string) => readonly number[];
  /** Puts a tool in place of the one with the same key, or adds it. A few microseconds to milliseconds. */
  readonly put: (key: string, tool: SearchedText) => void;
  readonly remove: (key: string) => void;
  /** All of it, for {@link restoreIndex}. */
  readonly parts: () => IndexParts;
}

/** An index as plain data: what is written to disk. */
export interface IndexParts {
  readonly keys: readonly (string | null)[];
  readonly servers: readonly string[];
  readonly serverOf: readonly number[];
  /** Stems, by number. */
  readonly stems: readonly string[];
  readonly nameStems: readonly (readonly number[])[];
  readonly heads: readonly (readonly [string, string])[];
  /** Mean length of each field when the index was built. */
  readonly meanLengths: readonly number[];
  /** Where the documents of each stem begin in `documents`; one more than there are stems. */
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  readonly weights: Float32Array;
}

/** Builds the index of tools by key. 10,000 tools take about a second. */
export function buildIndex(tools: ReadonlyMap<string, SearchedText>): KeywordIndex {
  const stemsIn = createStemmer();
  const documents = Array.from(tools, ([key, tool]) => ({
    key,
    server: tool.server,
    document: indexDocument(tool, stemsIn),
  }));
  const meanLengths = FIELDS.map(
    (_, field) =>
      documents.reduce((sum, { document }) => sum + (document.lengths[field] ?? 0), 0) /
        Math.max(documents.length, 1) || 1,
  );
  const stems = new Map<string, number>();
  const lists: { documents: number[]; weights: number[] }[] = [];
  const serverOf: number[] = [];
  const servers = new Map<string, number>();
  for (const [number, { server, document }] of documents.entries()) {
    if (!servers.has(server)) servers.set(server, servers.size);
    serverOf.push(servers.get(server) ?? 0);
    for (const [stem, weight] of weightsOf(document, meanLengths)) {
      let at = stems.get(stem);
      if (at === undefined) {
        at = lists.length;
        stems.set(stem, at);
        lists.push({ documents: [], weights: [] });
      }
      lists[at]?.documents.push(number);
      lists[at]?.weights.push(weight);
    }
  }
  const starts = new Uint32Array(lists.length + 1);
  for (const [at, list] of lists.entries()) starts[at + 1] = (starts[at] ?? 0) + list.documents.length;
  const total = starts[lists.length] ?? 0;
  const flat = { documents: new Uint32Array(total), weights: new Float32Array(total) };
  for (const [at, list] of lists.entries()) {
    flat.documents.set(list.documents, starts[at]);
    flat.weights.set(list.weights, starts[at]);
  }
  return restoreIndex({
    keys: documents.map(({ key }) => key),
    servers: [...servers.keys()],
    serverOf,
    stems: [...stems.keys()],
    nameStems: documents.map(({ document }) => document.nameStems.map((stem) => stems.get(stem) ?? 0)),
    heads: documents.map(({ document }) => document.heads),
    meanLengths,
    starts,
    ...flat,
  });
}

/** What each stem of a document counts: BM25F's weighted frequency, before saturation. */
function weightsOf(document: IndexDocument, meanLengths: readonly number[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const [field, counts] of document.fields.entries()) {
    const share = LENGTH_SHARES[field] ?? 0;
    const length = (document.lengths[field] ?? 0) / (meanLengths[field] ?? 1);
    const weight = (FIELD_WEIGHTS[field] ?? 0) / (1 - share + share * length);
    for (const [stem, count] of counts) weights.set(stem, (weights.get(stem) ?? 0) + weight * count);
  }
  return weights;
}

/** Makes an index of its parts, as they were read from disk. The parts themselves do not change. */
export function restoreIndex(base: IndexParts): KeywordIndex {
  const stemNumbers = new Map(base.stems.map((stem, at) => [stem, at]));
  const keys: (string | undefined)[] = base.keys.map((key) => key ?? undefined);
  const numbers = new Map(base.keys.flatMap((key, at) => (key === null ? [] : [[key, at] as const])));
  const serverOf = [...base.serverOf];
  const servers = new Map(base.servers.map((server, at) => [server, at]));
  const serverSizes = base.servers.map(() => 0);
  for (const [at, server] of serverOf.entries())
    if (keys[at] !== undefined) serverSizes[server] = (serverSizes[server] ?? 0) + 1;
  const headed = new Map<string, number[]>();
  const headDocument = (document: number, heads: readonly string[]): void => {
    for (const stem of new Set(heads)) append(headed, stem, document);
  };
  for (const [document, heads] of base.heads.entries()) headDocument(document, heads);
  /** Documents that came later, by stem. */
  const later = new Map<string, [document: number, weight: number][]>();
  const named = new Map<string, number[]>();
  const stemsIn = createStemmer();
  const nameServer = (server: string, at: number): void => {
    for (const stem of new Set(stemsIn(server))) named.set(stem, [...(named.get(stem) ?? []), at]);
  };
  for (const [server, at] of servers) nameServer(server, at);
  let removed = keys.filter((key) => key === undefined).length;

  const baseCount = (stem: string): number => {
    const at = stemNumbers.get(stem);
    return at === undefined ? 0 : (base.starts[at + 1] ?? 0) - (base.starts[at] ?? 0);
  };
  const remove = (key: string): void => {
    const number = numbers.get(key);
    if (number === undefined) return;
    numbers.delete(key);
    keys[number] = undefined;
    removed += 1;
    const server = serverOf[number] ?? 0;
    serverSizes[server] = (serverSizes[server] ?? 1) - 1;
  };
  const rarities = new Map<string, number>();
  const rarity = (stem: string): number => {
    const known = rarities.get(stem);
    if (known !== undefined) return known;
    // Removed documents still count here, until the index is built anew: they are few.
    const count = baseCount(stem) + (later.get(stem)?.length ?? 0);
    const rare = count === 0 ? 0 : Math.log(1 + Math.max(keys.length - count + 0.5, 0.5) / (count + 0.5));
    rarities.set(stem, rare);
    return rare;
  };
  /** Documents by the stems of their names; what those weigh, all and weak ones. */
  const documentsNamed = new Map<string, number[]>();
  const nameMasses: number[] = [];
  const weakMasses: number[] = [];
  const nameDocument = (document: number, stems: readonly string[]): void => {
    nameMasses[document] = 0;
    weakMasses[document] = 0;
    for (const stem of stems) {
      append(documentsNamed, stem, document);
      nameMasses[document] = (nameMasses[document] ?? 0) + rarity(stem);
      if (WEAK_STEMS.has(stem) || COMMON_VERBS.has(stem))
        weakMasses[document] = (weakMasses[document] ?? 0) + rarity(stem);
    }
  };
  for (const [document, stems] of base.nameStems.entries())
    nameDocument(
      document,
      stems.map((at) => base.stems[at] ?? ""),
    );
  let byLetter: Map<string, string[]> | undefined;
  const letters = (): Map<string, string[]> => {
    if (byLetter !== undefined) return byLetter;
    byLetter = new Map();
    for (const stem of new Set([...base.stems, ...later.keys()])) {
      append(byLetter, stem[0] ?? "", stem);
    }
    return byLetter;
  };

  return {
    size: () => keys.length,
    removed: () => removed,
    keys: () => keys,
    postings: (stem, visit) => {
      const at = stemNumbers.get(stem);
      if (at !== undefined) {
        const end = base.starts[at + 1] ?? 0;
        for (let place = base.starts[at] ?? 0; place < end; place += 1) {
          const document = base.documents[place] ?? 0;
          if (keys[document] !== undefined) visit(document, base.weights[place] ?? 0);
        }
      }
      for (const [document, weight] of later.get(stem) ?? [])
        if (keys[document] !== undefined) visit(document, weight);
    },
    rarity,
    stemsFrom: (letter) => letters().get(letter) ?? [],
    serversOf: () => serverOf,
    serverSizes: () => serverSizes,
    serversNamed: (stem) => named.get(stem) ?? [],
    documentsNamed: (stem) => documentsNamed.get(stem) ?? [],
    nameMasses: () => nameMasses,
    weakNameMasses: () => weakMasses,
    documentsHeaded: (stem) => headed.get(stem) ?? [],
    put: (key, tool) => {
      remove(key);
      const document = indexDocument(tool, stemsIn);
      const number = keys.length;
      keys.push(key);
      numbers.set(key, number);
      let server = servers.get(tool.server);
      if (server === undefined) {
        server = servers.size;
        servers.set(tool.server, server);
        serverSizes.push(0);
        nameServer(tool.server, server);
      }
      serverOf.push(server);
      serverSizes[server] = (serverSizes[server] ?? 0) + 1;
      headDocument(number, document.heads);
      for (const [stem, weight] of weightsOf(document, base.meanLengths)) {
        append(later, stem, [number, weight]);
        rarities.delete(stem);
      }
      nameDocument(number, document.nameStems);
      byLetter = undefined;
    },
    remove,
    parts: () => {
      if (keys.length === base.keys.length && removed === base.keys.filter((key) => key === null).length)
        return base;
      throw new TypeError("an index that was changed is built anew before it is written");
    },
  };
}

function append<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
