/**
 * Characters and spelling of the names that mcpfs makes. Names come from untrusted text, and what is made of it must be
 * an identifier for TypeScript, esbuild and QuickJS and a file name on every system.
 */

/** Longest name that mcpfs makes, in UTF-16 units: what model vendors accept of a tool name, and short enough for any file system. */
export const MAX_NAME_LENGTH = 64;

/**
 * A character that may stand in an identifier: letters, marks and digits of any script, without what nobody sees (zero-width
 * joiners, variation selectors, Hangul fillers). Only U+0000–U+FFFF, and without the letters that Unicode 16 and 17 added
 * there: TypeScript 6 and esbuild 0.28 do not know those yet.
 */
const LETTER = String.raw`(?!\p{DI}|[\u{10000}-\u{10ffff}\u088f\u0897\u0c5c\u0cdc\u1acf-\u1aff\u1c89\u1c8a\ua7cb-\ua7d4\ua7da-\ua7dc\ua7f1])(?=\p{ID_Continue})[\p{L}\p{M}\p{Nd}\p{Nl}]`;
/** A mark whose letter was dropped goes too: it would sit on the word before. */
const WORDS = new RegExp(`(?!\\p{M})(?:${LETTER})+`, "gu");
const ONE_LETTER = new RegExp(`^${LETTER}$`, "u");
const STARTS_IDENTIFIER = /^[\p{ID_Start}_]/u;

/** Names that equal each other on some disk: case-insensitive ones (Windows, macOS) and those that normalise (macOS). */
export function foldName(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

/** Names that Windows keeps for devices, with any extension, in the form of {@link foldName} (`COM¹` folds to `com1`). */
export const WINDOWS_DEVICE: RegExp = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * `text` in camelCase. Words end at every character that is neither letter nor digit, `_`, `-` and `$` among them; case
 * inside a word is kept: `get_contact` → `getContact`, `getContact` → `getContact`. A leading run of capitals is one word:
 * `API-post-search` → `apiPostSearch`, `URLFetch` → `urlFetch`, `GetThing` → `getThing`. In a name without small letters
 * the capitals mean nothing: `LIST_ITEMS` → `listItems`. Empty where nothing is left.
 */
export function camelCase(text: string): string {
  const composed = text.normalize("NFC");
  const isShouting = /\p{Lu}/u.test(composed) && !/\p{Ll}/u.test(composed);
  const [first, ...rest] = (composed.match(WORDS) ?? []).map((word) => (isShouting ? lower(word) : word));
  if (first === undefined) return "";
  return [lowerStart(first), ...rest.map(upperFirst)].join("").normalize("NFC");
}

/** `text` as an identifier that may begin a larger one: other characters become `_`, a leading digit gets one before it. */
export function identifierPart(text: string): string {
  const part = Array.from(text, (character) => (isIdentifierCharacter(character) ? character : "_")).join("");
  return STARTS_IDENTIFIER.test(part) ? part : `_${part}`;
}

/** True when `text` can begin an identifier as it is. */
export function startsIdentifier(text: string): boolean {
  return STARTS_IDENTIFIER.test(text);
}

function isIdentifierCharacter(character: string): boolean {
  return character === "_" || ONE_LETTER.test(character);
}

/** Lower-cases the first letter, or a whole run of capitals but the one that begins the next word. */
function lowerStart(word: string): string {
  const run = /^\p{Lu}+/u.exec(word)?.[0] ?? "";
  const isNextSmall = /^\p{Ll}/u.test(word.slice(run.length));
  const end = run.length > 1 && isNextSmall ? run.length - 1 : run.length;
  return lower(word.slice(0, end)) + word.slice(end);
}

function upperFirst(word: string): string {
  return mapLetter(word.slice(0, 1), (letter) => letter.toUpperCase()) + word.slice(1);
}

function lower(text: string): string {
  return Array.from(text, (character) => mapLetter(character, (letter) => letter.toLowerCase())).join("");
}

/** `ß` has no capital of one letter, and `İ` no small one: such letters stay. */
function mapLetter(letter: string, map: (letter: string) => string): string {
  const mapped = map(letter);
  return ONE_LETTER.test(mapped) ? mapped : letter;
}

/** True for a folder that naming could have made: one path part, not hidden, nothing that leads elsewhere. */
export function isFolderName(text: string): boolean {
  return isPlain(text) && /^[^.-]/.test(text) && !text.endsWith(".");
}

/** True for an export that naming could have made: an identifier, and a file name. */
export function isExportName(text: string): boolean {
  return isPlain(text) && STARTS_IDENTIFIER.test(text) && !/[.-]/.test(text);
}

/** True for a wire name that naming could have made. */
export function isWireName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && /^[A-Za-z0-9_]+$/.test(text);
}

/** Letters, marks and digits, also those that a newer Unicode knows: a lock may come from a newer Node.js. */
function isPlain(text: string): boolean {
  const isShort = text.length > 0 && text.length <= MAX_NAME_LENGTH;
  return (
    isShort &&
    /^(?:[A-Za-z0-9._-]|(?!\p{DI})[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{P}\p{S}\p{ASCII}])+$/u.test(text)
  );
}
