import { constants, type Dirent, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../kernel/errors.ts";
import { containedPath, isInside, retryWhileHeld, statIfExists } from "../kernel/fsx.ts";
import { fileFailed, fileFault, type Place } from "./file-fault.ts";
import { isTemporary, openInside, replaceInside } from "./open-inside.ts";
import { outside, parseScriptPath, shownPath } from "./script-path.ts";

/** Bounds of what one run may do with files. */
export interface FileLimits {
  /** One file, read or written. */
  readonly maxFileBytes: number;
  /** All that is written by one run. */
  readonly maxWrittenBytes: number;
  /** Entries of one folder that are listed. */
  readonly maxEntries: number;
}

/** What a path is. */
export type FileKind = "file" | "folder" | "other";

/**
 * The files folder as a script may use it. Paths are as the script writes them (`./workspace/a.txt`).
 * Each function throws FILE_OUTSIDE_WORKSPACE, FILE_FAILED or ARGUMENTS_INVALID.
 */
export interface Files {
  readonly read: (path: string) => Promise<Uint8Array>;
  readonly write: (path: string, bytes: Uint8Array, how: "replace" | "append") => Promise<void>;
  readonly list: (path: string) => Promise<readonly { readonly name: string; readonly kind: FileKind }[]>;
  readonly makeFolder: (path: string, isRecursive: boolean) => Promise<void>;
  readonly look: (
    path: string,
  ) => Promise<{ readonly kind: FileKind; readonly size: number; readonly modifiedMs: number }>;
  readonly remove: (path: string, isRecursive: boolean, isForced: boolean) => Promise<void>;
  readonly move: (from: string, to: string) => Promise<void>;
}

/** Creates the files of one run on `folder`, an absolute path; the folder is made when it is missing. */
export function createFiles(folder: string, limits: FileLimits): Files {
  let writtenBytes = 0;

  /** Where `path` leads; with "keep" a link in its last part is the place itself. */
  const locate = async (path: string, lastLink: "follow" | "keep"): Promise<Place> => {
    const below = parseScriptPath(path, process.platform);
    try {
      const root = await readyFolder(folder);
      const target = await containedPath(root, below === "" ? "." : below, path);
      const isKept = lastLink === "keep" && below !== "";
      const real = isKept
        ? join(await resolveLinks(dirname(target)), basename(target))
        : await resolveLinks(target);
      // A link may have been put in the way since the path was judged.
      if (!isInside(root, real)) throw outside(path);
      return { real, below };
    } catch (error) {
      throw await fileFault(error, { real: join(folder, ...below.split("/")), below });
    }
  };

  const opened = async (path: string, place: Place, flags: number): Promise<FileHandle> => {
    const file = await openInside(place.real, flags);
    if (file === undefined) throw outside(path);
    try {
      requireFile(await file.stat(), place);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  };

  const read = async (path: string): Promise<Uint8Array> => {
    const place = await locate(path, "follow");
    return await inOurWords(place, async () => {
      const file = await opened(path, place, constants.O_RDONLY);
      try {
        const { size } = await file.stat();
        requireSize(size, place, limits);
        const bytes = Buffer.alloc(size);
        let length = 0;
        while (length < size) {
          const { bytesRead } = await file.read(bytes, length, size - length, length);
          if (bytesRead === 0) break;
          length += bytesRead;
        }
        return bytes.subarray(0, length);
      } finally {
        await file.close();
      }
    });
  };

  const write = async (path: string, bytes: Uint8Array, how: "replace" | "append"): Promise<void> => {
    const place = await locate(path, "follow");
    requireSize(bytes.length, place, limits);
    if (writtenBytes + bytes.length > limits.maxWrittenBytes)
      throw fileFailed(
        `This run has written ${megabytes(writtenBytes)}, and ${shownPath(place.below)} would pass the limit of ${megabytes(limits.maxWrittenBytes)}.`,
        "Write less, or go on in another run.",
      );
    writtenBytes += bytes.length;
    await inOurWords(place, async () => {
      if (how === "replace") {
        const old = await statIfExists(place.real);
        if (old !== undefined) requireFile(old, place);
        if (!(await replaceInside(place.real, bytes))) throw outside(path);
        return;
      }
      const file = await opened(path, place, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND);
      try {
        requireSize((await file.stat()).size + bytes.length, place, limits);
        await file.writeFile(bytes);
      } finally {
        await file.close();
      }
    });
  };

  const list: Files["list"] = async (path) => {
    const place = await locate(path, "follow");
    return await inOurWords(place, async () => {
      const entries = await readdir(place.real, { withFileTypes: true });
      const shown = entries.filter((entry) => !isTemporary(entry.name));
      if (shown.length > limits.maxEntries)
        throw fileFailed(
          `${shownPath(place.below)} holds ${shown.length} entries; at most ${limits.maxEntries} are listed.`,
          "Keep files in several folders.",
        );
      return shown
        .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    });
  };

  const makeFolder: Files["makeFolder"] = async (path, isRecursive) => {
    const place = await locate(path, "follow");
    await inOurWords(place, async () => {
      await mkdir(place.real, { recursive: isRecursive });
    });
  };

  const look: Files["look"] = async (path) => {
    const place = await locate(path, "follow");
    return await inOurWords(place, async () => {
      const found = await stat(place.real);
      return { kind: kindOf(found), size: found.size, modifiedMs: Math.trunc(found.mtimeMs) };
    });
  };

  const remove: Files["remove"] = async (path, isRecursive, isForced) => {
    const place = await locate(path, "keep");
    requireBelow(place);
    await inOurWords(place, async () => {
      const found = await statIfExists(place.real);
      if (found === undefined && isForced) return;
      if (found?.isDirectory() === true && !isRecursive)
        throw fileFailed(
          `${shownPath(place.below)} is a folder.`,
          "Remove it with all in it: fs.rm with { recursive: true }.",
        );
      await retryWhileHeld(() => rm(place.real, { recursive: isRecursive, force: isForced }));
    });
  };

  const move: Files["move"] = async (from, to) => {
    const [source, target] = [await locate(from, "keep"), await locate(to, "keep")];
    requireBelow(source);
    requireBelow(target);
    await inOurWords(source, async () => {
      await lstat(source.real);
    });
    await inOurWords(target, async () => {
      await retryWhileHeld(() => rename(source.real, target.real));
    });
  };

  return { read, write, list, makeFolder, look, remove, move };
}

/**
 * The files folder with links above it resolved. It must not be a link itself: a repository could bring one that
 * leads to the user's home, or to the workspace with its config and journals.
 */
async function readyFolder(folder: string): Promise<string> {
  if ((await statIfExists(folder))?.isSymbolicLink() === true)
    throw outside(`./${basename(folder)}`, "The files folder is a link; replace it by a folder.");
  await mkdir(folder, { recursive: true });
  return await realpath(folder);
}

/** `target` with all links resolved, as far as it exists. */
async function resolveLinks(target: string): Promise<string> {
  try {
    return await realpath(target);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || dirname(target) === target) throw error;
    return join(await resolveLinks(dirname(target)), basename(target));
  }
}

async function inOurWords<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw await fileFault(error, place);
  }
}

function kindOf(entry: Dirent | Stats): FileKind {
  return entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other";
}

function requireFile(found: Stats, place: Place): void {
  if (found.isFile()) return;
  const what = found.isDirectory() ? "a folder" : "neither a file nor a folder";
  throw fileFailed(
    `${shownPath(place.below)} is ${what}.`,
    "Name a file; fs.readdir lists what lies in a folder.",
  );
}

function requireSize(bytes: number, place: Place, limits: FileLimits): void {
  if (bytes <= limits.maxFileBytes) return;
  throw fileFailed(
    `${shownPath(place.below)} has ${megabytes(bytes)}; at most ${megabytes(limits.maxFileBytes)} are read or written.`,
    "Split the data into several files.",
  );
}

function requireBelow(place: Place): void {
  if (place.below !== "") return;
  throw fileFailed("The files folder itself cannot be moved or removed.", "Name something in ./workspace/.");
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
