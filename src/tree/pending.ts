import { join } from "node:path";
import { readIfExists, removeIfExists, writeAtomic } from "../kernel/fsx.ts";
import { isJsonObject, type Json, parseJson } from "../kernel/json.ts";
import { printableJson } from "./printable-json.ts";

/**
 * Digests of texts that a writer was about to write, by path: noted before the first file is touched and removed after the
 * last. A writer that dies in between leaves files that no record names yet; without the note they would look like
 * somebody else's, and never be replaced.
 */
export type Pending = ReadonlyMap<string, readonly string[]>;

/** Reads the note of a writer that did not finish; empty where there is none, or none that can be read (the disk was full). */
export async function readPending(root: string): Promise<Pending> {
  const pending = new Map<string, readonly string[]>();
  for (const [path, digests] of Object.entries(parse(await readIfExists(notePath(root))))) {
    if (Array.isArray(digests))
      pending.set(
        path,
        digests.filter((digest) => typeof digest === "string"),
      );
  }
  return pending;
}

/** Adds to the note what is about to be written; what a dead writer left there stays. */
export async function notePending(root: string, digests: ReadonlyMap<string, string>): Promise<void> {
  const pending = new Map(await readPending(root));
  for (const [path, digest] of digests)
    pending.set(path, [...new Set([...(pending.get(path) ?? []), digest])]);
  await writeNote(root, pending);
}

/** Takes files off the note: they are as they were meant to be. What a dead writer noted of others stays. */
export async function clearPending(root: string, paths: readonly string[]): Promise<void> {
  const pending = new Map(await readPending(root));
  for (const path of paths) pending.delete(path);
  if (pending.size === 0) await removeIfExists(notePath(root));
  else await writeNote(root, pending);
}

async function writeNote(root: string, pending: Pending): Promise<void> {
  await writeAtomic(notePath(root), `${printableJson(Object.fromEntries(pending))}\n`);
}

function notePath(root: string): string {
  return join(root, ".mcpfs", "writing.json");
}

function parse(text: string | undefined): { readonly [path: string]: Json | undefined } {
  if (text === undefined) return {};
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
