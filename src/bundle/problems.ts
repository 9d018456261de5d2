import type { Message } from "esbuild";
import { McpfsError } from "../kernel/errors.ts";
import { oneLine } from "../kernel/text.ts";
import type { ImportedName } from "../syntax/imports.ts";
import { originalPlace } from "../syntax/line-shift.ts";
import { linesOf, offsetOf, type Place } from "../syntax/text-edits.ts";
import type { Detail, Entry } from "./plan.ts";

/** A name that a module was asked for and does not export. */
export interface MissingName extends ImportedName {
  /** Slashed path of the module if it lies below `servers/`. */
  readonly serverModule: string | undefined;
}

/** What a build's messages are told with. */
export interface Telling {
  readonly entry: Entry;
  /** Texts that people wrote, by module as esbuild names it. */
  readonly texts: ReadonlyMap<string, string>;
  /** Messages that say that a module lacks a name. */
  readonly missing: ReadonlyMap<Message, MissingName>;
  readonly maxBytes: number;
}

/** The module of the script, as esbuild names it. */
export function entryModule(entry: Entry): string {
  return entry.path === undefined ? "script:script" : `workspace:${entry.path}`;
}

/** The name to show for a module of a build; `undefined` for text of ours (stubs, the fs module, free names). */
export function shownFile(module: string, entry: Entry): string | undefined {
  if (module === entryModule(entry)) return entry.name;
  return /^(?:workspace|index):([^?]+)/.exec(module)?.[1];
}

/** The UTF-16 offset of a message in the text that was built; `undefined` where it has no place. */
export function offsetOfMessage(message: Message, text: string): number | undefined {
  if (message.location === null) return undefined;
  return offsetOf(text, { line: message.location.line, column: columnOf(message) });
}

/** The first of a build's errors as ours; the others are in `data.more`. */
export function toBuildError(messages: readonly Message[], telling: Telling): McpfsError {
  const [first, ...others] = messages.map((message) => tell(message, telling)).sort(byWeight);
  if (first === undefined) return new McpfsError("INTERNAL", "The bundler failed without a message.");
  const more = others.map(({ message, place }) => ({ message, ...place }));
  return new McpfsError(first.code, first.message, {
    hint: first.hint,
    data: { ...first.place, ...(more.length > 0 ? { more } : {}) },
  });
}

/** A build's warning as one line, or `undefined` when it is about text that no user wrote. */
export function toWarning(message: Message, telling: Telling): string | undefined {
  const place = placeOfMessage(message, telling);
  if (place.line === null || place.file.startsWith("servers/")) return undefined;
  const missing = telling.missing.get(message);
  const text = missing
    ? `${JSON.stringify(missing.specifier)} exports no ${missing.name}, so that it is undefined.`
    : oneLine(message.text, MAX_MESSAGE_LENGTH);
  return `${place.file}:${place.line}: ${text}`;
}

const MAX_MESSAGE_LENGTH = 300;

/** A place in a file as the user knows it. */
interface UserPlace {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
}

interface Told {
  readonly code: "IMPORT_REFUSED" | "LIMIT_BUNDLE" | "SCRIPT_ERROR";
  readonly message: string;
  readonly hint: string;
  readonly place: UserPlace;
}

function tell(message: Message, telling: Telling): Told {
  const place = placeOfMessage(message, telling);
  const line = sourceLine(message, place, telling);
  const missing = telling.missing.get(message);
  if (missing !== undefined) return { ...tellMissing(missing, line), place };
  const detail = message.detail as Detail | undefined;
  switch (detail?.kind) {
    case "refused":
      return { code: "IMPORT_REFUSED", ...detail.refusal, place };
    case "too-large":
      return {
        code: "LIMIT_BUNDLE",
        message: `${detail.file.path} has ${detail.file.bytes} bytes; a script and each of its imports may have ${telling.maxBytes}.`,
        hint: "Keep data in ./workspace/ and read it with await fs.readFile(…), or raise limits.bundleBytes.",
        place,
      };
    case "type":
      return { code: "SCRIPT_ERROR", message: detail.message, hint: detail.hint, place };
    default:
      return { code: "SCRIPT_ERROR", message: syntaxProblem(message, telling), hint: line, place };
  }
}

function tellMissing({ specifier, name, serverModule }: MissingName, line: string): Omit<Told, "place"> {
  const shown = JSON.stringify(specifier);
  return name === "default" && serverModule !== undefined
    ? {
        code: "IMPORT_REFUSED",
        message: `${shown} has no default export.`,
        hint: `Write import * as … from ${shown}, or name the tools in braces.`,
      }
    : { code: "IMPORT_REFUSED", message: `${shown} exports no ${name}.`, hint: line };
}

/** What is missing at the end is reported in the tail that we added: what esbuild found there, nobody wrote. */
function syntaxProblem(message: Message, telling: Telling): string {
  if (isBehindEnd(message, telling))
    return "The text ends in the middle of a statement: something is not closed.";
  const text = oneLine(message.text, MAX_MESSAGE_LENGTH);
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}

/** Syntax errors first: they make up other messages. Then by line. */
function byWeight(a: Told, b: Told): number {
  const weight = (told: Told): number => (told.code === "SCRIPT_ERROR" ? 0 : 1);
  return weight(a) - weight(b) || (a.place.line ?? 0) - (b.place.line ?? 0);
}

function placeOfMessage(message: Message, telling: Telling): UserPlace {
  const { entry } = telling;
  const { location } = message;
  if (location === null) return { file: entry.name, line: null, column: null };
  const file = shownFile(location.file, entry) ?? entry.name;
  const built: Place = { line: location.line, column: columnOf(message) };
  const isShifted = location.file === entryModule(entry) && entry.shift !== undefined;
  const place = isShifted ? originalPlace(entry.shift, built) : built;
  if (place !== undefined && !isBehindEnd(message, telling)) return { file, ...place };
  const lines = writtenLines(location.file, telling);
  return { file, line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

function isBehindEnd(message: Message, telling: Telling): boolean {
  const { location } = message;
  return location !== null && location.line > (writtenLines(location.file, telling).length || location.line);
}

/** The lines of a module as their author wrote them; none for a module that mcpfs wrote. */
function writtenLines(module: string, { entry, texts }: Telling): readonly string[] {
  const text = module === entryModule(entry) ? entry.original : texts.get(module);
  return text === undefined ? [] : linesOf(text);
}

/** esbuild counts columns from 0 in bytes of UTF-8; users count from 1 in characters of their editor. */
function columnOf(message: Message): number {
  const { column = 0, lineText = "" } = message.location ?? {};
  return Buffer.from(lineText, "utf8").subarray(0, column).toString("utf8").length + 1;
}

function sourceLine(message: Message, place: UserPlace, telling: Telling): string {
  const written = writtenLines(message.location?.file ?? "", telling)[(place.line ?? 0) - 1];
  const line = (written ?? message.location?.lineText ?? "").trim();
  return line === "" ? "" : `Line ${place.line}: ${oneLine(line, 200)}`;
}
