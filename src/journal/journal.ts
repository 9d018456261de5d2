import { writeSync } from "node:fs";
import { openForAppend, readIfExists } from "../kernel/fsx.ts";
import { type Json, parseJson, stringifyJson } from "../kernel/json.ts";
import type { JournalEvent } from "./events.ts";

/** The record of one run, appended to as it happens. */
export interface Journal {
  /** Written when this returns: it survives the end of this process, even by kill -9. */
  readonly append: (event: JournalEvent) => void;
  readonly close: () => Promise<void>;
}

/**
 * Opens the journal file of a run.
 * @param redact hides the secrets of the config in every event
 */
export async function openJournal(path: string, redact: (event: Json) => Json): Promise<Journal> {
  const file = await openForAppend(path);
  const write = (line: string): void => {
    try {
      writeWhole(file.fd, line);
    } catch (error) {
      throw error instanceof Error ? Object.assign(error, { path }) : error;
    }
  };
  let isOpen = true;
  return {
    append: (event) => {
      if (isOpen) write(`${stringifyJson(redact(event as unknown as Json))}\n`);
    },
    close: async () => {
      if (isOpen) await file.close();
      isOpen = false;
    },
  };
}

/** A write may take less than it was given (a signal, a full pipe): the rest goes after it. */
function writeWhole(fd: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
}

/** The events of a journal file; a last line that was cut off by a crash is left out. Missing file: `undefined`. */
export async function readJournal(path: string): Promise<readonly JournalEvent[] | undefined> {
  const text = await readIfExists(path);
  if (text === undefined) return undefined;
  const end = text.lastIndexOf("\n");
  return text
    .slice(0, end === -1 ? 0 : end)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => parseJson(line) as unknown as JournalEvent);
}
