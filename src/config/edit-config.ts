import { createScanner, findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import { McpfsError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject, own, stableJson } from "../kernel/json.ts";
import { nearestOf } from "../kernel/nearest.ts";
import { BUILTIN_SERVER } from "../model/names.ts";
import { readDocument } from "./document.ts";
import { CONFIG_FILE } from "./find-workspace.ts";
import { withoutMark } from "./json-text.ts";

/**
 * Edits of `mcpfs.json` that leave every other byte as it is. jsonc-parser's own `modify` was tried: it formats the
 * neighbours anew, moves the comment behind the last entry to the new one, and deletes the comments around a
 * removed one; so only its scanner is used.
 */

/**
 * The text with one more server, as the last entry of `mcpServers` (or VS Code's `servers` where only that exists).
 * The same entry again changes nothing.
 * @throws McpfsError USAGE when the name is taken by another entry or cannot be used; CONFIG_INVALID when the text
 * is not a config
 */
export function addServer(text: string, name: string, entry: JsonObject): string {
  if (name === "" || name.toLowerCase() === BUILTIN_SERVER) {
    throw new McpfsError("USAGE", `A server cannot have the name ${JSON.stringify(name)}.`, {
      hint: name === "" ? "Give it a name." : "That is the built-in server; choose another name.",
    });
  }
  const { value } = readDocument(text, CONFIG_FILE).json;
  const key =
    own(value, "mcpServers") === undefined && isJsonObject(own(value, "servers")) ? "servers" : "mcpServers";
  const existing = own(own(value, key), name);
  if (existing !== undefined) {
    if (stableJson(existing) === stableJson(entry)) return text;
    throw new McpfsError("USAGE", `There is a server ${JSON.stringify(name)} already, and it differs.`, {
      hint: `Remove it first (mcpfs rm ${name}), or choose another name.`,
    });
  }
  const mark = text.slice(0, text.length - withoutMark(text).length);
  const source = withoutMark(text);
  const root = rootObject(source);
  if (root === undefined)
    return `${mark}${source}${printed({ mcpServers: { [name]: entry } }, "  ", "\n")}\n`;
  const servers = findNodeAtLocation(root, [key]);
  return (
    mark +
    (servers?.type === "object"
      ? inserted(source, servers, name, entry)
      : inserted(source, root, key, { [name]: entry }))
  );
}

/**
 * The text without the server, comments kept.
 * @throws McpfsError USAGE when there is no such server; CONFIG_INVALID when the text is not a config
 */
export function removeServer(text: string, name: string): string {
  assertServer(text, name);
  const mark = text.slice(0, text.length - withoutMark(text).length);
  let source = withoutMark(text);
  // A name may stand twice, and in both objects.
  for (;;) {
    const property = findProperty(source, name);
    if (property === undefined) return mark + source;
    source = removed(source, property);
  }
}

/**
 * The text with the server switched on or off, all else as it is: its `enabled` (or `disabled`) gets the other value, or
 * `"enabled": false` is added.
 * @throws McpfsError USAGE when there is no such server; CONFIG_INVALID when the text is not a config
 */
export function setServerEnabled(text: string, name: string, isEnabled: boolean): string {
  const mark = text.slice(0, text.length - withoutMark(text).length);
  const source = withoutMark(text);
  assertServer(text, name);
  const entry = findProperty(source, name)?.children?.[1];
  if (entry?.type !== "object") return text;
  const states = (entry.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    value !== undefined && (key?.value === "enabled" || key?.value === "disabled")
      ? [{ value, wanted: key.value === "enabled" ? isEnabled : !isEnabled }]
      : [],
  );
  // From the end, so that the offsets before stay right.
  const switched = states.reduceRight(
    (before, { value, wanted }) =>
      before.slice(0, value.offset) + String(wanted) + before.slice(value.offset + value.length),
    source,
  );
  return mark + (states.length > 0 || isEnabled ? switched : inserted(source, entry, "enabled", false));
}

/** @throws McpfsError USAGE with the nearest name */
function assertServer(text: string, name: string): void {
  const { value } = readDocument(text, CONFIG_FILE).json;
  const names = ["mcpServers", "servers"].flatMap((key) => Object.keys(own(value, key) ?? {}));
  if (names.includes(name)) return;
  const [near] = nearestOf(name, names, 1);
  throw new McpfsError("USAGE", `There is no server ${JSON.stringify(name)} in the config.`, {
    hint: near === undefined ? "List the servers with: mcpfs ls" : `Did you mean ${near}?`,
  });
}

function rootObject(source: string): Node | undefined {
  const root = parseTree(source, [], { allowTrailingComma: true });
  return root?.type === "object" ? root : undefined;
}

function findProperty(source: string, name: string): Node | undefined {
  const root = rootObject(source);
  for (const property of root?.children ?? []) {
    const [key, value] = property.children ?? [];
    if ((key?.value !== "mcpServers" && key?.value !== "servers") || value?.type !== "object") continue;
    const found = value.children?.find((child) => child.children?.[0]?.value === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Adds `"key": value` behind the last property of `object`, below a comment that stands on that one's line. */
function inserted(source: string, object: Node, key: string, value: JsonObject | boolean): string {
  const eol = source.includes("\r\n") ? "\r\n" : "\n";
  const last = object.children?.at(-1);
  const close = object.offset + object.length - 1;
  const outer = indentAt(source, object.offset);
  const unit = indentUnit(source);
  const indent =
    last !== undefined && isFirstOnLine(source, last.offset) ? indentAt(source, last.offset) : outer + unit;
  const text = `${indent}${JSON.stringify(key)}: ${printed(value, unit, eol).replaceAll(eol, eol + indent)}`;
  if (last === undefined) {
    // Comments in an empty object stay above the new entry.
    const inside = source.slice(object.offset + 1, close).trimEnd();
    return `${source.slice(0, object.offset + 1)}${inside}${eol}${text}${eol}${outer}${source.slice(close)}`;
  }
  const end = last.offset + last.length;
  const comma = commaBehind(source, end);
  const from = comma === undefined ? end : comma + 1;
  const lineEnd = endOfLine(source, from, close);
  const head = source.slice(0, end) + (comma === undefined ? "," : "") + source.slice(end, lineEnd).trimEnd();
  const tail = source.slice(lineEnd);
  // All on one line: the closing bracket moves to a line of its own.
  const isClosing = lineEnd === close;
  return `${head}${eol}${text}${comma === undefined ? "" : ","}${isClosing ? eol + outer : ""}${tail}`;
}

/** Takes a property and its comma away, and its line where nothing else stands on it. Comments around both stay. */
function removed(source: string, property: Node): string {
  const start = property.offset;
  const end = start + property.length;
  const siblings = property.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(property) - 1];
  const comma =
    commaBehind(source, end) ?? (previous && commaBehind(source, previous.offset + previous.length));
  const isBefore = comma !== undefined && comma < start;
  const head = isBefore ? source.slice(0, comma) + source.slice(comma + 1, start) : source.slice(0, start);
  const tail =
    isBefore || comma === undefined ? source.slice(end) : source.slice(end, comma) + source.slice(comma + 1);
  const lineStart = head.lastIndexOf("\n") + 1;
  if (head.slice(lineStart).trim() !== "") return head + tail;
  const isLineEmpty = /^[ \t]*(\r?\n|$)/.test(tail);
  return isLineEmpty
    ? head.slice(0, lineStart) + tail.replace(/^[ \t]*(\r?\n)?/, "")
    : head + tail.replace(/^[ \t]+/, "");
}

/** Offset of the comma that follows `end`, comments skipped; `undefined` where a bracket comes first. */
function commaBehind(source: string, end: number): number | undefined {
  const scanner = createScanner(source, true);
  scanner.setPosition(end);
  scanner.scan();
  const offset = scanner.getTokenOffset();
  return source[offset] === "," ? offset : undefined;
}

/** End of the line at `from`, behind the comments that begin on it, but not beyond `close`. */
function endOfLine(source: string, from: number, close: number): number {
  const scanner = createScanner(source, false);
  scanner.setPosition(from);
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    if (offset >= close) return close;
    if (source[offset] === "\n" || source[offset] === "\r") return offset;
  }
}

function indentAt(source: string, offset: number): string {
  const lineStart = source.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(source.slice(lineStart))?.[0] ?? "";
}

function isFirstOnLine(source: string, offset: number): boolean {
  return source.slice(source.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "";
}

/** The indent of the first line that has one: what the file's author uses. */
function indentUnit(source: string): string {
  return /^(\t| +)\S/m.exec(source)?.[1] ?? "  ";
}

function printed(value: JsonObject | boolean, unit: string, eol: string): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", eol);
}
