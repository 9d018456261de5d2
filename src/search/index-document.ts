import { isJsonObject, type Json, own } from "../kernel/json.ts";
import { COMMON_STEMS, stemOf, wordsOf } from "./words.ts";

/** What is indexed of a tool. */
export interface SearchedText {
  readonly server: string;
  /** What the server is for, by our config; empty where it does not say. */
  readonly purpose: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Json;
}

/** The parts of a definition, in the order of {@link FIELD_WEIGHTS}. */
export const FIELDS = ["name", "title", "head", "body", "parameters", "parameterTexts", "server"] as const;

/**
 * What a word counts in each part. Names say most of what a tool does; texts of parameters say least, and are many. The first
 * sentence of a description says what it is for, the rest has examples. Chosen on labelled queries (`docs/search.md`); each may be a third more
 * or less without a change that shows.
 */
export const FIELD_WEIGHTS: readonly number[] = [2.5, 2, 1.5, 1, 1.2, 1.2, 2.5];
/** How much a long part lowers what a word in it counts: BM25's b. */
export const LENGTH_SHARES: readonly number[] = [0.3, 0.3, 0.3, 0.3, 0.75, 0.3, 0.3];

/** A tool as stems. */
export interface IndexDocument {
  /** For each field, stem to number of times. */
  readonly fields: readonly ReadonlyMap<string, number>[];
  /** Words of each field, common ones included. */
  readonly lengths: readonly number[];
  /** Stems of the name without those of its server, each once. */
  readonly nameStems: readonly string[];
  /** First stem of the name and of the description: mostly what the tool does. */
  readonly heads: readonly [string, string];
}

/** Two pages; what a description says after that is examples. */
const MAX_DESCRIPTION = 4_000;
const MAX_HEAD = 300;
/** Parameters are described in a sentence, or else in an essay. */
const MAX_PARAMETER_TEXT = 300;

/** Reads words and their stems; each spelling is stemmed once. */
export function createStemmer(): (text: string) => readonly string[] {
  const known = new Map<string, string>();
  return (text) =>
    wordsOf(text).map((word) => {
      let stem = known.get(word);
      if (stem === undefined) {
        stem = stemOf(word);
        known.set(word, stem);
      }
      return stem;
    });
}

/** Turns a tool into stems. */
export function indexDocument(
  tool: SearchedText,
  stemsIn: (text: string) => readonly string[],
): IndexDocument {
  const server = stemsIn(tool.server);
  const ownName = stemsIn(tool.name);
  // `playwright_click` is `click` of the server `playwright`, as are its siblings that do not say so.
  const shortName = ownName.filter((stem) => !server.includes(stem));
  const name = shortName.length > 0 ? shortName : ownName;
  const description = tool.description.slice(0, MAX_DESCRIPTION);
  const head = firstSentenceOf(description);
  const properties = own(tool.inputSchema, "properties");
  const parameters = isJsonObject(properties) ? Object.entries(properties) : [];
  const texts = [
    name,
    stemsIn(tool.title),
    stemsIn(head),
    stemsIn(description.slice(head.length)),
    parameters.flatMap(([key]) => stemsIn(key)),
    parameters.flatMap(([, schema]) => stemsIn(textOf(own(schema, "description")))),
    [...server, ...stemsIn(tool.purpose)],
  ];
  return {
    fields: texts.map((stems, field) => counted(stems, field === 0)),
    lengths: texts.map((stems) => stems.length),
    nameStems: [...new Set(name)],
    heads: [name[0] ?? "", texts[2]?.[0] ?? ""],
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value.slice(0, MAX_PARAMETER_TEXT) : "";
}

/** Up to the first end of a sentence; a heading alone is too little. */
function firstSentenceOf(description: string): string {
  const start = description.slice(0, MAX_HEAD);
  const sentence = /^[\s\S]*?(?:[.!?](?=\s)|\n\s*\n|$)/.exec(start)?.[0] ?? start;
  return sentence.trim().length < 20 ? start : sentence;
}

/** A name may consist of common words only: `who_is`. */
function counted(stems: readonly string[], areCommonKept: boolean): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const stem of stems) {
    if (!areCommonKept && COMMON_STEMS.has(stem)) continue;
    counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  return counts;
}
