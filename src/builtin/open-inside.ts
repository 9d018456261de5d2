import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, type FileHandle, lstat, open, realpath, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemCode } from "../kernel/errors.ts";
import { retryWhileHeld, statIfExists } from "../kernel/fsx.ts";

/** Never follow a link in the last part, never wait for the other end of a pipe. Windows has neither flag. */
const CAREFUL = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** How often a file that is replaced at this very moment is opened again before it counts as led astray. */
const OPEN_ATTEMPTS = 10;

const ANYONE_BY_UMASK = 0o666;

/**
 * Opens `real`, whose links are resolved, and makes sure that no link was put in its way since: the path must
 * still name itself, and the file that is open must be the one it names. Node.js has no `openat`, so the moment
 * between the two looks is as short as it can be, not zero.
 * @returns `undefined` when a link was put in the way
 */
export async function openInside(real: string, flags: number): Promise<FileHandle | undefined> {
  for (let attempt = 1; attempt <= OPEN_ATTEMPTS; attempt += 1) {
    let file: FileHandle;
    try {
      file = await open(real, flags | CAREFUL, ANYONE_BY_UMASK);
    } catch (error) {
      if (systemCode(error) === "ELOOP") return undefined;
      throw error;
    }
    try {
      // Some disks of Apple store é as two characters: the same name all the same.
      if ((await realpath(real)).normalize() !== real.normalize()) {
        await file.close();
        return undefined;
      }
      const [opened, named] = [await file.stat({ bigint: true }), await lstat(real, { bigint: true })];
      if (opened.dev === named.dev && opened.ino === named.ino) return file;
      // Another writer replaced the file between the looks, as replaceInside does: look again.
      await file.close();
    } catch (error) {
      await file.close();
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
  return undefined;
}

/**
 * Replaces the file `real` in one step: a reader sees the old bytes or the new. A link at `real` is replaced, never
 * followed. A file that may not be written stays.
 * @returns false when a link was put in the way of its folder
 */
export async function replaceInside(real: string, bytes: Uint8Array): Promise<boolean> {
  const old = await statIfExists(real);
  if (old !== undefined) await access(real, constants.W_OK);
  const temporary = join(dirname(real), `${TEMPORARY_START}${randomUUID()}${TEMPORARY_END}`);
  const file = await openInside(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
  if (file === undefined) {
    await unlink(temporary).catch(() => {});
    return false;
  }
  try {
    try {
      if (old !== undefined) await file.chmod(old.mode & 0o777);
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    await retryWhileHeld(() => rename(temporary, real));
    return true;
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

const TEMPORARY_START = ".mcpfs-";
const TEMPORARY_END = ".tmp";

/** True for the name of a file that is being written at this moment: it belongs to no script, and is not listed. */
export function isTemporary(name: string): boolean {
  return name.startsWith(TEMPORARY_START) && name.endsWith(TEMPORARY_END);
}
