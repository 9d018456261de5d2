/** JSON as mcpfs carries it: like JSON, but an integer that a double cannot hold is a `bigint`. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

/** A JSON object as received. Keys are untrusted: read them with `Object.hasOwn` or `Object.entries`. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** True for a JSON object, false for arrays, `null` and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The own property `key` of `value`, or `undefined`: an inherited `constructor` is never found. */
export function own(value: unknown, key: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * Parses JSON text; integers outside ±(2^53−1) become `bigint`, so that ids keep their digits.
 * @throws SyntaxError as `JSON.parse` does
 */
export function parseJson(text: string): Json {
  return LONG_DIGITS.test(text) ? parseWithBigints(text) : (JSON.parse(text) as Json);
}

/**
 * Prints a value as JSON text on one line; a `bigint` is printed as its plain digits.
 * `undefined` (also of a function or symbol) prints as `null`, since a message must hold something.
 */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return stringifyWithBigints(value);
  }
}

/**
 * Prints JSON with object keys sorted by code unit, so that equal values have equal text whatever order a
 * server wrote them in. Used for digests and for files that are committed.
 */
export function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => stableJson(item ?? null)).join(",")}]`;
  if (!isJsonObject(value)) return stringifyJson(value);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${stableJson(value[key])}`);
  return `{${members.join(",")}}`;
}

/** Sixteen digits in a row may be an integer beyond 2^53; anything shorter never is. */
const LONG_DIGITS = /\d{16}/;

/** A string, or a number, wherever it stands in JSON text. Strings are matched so that digits in them are skipped. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Turns integers outside ±(2^53−1) into strings that begin with `mark`, for a reader that has only `JSON.parse`.
 * No string of the text begins with `mark`; it is empty where nothing had to be marked, and the text is then unchanged.
 */
export function markLongIntegers(text: string): { readonly text: string; readonly mark: string } {
  const unmarked = { text, mark: "" };
  if (!LONG_DIGITS.test(text)) return unmarked;
  // A mark that no string of this text holds, so that a marked number is never mistaken for data.
  let mark = "\u0001n";
  while (text.includes(JSON.stringify(mark).slice(1, -1))) mark += "n";
  let isMarked = false;
  const markedText = text.replace(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"') || !/^-?\d+$/.test(token) || Number.isSafeInteger(Number(token))) return token;
    isMarked = true;
    return JSON.stringify(mark + token);
  });
  return isMarked ? { text: markedText, mark } : unmarked;
}

function parseWithBigints(text: string): Json {
  const marked = markLongIntegers(text);
  if (marked.mark === "") return JSON.parse(text) as Json;
  return JSON.parse(marked.text, (_key, item: unknown) =>
    typeof item === "string" && item.startsWith(marked.mark) ? BigInt(item.slice(marked.mark.length)) : item,
  ) as Json;
}

function stringifyWithBigints(value: unknown): string {
  let mark = "\u0001n";
  const strings: string[] = [];
  JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === "string") strings.push(item);
    return typeof item === "bigint" ? 0 : item;
  });
  while (strings.some((item) => item.includes(mark))) mark += "n";
  const text = JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? `${mark}${item}` : item,
  );
  return text.replaceAll(
    new RegExp(`"${JSON.stringify(mark).slice(1, -1).replaceAll("\\", "\\\\")}(-?\\d+)"`, "g"),
    "$1",
  );
}
