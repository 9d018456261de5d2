import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { McpfsError, type Reader } from "../../kernel/errors.ts";
import { count } from "../../kernel/text.ts";
import type { LogLine } from "../../model/door.ts";
import { howToRaise, printLimit } from "../../model/run.ts";

/** Collects the console lines of one run under its output budget. */
export interface OutputCollector {
  readonly add: (line: LogLine) => void;
  /**
   * Lines within the budget, in order, then one that says what was cut.
   * @param valueBytes what the run's value takes of the same budget; lines that were shown as they happened may fall to it
   */
  readonly lines: (valueBytes: number) => readonly string[];
  /** UTF-8 bytes of all lines, also of those that were cut. */
  readonly bytes: () => number;
}

export interface OutputOptions {
  /** UTF-8 bytes that go to the model. */
  readonly maxBytes: number;
  /** Where the whole output is kept once it is cut. */
  readonly wholePath: string;
  /** That path as it is shown. */
  readonly shownPath: string;
  /** Who reads it. */
  readonly reader: Reader;
  readonly redact: (text: string) => string;
  /** Each line within the budget, as it happens; the cut is announced the same way. */
  readonly onLine: (line: LogLine) => void;
  /** Called once when the script prints more than can be kept. */
  readonly onFlood: (error: McpfsError) => void;
}

/** More console output than this is a fault of the script, not a report. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Creates the collector. Output is cut at the end of a line; when something was cut, the whole is kept in a file. */
export function createOutputCollector(options: OutputOptions): OutputCollector {
  const { maxBytes, shownPath, reader } = options;
  const shown: string[] = [];
  let bytes = 0;
  let lines = 0;
  let shownBytes = 0;
  let isCut = false;
  let isKept = false;

  const keep = (text: string): void => appendFileSync(options.wholePath, text, { mode: 0o600 });
  /** What was shown goes first; the file did not exist until now. */
  const startFile = (): void => {
    if (isKept) return;
    isKept = true;
    mkdirSync(dirname(options.wholePath), { recursive: true });
    keep(shown.map(asLine).join(""));
  };
  const show = (line: LogLine, text: string): void => {
    shown.push(text);
    shownBytes += sizeOf(text);
    options.onLine({ ...line, text });
  };
  const cut = (line: LogLine, text: string): void => {
    isCut = true;
    startFile();
    keep(asLine(text));
    const fitting = linesThatFit(text, maxBytes - shownBytes);
    if (fitting !== "") show(line, fitting);
    const limit = `the limit of ${printLimit("outputBytes", maxBytes)}`;
    const notice = `… output is cut here by ${limit}; the whole will be in ${shownPath}`;
    options.onLine({ level: "warn", text: notice });
  };

  return {
    add: (line) => {
      if (bytes > MAX_KEPT_BYTES) return;
      const text = options.redact(line.text);
      bytes += sizeOf(text);
      lines += countLines(text);
      if (bytes > MAX_KEPT_BYTES) options.onFlood(flood());
      else if (isCut) keep(asLine(text));
      else if (shownBytes + sizeOf(text) <= maxBytes) show(line, text);
      else cut(line, text);
    },
    lines: (valueBytes) => {
      let roomBytes = maxBytes - valueBytes;
      if (!isCut && shownBytes <= roomBytes) return shown;
      startFile();
      const given: string[] = [];
      for (const text of shown) {
        const fitting = linesThatFit(text, roomBytes);
        if (fitting !== "" || text === "") given.push(fitting);
        roomBytes -= sizeOf(text);
        if (roomBytes <= 0) break;
      }
      const givenLines = given.reduce((sum, text) => sum + countLines(text), 0);
      const missing = `${count(lines - givenLines, "line")} of ${count(lines, "line")} (${count(bytes, "byte")} in all)`;
      return [
        ...given,
        `… cut here: ${missing} ${lines - givenLines === 1 ? "is" : "are"} missing; the whole is in ${shownPath}. ${howToRaise("outputBytes", maxBytes, reader)}`,
      ];
    },
    bytes: () => bytes,
  };
}

/** As many whole lines of a text as fit into so many bytes; empty when not even the first does. */
function linesThatFit(text: string, maxBytes: number): string {
  if (sizeOf(text) <= maxBytes) return text;
  if (maxBytes <= 0) return "";
  // A character takes at least a byte, so the cut stands in these.
  let end = text.lastIndexOf("\n", maxBytes);
  while (end > 0 && sizeOf(text.slice(0, end)) > maxBytes) end = text.lastIndexOf("\n", end - 1);
  return text.slice(0, Math.max(end, 0));
}

function asLine(text: string): string {
  return `${text}\n`;
}

/** In UTF-8, with the end of the line. */
function sizeOf(text: string): number {
  return Buffer.byteLength(text) + 1;
}

function countLines(text: string): number {
  return text.split("\n").length;
}

function flood(): McpfsError {
  return new McpfsError("LIMIT_OUTPUT", `The script printed more than ${MAX_KEPT_BYTES / 1024 / 1024} MiB.`, {
    hint: "Print a summary, or write the data to a file below ./workspace/.",
    data: { limit: MAX_KEPT_BYTES },
  });
}
