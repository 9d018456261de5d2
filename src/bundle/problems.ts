import type { Message } from "esbuild";
import { McpfsError } from "../kernel/errors.ts";
import { oneLine } from "../kernel/text.ts";
import { originalPlace } from "../syntax/line-shift.ts";
import { linesOf, offsetOf, type Place } from "../syntax/text-edits.ts";

import type { Detail, Entry } from "./plan.ts";

/** A place in a file as the user knows it. */
export interface UserPlace {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
}

/** The module of the script, as esbuild names it. */
export function entryModule(entry: Entry): string {
  return entry.path === undefined ? "script:script" : `workspace:${entry.path}`;
}

/** The name to show for a module of a build; `undefined` for text of ours (stubs, the fs module, free names). */
export function shownFile(module: string, entry: Entry): string | undefined {
  if (module === entryModule(entry)) return entry.name;
  return module.startsWith("workspace:") ? module.slice("workspace:".length) : undefined;
}

/** The first of a build's errors as ours; the others are in `data.more`. */
export function toBuildError(messages: readonly Message[], entry: Entry, maxBytes: number): McpfsError {
  const [first, ...others] = messages.map((message) => tell(message, entry, maxBytes)).sort(byWeight);
  if (first === undefined) return new McpfsError("INTERNAL", "The bundler failed without a message.");
  const more = others.map(({ message, place }) => ({ message, ...place }));
  return new McpfsError(first.code, first.message, {
    hint: first.hint,
    data: { ...first.place, ...(more.length > 0 ? { more } : {}) },
  });
}

/** A build's warning as one line, or `undefined` when it is about text that no user wrote. */
export function toWarning(message: Message, entry: Entry): string | undefined {
  const place = placeOfMessage(message, entry);
  if (place.line === null || place.file.startsWith("servers/")) return undefined;
  return `${place.file}:${place.line}: ${oneLine(message.text, 300)}`;
}

/** The UTF-16 offset of a message in the text that was built; `undefined` where it has no place. */
export function offsetOfMessage(message: Message, text: string): number | undefined {
  if (message.location === null) return undefined;
  return offsetOf(text, { line: message.location.line, column: columnOf(message) });
}

interface Told {
  readonly code: "IMPORT_REFUSED" | "LIMIT_BUNDLE" | "SCRIPT_ERROR";
  readonly message: string;
  readonly hint: string;
  readonly place: UserPlace;
}

function tell(message: Message, entry: Entry, maxBytes: number): Told {
  const place = placeOfMessage(message, entry);
  const detail = message.detail as Detail | undefined;
  switch (detail?.kind) {
    case "refused":
      return { code: "IMPORT_REFUSED", ...detail.refusal, place };
    case "too-large":
      return {
        code: "LIMIT_BUNDLE",
        message: `${detail.file.path} has ${detail.file.bytes} bytes; a script and each of its imports may have ${maxBytes}.`,
        hint: "Keep data in ./workspace/ and read it with await fs.readFile(…), or raise limits.bundleBytes.",
        place,
      };
    default: {
      const text = sentence(oneLine(message.text, 300));
      return { code: "SCRIPT_ERROR", message: text, hint: sourceLine(message, place, entry), place };
    }
  }
}

/** Syntax errors first: they make up other messages. Then by line. */
function byWeight(a: Told, b: Told): number {
  const weight = (told: Told): number => (told.code === "SCRIPT_ERROR" ? 0 : 1);
  return weight(a) - weight(b) || (a.place.line ?? 0) - (b.place.line ?? 0);
}

function placeOfMessage(message: Message, entry: Entry): UserPlace {
  const { location } = message;
  if (location === null) return { file: entry.name, line: null, column: null };
  const file = shownFile(location.file, entry) ?? entry.name;
  const built: Place = { line: location.line, column: columnOf(message) };
  if (location.file !== entryModule(entry)) return { file, ...built };
  const place = entry.shift ? originalPlace(entry.shift, built) : built;
  const lines = linesOf(entry.original);
  // What is missing at the end of a script is reported behind it, in the tail that we added.
  if (place === undefined || place.line > lines.length)
    return { file, line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
  return { file, ...place };
}

/** esbuild counts columns from 0 in bytes of UTF-8; users count from 1 in characters of their editor. */
function columnOf(message: Message): number {
  const { column = 0, lineText = "" } = message.location ?? {};
  return Buffer.from(lineText, "utf8").subarray(0, column).toString("utf8").length + 1;
}

function sourceLine(message: Message, place: UserPlace, entry: Entry): string {
  const isEntry = message.location?.file === entryModule(entry);
  const line =
    isEntry && place.line !== null ? linesOf(entry.original)[place.line - 1] : message.location?.lineText;
  return line === undefined || line.trim() === "" ? "" : `Line ${place.line}: ${oneLine(line.trim(), 200)}`;
}

function sentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}
