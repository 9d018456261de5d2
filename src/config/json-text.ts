import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { McpfsError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";

/** A way into a JSON value: keys and indexes. */
export type JsonPath = readonly (string | number)[];

/** A place in a text; both from 1, the column in UTF-16 units as editors count. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** JSON with comments, parsed, and where each of its values stands. */
export interface JsonText {
  readonly value: Json;
  /** Where the value at `path` stands, or the nearest value around it. */
  readonly positionOf: (path: JsonPath) => Position;
  /** Where the key at the end of `path` stands. */
  readonly keyPositionOf: (path: JsonPath) => Position;
  /** Keys that stand twice in one object; the last one counts. */
  readonly duplicates: readonly { readonly path: JsonPath; readonly lines: readonly number[] }[];
}

/**
 * Parses JSON with comments, trailing commas and a byte order mark. A text without a value is an empty object.
 * Integers that a double cannot hold are `bigint`; objects have no prototype, so no key of theirs is special.
 * @param file how errors name the text
 * @throws McpfsError CONFIG_INVALID with line and column of the first error, and what was expected
 */
export function readJsonText(text: string, file: string): JsonText {
  const source = withoutMark(text);
  const errors: ParseError[] = [];
  const root = parsedTree(source, errors, file);
  const error = errors[0];
  if (error !== undefined) throw syntaxError(error, source, file);
  const values = new Map<string, number>();
  const keys = new Map<string, number>();
  const duplicates: { path: JsonPath; lines: number[] }[] = [];
  const value = root === undefined ? Object.create(null) : toJson(root, []);
  const find = (offsets: ReadonlyMap<string, number>, path: JsonPath): Position => {
    for (let length = path.length; length >= 0; length -= 1) {
      const key = JSON.stringify(path.slice(0, length));
      const offset = (length === path.length ? offsets : values).get(key);
      if (offset !== undefined) return positionAt(source, offset);
    }
    return { line: 1, column: 1 };
  };
  return {
    value,
    positionOf: (path) => find(values, path),
    keyPositionOf: (path) => find(keys, path),
    duplicates,
  };

  function toJson(node: Node, path: JsonPath): Json {
    values.set(JSON.stringify(path), node.offset);
    switch (node.type) {
      case "array":
        return (node.children ?? []).map((item, index) => toJson(item, [...path, index]));
      case "object":
        return toObject(node, path);
      case "number":
        return toNumber(source.slice(node.offset, node.offset + node.length));
      default:
        return node.value as Json;
    }
  }

  function toObject(node: Node, path: JsonPath): Json {
    const object: { [key: string]: Json } = Object.create(null);
    const seen = new Map<string, number>();
    for (const property of node.children ?? []) {
      const [keyNode, valueNode] = property.children ?? [];
      if (keyNode === undefined || valueNode === undefined) continue;
      const key = String(keyNode.value);
      const keyPath = [...path, key];
      const pointer = JSON.stringify(keyPath);
      const earlier = seen.get(key);
      if (earlier !== undefined) {
        forget(pointer);
        const lines = [earlier, keyNode.offset].map((offset) => positionAt(source, offset).line);
        duplicates.push({ path: keyPath, lines });
      }
      seen.set(key, keyNode.offset);
      keys.set(pointer, keyNode.offset);
      object[key] = toJson(valueNode, keyPath);
    }
    return object;
  }

  /** Takes away the places inside a value that a later one replaces. */
  function forget(pointer: string): void {
    const inside = `${pointer.slice(0, -1)},`;
    for (const places of [keys, values]) {
      for (const known of places.keys()) if (known.startsWith(inside)) places.delete(known);
    }
  }
}

/** A text and its byte order mark, if it has one. */
export function splitMark(text: string): { readonly mark: string; readonly source: string } {
  const source = withoutMark(text);
  return { mark: text.slice(0, text.length - source.length), source };
}

/** `text` without its byte order mark, which Windows editors write. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** A key may be of any length; this much of it tells which one is meant. */
const MAX_SHOWN_KEY = 80;

/** A path as messages name it: `mcpServers.github.args[2]`, `mcpServers["my server"]`. */
export function fieldName(path: JsonPath): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (part.length > MAX_SHOWN_KEY) return `[${JSON.stringify(`${part.slice(0, MAX_SHOWN_KEY)}…`)}]`;
      if (!/^[\w$-]+$/.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}

/** An error at one place of the config file: `/w/mcpfs.json:3:12: mcpServers.a.url must be …`. */
export function configError(options: {
  readonly file: string;
  readonly position: Position;
  readonly sentence: string;
  readonly hint: string;
}): McpfsError {
  const { file, position, sentence, hint } = options;
  return new McpfsError("CONFIG_INVALID", `${file}:${position.line}:${position.column}: ${sentence}`, {
    hint,
    data: { path: file, line: position.line, column: position.column },
  });
}

/** The parser calls itself for each bracket; a text of brackets alone would exhaust the stack. */
function parsedTree(source: string, errors: ParseError[], file: string): Node | undefined {
  let depth = 0;
  // Brackets in texts are none: a client's config may hold what a user has pasted into a chat.
  const scanner = createScanner(source, true);
  do {
    scanner.scan();
    const token = source.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + 1);
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth <= MAX_DEPTH) continue;
    throw configError({
      file,
      position: positionAt(source, scanner.getTokenOffset()),
      sentence: `The file nests more than ${MAX_DEPTH} brackets.`,
      hint: "A config needs about six.",
    });
  } while (scanner.getPosition() < source.length);
  return parseTree(source, errors, { allowTrailingComma: true, allowEmptyContent: true });
}

/** Far beyond what a config needs, and far below what the stack holds. */
const MAX_DEPTH = 500;

function toNumber(digits: string): number | bigint {
  const value = Number(digits);
  return /^-?\d+$/.test(digits) && !Number.isSafeInteger(value) ? BigInt(digits) : value;
}

/** The place of an offset; LF, CRLF and a lone CR end a line. */
function positionAt(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

/** What stands there is named by its kind alone, since it may be a key that lost its quotes. */
function syntaxError(error: ParseError, text: string, file: string): McpfsError {
  const found = nameOf(text[error.offset]);
  const problem = SYNTAX_PROBLEMS.get(printParseErrorCode(error.error)) ?? "is not JSON here";
  return configError({
    file,
    position: positionAt(text, error.offset),
    sentence: `The file ${problem.replace("%", found)}.`,
    hint: "Correct this place; comments and trailing commas are fine.",
  });
}

function nameOf(character: string | undefined): string {
  if (character === undefined) return "the end of the file";
  if (character === '"') return "a text";
  if (/[-\d]/.test(character)) return "a number";
  return /[{}[\]:,]/.test(character) ? `"${character}"` : "something else";
}

/** The parser's codes in words; `%` is what stands there instead. */
const SYNTAX_PROBLEMS: ReadonlyMap<string, string> = new Map([
  [
    "InvalidSymbol",
    'holds a word that is not JSON; expected a text in "quotes", a number, true, false or null',
  ],
  ["InvalidNumberFormat", "holds a number that is not JSON"],
  ["PropertyNameExpected", 'expected a key in "quotes", found %'],
  ["ValueExpected", "expected a value, found %"],
  ["ColonExpected", 'expected ":" after the key, found %'],
  ["CommaExpected", 'expected "," between two entries, found %'],
  ["CloseBraceExpected", 'expected "}", found %'],
  ["CloseBracketExpected", 'expected "]", found %'],
  ["EndOfFileExpected", "expected nothing after the closing bracket, found %"],
  ["UnexpectedEndOfComment", "holds a comment that does not end"],
  ["UnexpectedEndOfString", 'holds a text without its closing "'],
  ["UnexpectedEndOfNumber", "holds a number that is not complete"],
  ["InvalidUnicode", "holds a \\u without four hexadecimal digits"],
  ["InvalidEscapeCharacter", "holds a \\ that starts no escape; write \\\\ for a backslash"],
  ["InvalidCharacter", "holds a control character inside a text; write it as \\u…"],
]);
