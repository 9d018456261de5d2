import MiniSearch from "minisearch";
import { isJsonObject, type Json, own } from "../kernel/json.ts";
import type { Catalog, Tool } from "../model/tool.ts";
import { compare } from "./naming.ts";

/** A tool that a query found. */
export interface SearchHit {
  readonly tool: Tool;
  /** Larger is better; comparable within one answer only. 0 where the query was empty. */
  readonly score: number;
}

/** Finds tools by words. */
export interface KeywordSearch {
  /** At most `limit` tools, best first; all of them, in the catalog's order, for an empty query. */
  readonly search: (query: string, limit: number) => readonly SearchHit[];
}

/**
 * Creates a keyword search (BM25) over names, titles, descriptions, parameters and servers. The index is built at the first
 * query. Ask for five tools rather than one: on hundreds of tools, published measurements of keyword search have the right
 * one first in 14 % of cases, and among five in 87 %.
 */
export function createKeywordSearch(catalog: Catalog): KeywordSearch {
  const tools = catalog.servers.flatMap((server) => server.tools);
  let index: MiniSearch<Document> | undefined;
  return {
    search: (query, limit) => {
      if (query.trim() === "") return tools.slice(0, limit).map((tool) => ({ tool, score: 0 }));
      index ??= buildIndex(catalog);
      const isCommonOnly = words(query).every((word) => COMMON_WORDS.has(word));
      return index
        .search(query, { processTerm: isCommonOnly ? stem : queryTerm })
        .flatMap(({ id, score }) => {
          const tool = tools[id as number];
          return tool === undefined ? [] : [{ tool, score }];
        })
        .sort((a, b) => b.score - a.score || compare(a.tool.wire, b.tool.wire))
        .slice(0, limit);
    },
  };
}

interface Document {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: string;
  readonly server: string;
}

function buildIndex(catalog: Catalog): MiniSearch<Document> {
  const index = new MiniSearch<Document>({
    fields: ["name", "title", "description", "parameters", "server"],
    tokenize: words,
    // A name may consist of common words only: `who_is`.
    processTerm: (word, field) => (field === "name" ? stem(word) : queryTerm(word)),
    searchOptions: { boost: BOOST, prefix: isLong, fuzzy: false },
  });
  const documents = catalog.servers.flatMap((server) =>
    server.tools.map((tool) => ({
      name: [...new Set([...words(tool.raw), ...words(tool.export)])].join(" "),
      title: tool.title,
      description: tool.description.slice(0, MAX_DESCRIPTION),
      parameters: parameterText(tool.inputSchema),
      server: `${server.name} ${server.purpose}`,
    })),
  );
  index.addAll(documents.map((document, id) => ({ id, ...document })));
  return index;
}
/**
 * Names say most about what a tool does; parameters say least, and are many. Chosen on the labelled queries of LiveMCPBench
 * (94 tasks of several steps, 527 tools: a right tool among five for 61 %) and of Apify's server (78, 17 tools: 95 %).
 */
const BOOST = { name: 3, title: 2, description: 1, parameters: 0.2, server: 1.5 };
/** What a description says after its first page is examples. */
const MAX_DESCRIPTION = 4_000;
/** Shorter beginnings (`a`, `get`) stand at the start of too many words. */
const isLong = (term: string): boolean => term.length >= 4;

/** What a server is found by. */
export interface ServerText {
  readonly name: string;
  readonly purpose: string;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

/** The servers that the words mean, best first, by name, purpose and tools; all of them, as given, for no words. */
export function searchServers<T extends ServerText>(servers: readonly T[], query: string): readonly T[] {
  if (query.trim() === "") return servers;
  const index = new MiniSearch({
    fields: ["name", "purpose", "tools", "descriptions"],
    tokenize: words,
    processTerm: (word, field) => (field === "name" || field === "tools" ? stem(word) : queryTerm(word)),
    searchOptions: {
      boost: { name: 3, purpose: 2, tools: 1, descriptions: 0.5 },
      prefix: isLong,
      processTerm: queryTerm,
    },
  });
  index.addAll(
    servers.map(({ name, purpose, tools }, id) => ({
      id,
      name,
      purpose,
      tools: tools.map((tool) => tool.name).join(" "),
      descriptions: tools.map((tool) => tool.description.slice(0, MAX_DESCRIPTION)).join("\n"),
    })),
  );
  return index.search(query).flatMap(({ id }) => servers[id as number] ?? []);
}

/** Words of a text or a name, in small letters: `getContactById` and `get_contact-by-id` give the same four. */
function words(text: string): string[] {
  const found: string[] = [];
  for (const [run] of text.normalize("NFKC").matchAll(RUN)) {
    if (UNSPACED.test(run)) found.push(...pairsOf(run));
    else for (const [word] of run.matchAll(WORD)) found.push(word.toLowerCase());
  }
  return found;
}

const RUN = /[\p{L}\p{M}\p{N}]+/gu;
/** `HTTPServer2` is `HTTP`, `Server`, `2`. */
const WORD = /\p{Lu}+(?!\p{Ll})\p{M}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+|\p{Lu}/gu;
/** Scripts that write no spaces between words: there a pair of characters takes the place of a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 3) return [run];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/** A word of a query or a text; `null` drops it. */
function queryTerm(word: string): string | null {
  return COMMON_WORDS.has(word) ? null : stem(word);
}

/** Questions are full of these, and so are descriptions: leaving them out raised the share above from 43 % to 58 %. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and are as at be by can could for from has have how i if in into is it its me my no not of on or our please " +
    "should so some such that the their them then there these they this to us was we what when where which who will " +
    "with would you your"
  ).split(" "),
);

/** Takes off the endings of plurals and verb forms, so that `listing contacts` finds `list_contact`. */
function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return word
    .replace(/ies$/, "y")
    .replace(/(?<=s|x|z|ch|sh)es$/, "")
    .replace(/(?<![su])s$/, "");
}

/** Names and descriptions of the properties of a schema. */
function parameterText(schema: Json): string {
  const properties = own(schema, "properties");
  if (!isJsonObject(properties)) return "";
  const texts = Object.entries(properties).map(([name, property]) => {
    const description = own(property, "description");
    return `${name} ${typeof description === "string" ? description : ""}`;
  });
  return texts.join(" ").slice(0, MAX_DESCRIPTION);
}
