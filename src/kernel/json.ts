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
  return hasLongDigits(text) ? parseWithBigints(text) : (JSON.parse(text) as Json);
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

/** A value for reading, by a person or a model: a text as it is, all else as one line of JSON. */
export function valueText(value: Json): string {
  return typeof value === "string" ? value : stringifyJson(value);
}

/**
 * Prints JSON with object keys sorted by code unit, so that equal values have equal text whatever order a
 * server wrote them in. Used for digests and for files that are committed.
 */
export function stableJson(value: unknown): string {
  // Definitions are mostly short texts: this order of tests and plain concatenation take a third of the time of the obvious way.
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return stringifyJson(value);
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${stableJson(item ?? null)}`;
    return `[${text}]`;
  }
  const members = value as JsonObject;
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${stableJson(member)}`;
  }
  return `{${text}}`;
}

/** True when both values print the same {@link stableJson}; many times faster than printing them. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return typeof left !== "object" && typeof right !== "object"
      ? stringifyJson(left) === stringifyJson(right)
      : (left ?? null) === (right ?? null);
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    for (let at = 0; at < left.length; at += 1)
      if (!isSameJson(left[at] ?? null, right[at] ?? null)) return false;
    return true;
  }
  return hasSameMembers(left as JsonObject, right as JsonObject);
}

function hasSameMembers(left: JsonObject, right: JsonObject): boolean {
  let members = 0;
  for (const key of Object.keys(left)) {
    const item = left[key];
    if (item === undefined) continue;
    members += 1;
    if (!Object.hasOwn(right, key) || right[key] === undefined || !isSameJson(item, right[key])) return false;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined) members -= 1;
  return members === 0;
}

/**
 * True when objects and arrays nest deeper than `maxDepth` levels. Whatever walks a value by recursion (printing, digests,
 * schemas) overflows the stack at some thousand levels; this goes no deeper than `maxDepth`, a thousand at most.
 */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (maxDepth < 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(item, maxDepth - 1)) return true;
    return false;
  }
  for (const key in value) if (isDeeperThan((value as JsonObject)[key], maxDepth - 1)) return true;
  return false;
}

/** Sixteen digits in a row may be an integer beyond 2^53; anything shorter never is. */
const LONG_DIGITS = 16;
/** 2^53−1, which libraries write into the schema of every integer: a text that has no other is not searched. */
const LARGEST_SAFE = String(Number.MAX_SAFE_INTEGER);

/**
 * Whether that many digits stand in a row anywhere. Every such row covers a place that is a multiple of sixteen, so
 * only each sixteenth character is looked at: 2 ms for 10 MB, where a pattern takes 20.
 */
function hasLongDigits(text: string): boolean {
  for (let at = LONG_DIGITS - 1; at < text.length; at += LONG_DIGITS) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (isDigit(text, start - 1)) start -= 1;
    let end = at + 1;
    while (isDigit(text, end)) end += 1;
    const isSafe = end - start === LONG_DIGITS && text.startsWith(LARGEST_SAFE, start);
    if (end - start >= LONG_DIGITS && !isSafe) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function parseWithBigints(text: string): Json {
  const marked = protectLongIntegers(text);
  if (marked.mark === "") return JSON.parse(text) as Json;
  return JSON.parse(marked.text, (_key, item: unknown) =>
    typeof item === "string" && item.startsWith(marked.mark) ? BigInt(item.slice(marked.mark.length)) : item,
  ) as Json;
}

/**
 * Rewrites JSON text for a reader that has only `JSON.parse`: each integer outside ±(2^53−1) becomes a string of `mark` and its
 * digits. No other string of the text begins with `mark`; it is empty where nothing had to be marked.
 */
export function protectLongIntegers(text: string): { readonly text: string; readonly mark: string } {
  if (!hasLongDigits(text)) return { text, mark: "" };
  const { longs, taken } = scan(text);
  if (longs.length === 0) return { text, mark: "" };
  const mark = freeMark(taken);
  return { text: withMarks(text, longs, mark), mark };
}

/**
 * The same with a mark of the caller's, one that the text cannot hold. A piece of JSON text does too (one line of an event),
 * where no string is cut.
 */
export function markLongIntegers(text: string, mark: string): string {
  return hasLongDigits(text) ? withMarks(text, scan(text).longs, mark) : text;
}

/** A long integer where it stands in a text. */
interface LongInteger {
  readonly start: number;
  readonly digits: string;
}

/**
 * Finds long integers, and marks that strings hold already. Strings are skipped by hand: a pattern for a whole string overflows
 * the stack of the regular expression engine at 8 MB, and answers of 16 MB are allowed.
 */
function scan(text: string): { readonly longs: readonly LongInteger[]; readonly taken: ReadonlySet<number> } {
  const token = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  const longs: LongInteger[] = [];
  const taken = new Set<number>();
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '"') {
      token.lastIndex = endOfString(text, found.index);
      // JSON has one spelling of U+0001, so this finds every string that begins as a mark does.
      if (text.startsWith(String.raw`"\u0001`, found.index))
        addMarks(taken, JSON.parse(text.slice(found.index, token.lastIndex)));
    } else if (isLongInteger(found[0]) && !isBeforeColon(text, token.lastIndex)) {
      longs.push({ start: found.index, digits: found[0] });
    }
  }
  return { longs, taken };
}

function withMarks(text: string, longs: readonly LongInteger[], mark: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (const { start, digits } of longs) {
    parts.push(text.slice(copied, start), JSON.stringify(mark + digits));
    copied = start + digits.length;
  }
  return parts.join("") + text.slice(copied);
}

function isLongInteger(token: string): boolean {
  return /^-?[1-9]\d*$/.test(token) && !Number.isSafeInteger(Number(token));
}

/** `{123:1}` is no JSON, and must not become some. */
function isBeforeColon(text: string, start: number): boolean {
  let at = start;
  while (" \t\n\r".includes(text[at] ?? "x")) at += 1;
  return text[at] === ":";
}

/** The index after the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

function stringifyWithBigints(value: unknown): string {
  const taken = new Set<number>();
  JSON.stringify(value, (key, item: unknown) => {
    addMarks(taken, key);
    if (typeof item === "string") addMarks(taken, item);
    return typeof item === "bigint" ? 0 : item;
  });
  const mark = freeMark(taken);
  const text = JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? `${mark}${item}` : item,
  );
  const escaped = JSON.stringify(mark).slice(1, -1).replaceAll("\\", "\\\\");
  return text.replaceAll(new RegExp(`"${escaped}(-?\\d+)"`, "g"), "$1");
}

/** Marks are U+0001, a number and a colon; the data may hold some, also on purpose. */
function addMarks(taken: Set<number>, text: string): void {
  for (const [, number] of text.matchAll(/\u0001(\d{1,9}):/g)) taken.add(Number(number));
}

/** A mark that the data does not hold, so that a marked integer is never mistaken for data. */
function freeMark(taken: ReadonlySet<number>): string {
  let number = 0;
  while (taken.has(number)) number += 1;
  return `\u0001${number}:`;
}
