import { randomInt } from "node:crypto";
import {
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { lstat, mkdir, open, readdir, readFile, realpath, unlink } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { McpfsError, systemCode } from "./errors.ts";
import { pause } from "./wait.ts";

/** The text of a file, or `undefined` where there is none. @throws the system's error for anything else */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await namingPath(path, () => readFile(path, "utf8"));
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** What a folder holds; nothing where there is none. @throws the system's error for anything else: no permission is not "nothing" */
export async function listIfExists(path: string): Promise<readonly Dirent[]> {
  try {
    return await namingPath(path, () => readdir(path, { withFileTypes: true }));
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** Runs `work` and adds `path` to a system error that names none: reading a folder, writing to a full disk. */
export async function namingPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && systemCode(error) !== "" && !("path" in error))
      Object.assign(error, { path });
    throw error;
  }
}

/** What stands at `path` itself, links not followed, or `undefined`. */
export async function statIfExists(path: string): Promise<Stats | undefined> {
  try {
    // A few microseconds; the asynchronous form takes a thread of the pool and ten times the CPU.
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/**
 * Replaces `path` in one step: a reader sees the old content or the new, never half of one. Missing folders are made.
 * On Windows a scanner or editor may hold the file for a moment, so a refused rename is tried again.
 * @param mode permissions of the file; default: those of the file that is replaced
 */
export async function writeAtomic(path: string, text: string | Buffer, mode?: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const { default: writeFileAtomic } = await import("write-file-atomic");
  const options = { fsync: false, ...(mode === undefined ? {} : { mode }) };
  await namingPath(path, () => retryWhileHeld(() => writeFileAtomic(path, text, options)));
}

/**
 * The same for one of many small files: the four calls to the system that it takes, made synchronously. {@link writeAtomic} makes
 * a dozen asynchronous ones, which were a quarter of the CPU time of writing 5,000 wrappers. A link at `path` is replaced, not followed.
 * @param replaced what stands there now, whose permissions are kept
 */
export async function replaceFile(path: string, text: string, replaced: Stats | undefined): Promise<void> {
  // The name that `write-file-atomic` would give: one pattern finds what a writer left that died.
  const temporary = `${path}.${randomInt(2 ** 40)}`;
  try {
    const file = openNew(temporary);
    try {
      if (replaced !== undefined) fchmodSync(file, replaced.mode);
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
    await retryWhileHeld(async () => renameSync(temporary, path));
  } catch (error) {
    try {
      unlinkSync(temporary);
    } catch {
      // It was not made.
    }
    throw error;
  }
}

/** Folders exist nearly always: they are made when one is missed. */
function openNew(path: string): number {
  try {
    return openSync(path, "wx");
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, "wx");
  }
}

/** Runs `work`, which renames or deletes, again for about half a second while another program holds the file. */
export async function retryWhileHeld<T>(
  work: () => Promise<T>,
  platform: NodeJS.Platform = process.platform,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isHeld = platform === "win32" && ["EPERM", "EBUSY", "EACCES"].includes(systemCode(error));
      if (!isHeld || attempt === RENAME_ATTEMPTS) throw error;
      await pause(attempt * RENAME_PAUSE_MS);
    }
  }
}

/** Five tries with 50, 100, 150 and 200 ms between them: longer than a virus scanner holds a small file. */
const RENAME_ATTEMPTS = 5;
const RENAME_PAUSE_MS = 50;

/** Deletes a file; one that is gone already is fine. */
export async function removeIfExists(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") throw error;
  }
}

/** True when `path` is `folder` or lies in it, judged by the text of the paths alone. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * Resolves an untrusted relative path inside `folder`: no `..`, no absolute path, no NUL, and no symbolic link on
 * the way that leads out (links that stay inside are fine). What does not exist yet is judged by its nearest
 * existing parent.
 * @returns the absolute path
 * @throws McpfsError FILE_OUTSIDE_WORKSPACE
 */
export async function containedPath(folder: string, path: string, shown: string = path): Promise<string> {
  const outside = (): McpfsError =>
    new McpfsError(
      "FILE_OUTSIDE_WORKSPACE",
      `The path ${JSON.stringify(shown)} leads out of the files folder.`,
      {
        hint: "Scripts read and write below ./workspace/ only; use a relative path such as ./workspace/notes.txt.",
      },
    );
  if (path.includes("\0") || isAbsolute(path) || /^[A-Za-z]:/.test(path)) throw outside();
  // A folder that does not exist yet holds no links.
  const root = await realpath(folder).catch(() => resolve(folder));
  const target = resolve(root, path);
  if (!isInside(root, target)) throw outside();
  for (let existing = target; isInside(root, existing); existing = dirname(existing)) {
    try {
      if (!isInside(root, await realpath(existing))) throw outside();
      return target;
    } catch (error) {
      if (error instanceof McpfsError) throw error;
      // A link whose target is missing still decides where a write would go; so does one of links in a circle.
      if (await isLink(existing)) throw outside();
      if (existing === root) break;
    }
  }
  return target;
}

/** False where the system cannot even look: below links in a circle (ELOOP), for names beyond 255 bytes. */
async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Opens a file for appending whole lines; created with `mode` where it is missing, links not followed. */
export async function openForAppend(
  path: string,
  mode = 0o600,
): Promise<{ readonly fd: number; close(): Promise<void> }> {
  await mkdir(dirname(path), { recursive: true });
  const noFollow = constants.O_NOFOLLOW ?? 0;
  return await open(path, constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | noFollow, mode);
}

/** `path` below `root` with forward slashes, as it is shown and stored on every system. */
export function slashed(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

/** An absolute path for a slashed path below `root`. */
export function unslashed(root: string, path: string): string {
  return join(root, ...path.split("/"));
}
