import { writeSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { openForAppend, readIfExists, retryWhileHeld, statIfExists } from "../kernel/fsx.ts";
import { type Json, parseJson, stringifyJson } from "../kernel/json.ts";
import type { LedgerRecord } from "../model/ledger.ts";

/** The workspace's memory of its own use. */
export interface Ledger {
  /** Adds a record. Never rejects: a disk that is full or may not be written costs the record, not the work. */
  readonly add: (record: LedgerRecord) => Promise<void>;
  /** All records that are kept, oldest first. */
  readonly read: () => Promise<readonly LedgerRecord[]>;
}

export interface LedgerParts {
  /** The workspace. */
  readonly root: string;
  /** Hides the secrets of the config in every record. */
  readonly redact: (record: Json) => Json;
  readonly onLost: (error: unknown) => void;
}

/** Twice this is kept at most: some ten thousand records. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Creates the ledger of a workspace; nothing is opened before it is needed. Several processes may add at the same time. */
export function createLedger({ root, redact, onLost }: LedgerParts): Ledger {
  const path = join(root, ".mcpfs", "ledger.jsonl");
  const older = join(root, ".mcpfs", "ledger.1.jsonl");
  return {
    add: async (record) => {
      try {
        const size = (await statIfExists(path))?.size ?? 0;
        if (size > MAX_BYTES) await retryWhileHeld(() => rename(path, older));
        const file = await openForAppend(path);
        try {
          // One write of a whole line to a file opened for appending is not torn by other processes.
          writeSync(file.fd, `${stringifyJson(redact(record as unknown as Json))}\n`);
        } finally {
          await file.close();
        }
      } catch (error) {
        onLost(error);
      }
    },
    read: async () => [...(await readRecords(older)), ...(await readRecords(path))],
  };
}

async function readRecords(path: string): Promise<readonly LedgerRecord[]> {
  const text = (await readIfExists(path)) ?? "";
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [parseJson(line) as unknown as LedgerRecord];
    } catch {
      // Cut off by a crash or a full disk.
      return [];
    }
  });
}
