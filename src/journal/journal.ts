import { constants, fsyncSync, ftruncateSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openForAppend } from "../kernel/fsx.ts";
import type { Json } from "../kernel/json.ts";
import type { Redactor } from "../kernel/log.ts";
import type { Durability } from "../model/run-keeping.ts";
import type { JournalEvent } from "./events.ts";
import { type SealSource, sealed, sealOf } from "./seal.ts";

/** The record of one run, appended to as it happens. */
export interface Journal {
  /** Written when this returns: it survives the end of this process, even by kill -9. */
  readonly append: (event: JournalEvent) => void;
  readonly close: () => Promise<void>;
}

export interface JournalOptions extends SealSource {
  readonly path: string;
  /** Prints an event, the secrets of the config hidden. */
  readonly print: Redactor["printJson"];
  readonly durability: Durability;
  /** How far an earlier process came, for a run that goes on. What stands after it was cut off by a crash, and goes. */
  readonly after?: { readonly bytes: number; readonly seal: string };
}

/**
 * Events that say that something is about to happen, or was decided. After each of them the length so far is noted beside the
 * journal: one that was cut shorter would make a run do again what it did.
 */
const NOTED: ReadonlySet<JournalEvent["event"]> = new Set([
  "run",
  "call",
  "builtin",
  "asked",
  "decided",
  "resume",
  "end",
]);

/** The file beside a journal that holds its length, and the seal of the line that ends there. */
export function lengthPath(journal: string): string {
  return join(dirname(journal), "journal.length");
}

/** The content of that file: always as long, so that one write replaces it. */
function lengthText(bytes: number, seal: string): string {
  return `${String(bytes).padStart(16, "0")} ${seal}\n`;
}

/** Opens the journal file of a run. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { path, after, print, durability } = options;
  const file = await openForAppend(path);
  const length = await open(
    lengthPath(path),
    constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0),
    0o600,
  ).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  if (after !== undefined) ftruncateSync(file.fd, after.bytes);
  let last = after?.seal ?? "";
  let bytes = after?.bytes ?? 0;

  const write = (event: JournalEvent): void => {
    const { text, isHidden } = print(event as unknown as Json);
    const line = isHidden ? `${text.slice(0, -1)},"hidden":true}` : text;
    const seal = sealOf(options, last, line);
    const written = writeText(file.fd, `${sealed(line, seal)}\n`);
    if (durability === "fsync") fsyncSync(file.fd);
    bytes += written;
    last = seal;
    if (NOTED.has(event.event)) writeSync(length.fd, lengthText(bytes, seal), 0);
  };
  let isOpen = true;
  return {
    append: (event) => {
      if (!isOpen) return;
      try {
        write(event);
      } catch (error) {
        // On a full disk a part of the line may be there, and the next line would go after it.
        ftruncateSync(file.fd, bytes);
        throw error instanceof Error ? Object.assign(error, { path }) : error;
      }
    },
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      await Promise.all([file.close(), length.close()]);
    },
  };
}

/** A write may take less than it was given (a signal, a full pipe): the rest goes after it. @returns the bytes of the text */
function writeText(fd: number, text: string): number {
  const size = Buffer.byteLength(text);
  const written = writeSync(fd, text);
  if (written === size) return size;
  let rest = Buffer.from(text).subarray(written);
  while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
  return size;
}
