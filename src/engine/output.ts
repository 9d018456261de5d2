import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { McpfsError } from "../kernel/errors.ts";
import type { LogLine } from "../model/door.ts";

/** Collects the console lines of one run under its output budget. */
export interface OutputCollector {
  readonly add: (line: LogLine) => void;
  /** Lines within the budget, in order, then one that says what was cut. */
  readonly lines: () => readonly string[];
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
  readonly redact: (text: string) => string;
  /** Each line within the budget, as it happens; the cut is announced the same way. */
  readonly onLine: (line: LogLine) => void;
  /** Called once when the script prints more than can be kept. */
  readonly onFlood: (error: McpfsError) => void;
}

/** More console output than this is a fault of the script, not a report. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Creates the collector. Output is cut at the end of a line; what was cut is kept in a file. */
export function createOutputCollector(options: OutputOptions): OutputCollector {
  const shown: string[] = [];
  let bytes = 0;
  let shownBytes = 0;
  let cutLines = 0;

  const keepWhole = (text: string): void => {
    if (cutLines === 0) {
      mkdirSync(dirname(options.wholePath), { recursive: true });
      appendFileSync(options.wholePath, shown.map((line) => `${line}\n`).join(""), { mode: 0o600 });
    }
    appendFileSync(options.wholePath, `${text}\n`);
  };

  const notice = (): string => `… output cut after ${shownBytes} bytes; the whole is in ${options.shownPath}`;

  return {
    add: (line) => {
      if (bytes > MAX_KEPT_BYTES) return;
      const text = options.redact(line.text);
      const size = Buffer.byteLength(text) + 1;
      bytes += size;
      if (bytes > MAX_KEPT_BYTES) options.onFlood(flood());
      else if (cutLines === 0 && shownBytes + size <= options.maxBytes) {
        shown.push(text);
        shownBytes += size;
        options.onLine({ ...line, text });
      } else {
        keepWhole(text);
        if (cutLines === 0) options.onLine({ level: "warn", text: notice() });
        cutLines += 1;
      }
    },
    lines: () => (cutLines === 0 ? shown : [...shown, `${notice()} (${cutLines} more lines)`]),
    bytes: () => bytes,
  };
}

function flood(): McpfsError {
  return new McpfsError("LIMIT_OUTPUT", `The script printed more than ${MAX_KEPT_BYTES / 1024 / 1024} MiB.`, {
    hint: "Print a summary, or write the data to a file below ./workspace/.",
    data: { limit: MAX_KEPT_BYTES },
  });
}
