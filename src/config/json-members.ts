import { createScanner, type Node, parseTree } from "jsonc-parser";
import type { Json } from "../kernel/json.ts";

/**
 * Edits of a JSON text with comments that leave every other byte as it is. jsonc-parser's own `modify` was tried: it formats the
 * neighbours anew, moves the comment behind the last entry to the new one, and deletes the comments around a
 * removed one; so only its scanner is used.
 */

/** The object that the text is, or nothing. */
export function rootObject(source: string): Node | undefined {
  const root = parseTree(source, [], { allowTrailingComma: true });
  return root?.type === "object" ? root : undefined;
}

/** Adds `"key": value` behind the last property of `object`, below a comment that stands on that one's line. */
export function inserted(source: string, object: Node, key: string, value: Json): string {
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
export function removed(source: string, property: Node): string {
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
export function indentUnit(source: string): string {
  return /^(\t| +)\S/m.exec(source)?.[1] ?? "  ";
}

/** A value over several lines, as the file is written. */
export function printed(value: Json, unit: string, eol: string): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", eol);
}
