/**
 * What a key of an answer is: the name of a field, or data. Data as keys may be an e-mail address, an id or a person's name, and
 * is never kept.
 * `plain`: a name. `foreign`: it holds a character that names of fields do not have, so its whole object is a map. `numbered`: it
 * could be either (`customfield_10016`, `9f86d0`), so the object's other keys decide.
 */
export type KeyKind = "plain" | "foreign" | "numbered";

/** Longer keys are data: no field of the captured servers has a name of more than 50 characters. */
const MAX_NAME_LENGTH = 64;

/** A letter, `_` or `$`, then those, digits and `-`; nothing that a reader would not see. */
const NAME = /^(?:(?!\p{DI})[\p{L}\p{M}\p{N}_$-])+$/u;

/** Keys of JSON-LD, OData and XML turned into JSON that are names in spite of their characters. */
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  "@context",
  "@graph",
  "@id",
  "@type",
  "@value",
  "@odata.context",
  "@odata.etag",
  "@odata.nextLink",
  "@odata.type",
  "#text",
]);

/** Digits in a name are few (`address2`, `sha256`); four, or three groups of them, make an id, a date or a number of something. */
const MAX_DIGITS = 3;
const MAX_DIGIT_GROUPS = 2;

/** Judges one key by itself. */
export function keyKind(key: string): KeyKind {
  if (KNOWN_NAMES.has(key)) return "plain";
  if (key.length > MAX_NAME_LENGTH || !NAME.test(key) || /^[\p{N}-]+$/u.test(key)) return "foreign";
  const groups = key.match(/\p{N}+/gu) ?? [];
  const isNumbered =
    /^[\p{N}-]/u.test(key) || groups.length > MAX_DIGIT_GROUPS || groups.join("").length > MAX_DIGITS;
  return isNumbered ? "numbered" : "plain";
}

/**
 * True when the keys of an object are data: one of them is foreign, or the numbered ones (those that differ by their digits only
 * count once) are at least as many as the plain ones.
 */
export function areKeysData(keys: readonly string[], kindOf: (key: string) => KeyKind): boolean {
  const stems = new Set<string>();
  let plain = 0;
  for (const key of keys) {
    const kind = kindOf(key);
    if (kind === "foreign") return true;
    if (kind === "plain") plain += 1;
    else stems.add(key.replace(/\p{N}+/gu, "0"));
  }
  return stems.size > 0 && stems.size >= plain;
}
