import type { Json } from "../../kernel/json.ts";
import { configError, type JsonPath, type JsonText, type Position, withoutMark } from "../json-text.ts";

/**
 * Parses TOML into the same form as JSON. The parser tells no places of values, so a place is the line of the key in its
 * table, or the table's own line.
 * @param file how errors name the text
 * @throws McpfsError CONFIG_INVALID with line and column of the first error; the text there is not shown, since it may be a key
 */
export async function readTomlText(text: string, file: string): Promise<JsonText> {
  const { parse, TomlError } = await import("smol-toml");
  const source = withoutMark(text);
  try {
    const value = toJson(parse(source, { integersAsBigInt: "asNeeded" }));
    const positionOf = (path: JsonPath): Position => findKey(source, path);
    return { value, positionOf, keyPositionOf: positionOf, duplicates: [] };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column } = error;
    throw configError({
      file,
      position: { line, column },
      sentence: `The file ${faultAt(source, line, column)}.`,
      hint: "For a Windows path use single quotes or double the backslash; each line ends with LF or CRLF.",
    });
  }
}

function faultAt(source: string, line: number, column: number): string {
  const before = (source.split(/\r?\n/)[line - 1] ?? "").slice(0, column);
  if (/\r/.test(before)) return "holds a carriage return that ends no line";
  // Up to eight digits stand between `\U` and the place at which the parser gives up.
  if (/"[^"]*\\[^"\s]{0,10}$/.test(before)) return 'holds a \\ in "quotes" that starts no escape';
  return "is not TOML here: a key stands twice, or a value or the end of a line is missing";
}

/** Dates become their texts. */
function toJson(value: unknown): Json {
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "object" || value === null) return value as Json;
  const object: { [key: string]: Json } = Object.create(null);
  for (const [key, inner] of Object.entries(value)) object[key] = toJson(inner);
  return object;
}

function findKey(source: string, path: JsonPath): Position {
  const names = path.filter((part) => typeof part === "string");
  let best = { line: 1, column: 1, depth: 0 };
  let table: readonly string[] = [];
  for (const [index, line] of source.split(/\r?\n/).entries()) {
    const header = /^\s*\[{1,2}(.+?)\]{1,2}\s*(?:#.*)?$/.exec(line)?.[1];
    const key = /^\s*((?:[\w-]+|"[^"]*"|'[^']*'|\s*\.\s*)+)\s*=/.exec(line)?.[1];
    if (header !== undefined) table = keyParts(header);
    const here = header === undefined ? [...table, ...keyParts(key ?? "")] : table;
    const isOnPath = here.every((part, depth) => part === names[depth]);
    if (isOnPath && here.length > best.depth && (header ?? key) !== undefined)
      best = { line: index + 1, column: line.search(/\S/) + 1, depth: here.length };
  }
  return { line: best.line, column: best.column };
}

/** `mcp_servers . "my.server"` as its parts. */
function keyParts(text: string): readonly string[] {
  return Array.from(
    text.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g),
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}
