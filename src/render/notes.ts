import type { Json, JsonObject } from "../kernel/json.ts";
import { own, stringifyJson, valueText } from "../kernel/json.ts";

/**
 * What a schema says beyond its type, in as few words as lose nothing: its description, and what TypeScript cannot
 * say (`1–100, default 20`). What the description says already is not said twice.
 * @param name the field's name, or an empty string: a title that only repeats it is left out
 */
export function notesOf(schema: JsonObject, name: string): string {
  const description = descriptionOf(schema, name);
  const facts = factsOf(schema, description);
  if (facts.length === 0) return description;
  return description === "" ? facts.join(", ") : `${description} (${facts.join(", ")})`;
}

function descriptionOf(schema: JsonObject, name: string): string {
  const description = own(schema, "description");
  const isNamed = name !== "" || own(schema, "const") !== undefined;
  for (const value of [description, isNamed ? own(schema, "title") : ""]) {
    const text = typeof value === "string" ? value.trim() : "";
    if (text !== "" && !onlyRepeats(text, name)) return text;
  }
  return "";
}

/** True for `Document Id`, or `The ID of the document`, of a field `document_id`: its name says as much. */
function onlyRepeats(text: string, name: string): boolean {
  const known = new Set(wordsOf(name));
  return wordsOf(text).every((word) => known.has(word) || EMPTY_WORDS.has(word));
}

function wordsOf(text: string): readonly string[] {
  const apart = text.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").toLowerCase();
  return (
    apart.match(/[\p{L}\p{N}]+|[^\s\p{P}]/gu)?.map((word) => (word === "identifier" ? "id" : word)) ?? []
  );
}

/** Words that tell nothing of a field; whether it is optional, its type says. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  "a an the of for to in this its your optional required".split(" "),
);

function factsOf(schema: JsonObject, description: string): string[] {
  const facts = [...rangeFacts(schema, description), ...otherFacts(schema, description)];
  const fallback = own(schema, "default");
  if (fallback !== undefined && fallback !== null && !saysDefault(description, fallback))
    facts.push(`default ${shortJson(fallback)}`);
  const examples = own(schema, "examples") ?? own(schema, "example");
  const shown = (
    Array.isArray(examples) ? (examples as readonly Json[]) : examples === undefined ? [] : [examples]
  )
    .map(shortJson)
    .filter((example) => !description.includes(example.replace(/^"|"$/g, "")));
  if (shown.length > 0) facts.push(`e.g. ${shown.slice(0, MAX_EXAMPLES).join(", ")}`);
  if (own(schema, "deprecated") === true) facts.push("deprecated");
  return facts;
}

/** More examples than this teach nothing new. */
const MAX_EXAMPLES = 3;
/** A longer default or example is cut: it is a document of its own. */
const MAX_JSON_LENGTH = 200;

function shortJson(value: Json): string {
  const text = stringifyJson(value);
  return text.length <= MAX_JSON_LENGTH ? text : `${text.slice(0, MAX_JSON_LENGTH)}…`;
}

function rangeFacts(schema: JsonObject, description: string): string[] {
  const minimum = number(schema, "minimum");
  const maximum = number(schema, "maximum");
  const above = number(schema, "exclusiveMinimum");
  const below = number(schema, "exclusiveMaximum");
  const facts: string[] = [];
  const range = rangeText(minimum, maximum, "");
  if (range !== "" && !saysNumbers(description, [minimum, maximum])) facts.push(range);
  if (above !== undefined && !saysNumbers(description, [above])) facts.push(`> ${above}`);
  if (below !== undefined && !saysNumbers(description, [below])) facts.push(`< ${below}`);
  return facts;
}

/** The bounds that JSON Schema puts on lengths, each with the word for what is counted. */
const COUNTED = [
  ["minLength", "maxLength", "char"],
  ["minItems", "maxItems", "item"],
  ["minProperties", "maxProperties", "key"],
] as const;

function otherFacts(schema: JsonObject, description: string): string[] {
  const facts: string[] = [];
  const format = own(schema, "format");
  if (typeof format === "string" && !saysFormat(description, format)) facts.push(format);
  for (const [least, most, noun] of COUNTED) {
    const minimum = number(schema, least);
    const maximum = number(schema, most);
    if (minimum === 1 && maximum === undefined) facts.push("not empty");
    else if (!saysNumbers(description, [minimum || undefined, maximum])) {
      const text = rangeText(minimum || undefined, maximum, `${noun}s`);
      if (text !== "")
        facts.push(maximum === 1 || (minimum === 1 && maximum === 1) ? text.replace(/s$/, "") : text);
    }
  }
  const pattern = own(schema, "pattern");
  // A long pattern beside a known format spells out that format (zod does so for each).
  const isFormat = typeof format === "string" && KNOWN_FORMATS.has(format);
  if (typeof pattern === "string" && pattern !== "" && !description.includes(pattern))
    if (!isFormat || pattern.length < MIN_FORMAT_PATTERN) facts.push(`/${pattern}/`);
  const step = number(schema, "multipleOf");
  if (step !== undefined && !(step === 1 && own(schema, "type") === "integer"))
    facts.push(`multiple of ${step}`);
  if (own(schema, "uniqueItems") === true) facts.push("unique");
  const encoding = own(schema, "contentEncoding");
  if (typeof encoding === "string" && !saysFormat(description, encoding)) facts.push(encoding);
  const media = own(schema, "contentMediaType");
  if (typeof media === "string" && !description.includes(media)) facts.push(media);
  const needs = own(schema, "dependentRequired");
  if (typeof needs === "object" && needs !== null)
    for (const [key, others] of Object.entries(needs))
      if (Array.isArray(others)) facts.push(`${key} needs ${others.map(String).join(", ")}`);
  return facts;
}

function rangeText(minimum: number | undefined, maximum: number | undefined, noun: string): string {
  const tail = noun === "" ? "" : ` ${noun}`;
  if (minimum === undefined) return maximum === undefined ? "" : `≤ ${maximum}${tail}`;
  if (maximum === undefined) return `≥ ${minimum}${tail}`;
  return minimum === maximum ? `${minimum}${tail}` : `${minimum}–${maximum}${tail}`;
}

/** A bound that says something: libraries write ±(2^53−1) for every integer. */
function number(schema: JsonObject, keyword: string): number | undefined {
  const value = own(schema, keyword);
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** True when the text holds all these numbers and a word that makes bounds of them. */
function saysNumbers(text: string, numbers: readonly (number | undefined)[]): boolean {
  const known = numbers.filter((value) => value !== undefined);
  const standsAlone = (value: number): boolean =>
    new RegExp(`(?<![\\d.])${String(value).replace(/[.+]/g, "\\$&")}(?![\\d]|\\.\\d)`).test(
      text.replaceAll(",", ""),
    );
  if (known.length === 0 || !known.every(standsAlone)) return false;
  return (
    known.length === 2 ||
    /\b(min|max|least|most|up to|limit|between|from|range|less|greater|more|positive)|[<>≤≥]/i.test(text)
  );
}

function saysDefault(text: string, value: Json): boolean {
  const shown = valueText(value);
  return /default/i.test(text) && text.toLowerCase().includes(shown.toLowerCase());
}

/** Formats that everybody knows without their pattern. */
const KNOWN_FORMATS: ReadonlySet<string> = new Set(
  "date-time date time duration email uri url uuid ipv4 ipv6 hostname base64".split(" "),
);
/** Shorter patterns may say more than the format does. */
const MIN_FORMAT_PATTERN = 40;

/** Words by which a description names a format. */
const FORMAT_WORDS: ReadonlyMap<string, RegExp> = new Map([
  ["date-time", /iso.?8601|rfc.?3339|date-?time|timestamp/i],
  ["date", /yyyy-mm-dd|iso.?8601/i],
  ["uri", /\bur[il]s?\b/i],
  ["url", /\bur[il]s?\b/i],
  ["email", /e-?mail/i],
]);

function saysFormat(text: string, format: string): boolean {
  return FORMAT_WORDS.get(format)?.test(text) ?? text.toLowerCase().includes(format.toLowerCase());
}
