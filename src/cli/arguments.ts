import { McpfsError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject, own, parseJson } from "../kernel/json.ts";

/**
 * The words after `--` as a script's `args`: one JSON value; or `key=value` pairs, an object; or words, an array of
 * strings. No words at all are `null`.
 */
export function scriptArguments(words: readonly string[]): Json {
  const [first] = words;
  if (first === undefined) return null;
  if (words.length === 1) {
    const value = tryJson(first);
    if (value !== undefined) return value;
  }
  return words.every(isPair) ? pairs(words, (_key, text) => scalar(text)) : words;
}

/**
 * The words of `mcpfs call` as a tool's arguments: one JSON object, or `key=value` pairs whose values are read as the
 * tool's schema says, so that a text of digits stays a text where a text is wanted.
 * @throws McpfsError USAGE
 */
export function callArguments(words: readonly string[], properties: Json | undefined): JsonObject {
  const [first] = words;
  if (first === undefined) return {};
  if (words.length === 1 && /^\s*\{/.test(first)) {
    const value = tryJson(first);
    if (isJsonObject(value)) return value;
    throw new McpfsError("USAGE", "The arguments are not one JSON object.", {
      hint: `Write '{"id": 1}' or id=1.`,
    });
  }
  const odd = words.find((word) => !isPair(word));
  if (odd !== undefined) {
    throw new McpfsError("USAGE", `Expected key=value, got ${JSON.stringify(odd)}.`, {
      hint: `Write '{"id": 1}' or id=1.`,
    });
  }
  return pairs(words, (key, text) => (wantsText(own(properties, key)) ? text : (tryJson(text) ?? text)));
}

function isPair(word: string): boolean {
  return /^[^=\s]+=/.test(word);
}

function pairs(words: readonly string[], read: (key: string, text: string) => Json): JsonObject {
  const entries = words.map((word): [string, Json] => {
    const at = word.indexOf("=");
    const key = word.slice(0, at);
    return [key, read(key, word.slice(at + 1))];
  });
  return Object.fromEntries(entries);
}

/** A number, `true`, `false`, `null`, array or object; but `007` and `1.10` are texts, since a number would lose digits. */
function scalar(text: string): Json {
  const value = tryJson(text);
  if (value === undefined || typeof value === "string") return text;
  return typeof value === "number" && String(value) !== text ? text : value;
}

function wantsText(schema: Json | undefined): boolean {
  const types = [own(schema, "type")].flat();
  const isTextEnum = [own(schema, "enum")].flat().some((item) => typeof item === "string");
  return (
    (types.includes("string") &&
      !types.some((type) => type === "number" || type === "integer" || type === "boolean")) ||
    (types[0] === undefined && isTextEnum)
  );
}

function tryJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
