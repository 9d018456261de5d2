import { randomBytes } from "node:crypto";
import { link, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../kernel/errors.ts";
import { readIfExists, removeIfExists } from "../kernel/fsx.ts";

/** What the seals of journals are made with. */
export interface SealKey {
  readonly key: string;
  /** False where it could not be kept: no later process can then believe what this one writes. */
  readonly isKept: boolean;
}

/**
 * The key of this user, made when there is none. It lies in the user's own folder, never in a workspace: a repository that
 * brings a journal cannot seal it.
 * @param folder the user's folder for what mcpfs keeps
 */
export async function readSealKey(folder: string): Promise<SealKey> {
  const path = join(folder, "journal.key");
  const fresh = randomBytes(KEY_BYTES).toString("hex");
  try {
    const kept = await readIfExists(path);
    if (kept !== undefined && KEY_FORM.test(kept)) return { key: kept, isKept: true };
    if (kept !== undefined) return { key: fresh, isKept: false };
    await mkdir(folder, { recursive: true });
    return { key: await create(path, fresh), isKept: true };
  } catch (error) {
    if (systemCode(error) === "") throw error;
    return { key: fresh, isKept: false };
  }
}

const KEY_BYTES = 32;
const KEY_FORM = /^[0-9a-f]{64}$/;

/** Of several processes that make it at the same time, one wins, and all use its key: a link is made whole or not at all. */
async function create(path: string, key: string): Promise<string> {
  const temporary = `${path}.${process.pid}.${key.slice(0, 8)}`;
  try {
    await writeFile(temporary, key, { flag: "wx", mode: 0o600 });
    await link(temporary, path);
    return key;
  } catch (error) {
    const kept = systemCode(error) === "EEXIST" ? await readIfExists(path) : undefined;
    if (kept === undefined || !KEY_FORM.test(kept)) throw error;
    return kept;
  } finally {
    await removeIfExists(temporary);
  }
}
