import { digestText } from "./digest.ts";
import { isDeeperThan, isJsonObject, type Json } from "./json.ts";

/** Longer texts of a value are told by their digest. */
const MAX_TEXT = 1_000;
/** Walking deeper ones by recursion would overflow the stack some thousand levels down. */
const MAX_DEPTH = 1_000;

/**
 * A value that says as much as the whole in less room: equal values stay equal, others differ, and what a person would read in them
 * is there.
 */
export function briefJson(value: Json): Json {
  return isDeeperThan(value, MAX_DEPTH) ? `(nested deeper than ${MAX_DEPTH} levels)` : brief(value);
}

function brief(value: Json): Json {
  if (typeof value === "string")
    return value.length <= MAX_TEXT
      ? value
      : `${value.slice(0, SHOWN)}… (${value.length} characters, sha256 ${digestText(value)})`;
  if (Array.isArray(value)) return (value as readonly Json[]).map(brief);
  if (!isJsonObject(value)) return value;
  // Not an assignment: a key `__proto__` has to stay a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, item === undefined ? item : brief(item)]),
  );
}

const SHOWN = 40;
