import { constants } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { openInside } from "../builtin/open-inside.ts";
import type { ClientTree } from "../engine/workspace/client-tree.ts";
import { McpfsError } from "../kernel/errors.ts";
import { containedPath, isInside, slashed } from "../kernel/fsx.ts";
import { nearestOf } from "../kernel/nearest.ts";
import { oneLine } from "../kernel/text.ts";
import type { ClientCaller } from "../policy/decision.ts";
import type { Client } from "./clients.ts";

/** The files of the workspace that a client may see: what an agent with a shell would read, and nothing of the config. */
export interface TreeFiles {
  /** Names in a folder, folders with a slash at the end. @throws McpfsError FILE_FAILED, FILE_OUTSIDE_WORKSPACE */
  readonly list: (path: string, reader: Reader) => Promise<readonly string[]>;
  /** @throws McpfsError FILE_FAILED, FILE_OUTSIDE_WORKSPACE */
  readonly read: (path: string, reader: Reader) => Promise<TreeFile>;
  /** The files of the tree and the skills, by slashed path in its order. */
  readonly paths: (reader: Reader) => Promise<readonly string[]>;
  /** Those that lie on the disk, with what changes when they do, by slashed path in its order. */
  readonly fingerprints: () => Promise<ReadonlyMap<string, string>>;
}

/** Who reads: what policy keeps from it is not there, and of runs it may read what its own left. */
export type Reader = Pick<Client, "caller" | "ownsRun">;

export interface TreeFile {
  /** Slashed path below the workspace. */
  readonly path: string;
  /** Links resolved. */
  readonly absolute: string;
  readonly bytes: Buffer;
  /** The content, where it is UTF-8 text. */
  readonly text: string | undefined;
}

interface Place {
  readonly real: string;
  readonly path: string;
  /** Instead of what lies there. */
  readonly text?: string;
}

/** What can be seen at the top. */
const FILES: readonly string[] = ["AGENTS.md", "client.ts", "sandbox.d.ts"];
const FOLDERS: readonly string[] = ["servers", "skills", "workspace"];
/** What is generated or kept; the files folder may hold anything and any number. */
const LISTED_FOLDERS: readonly string[] = ["servers", "skills"];
/** What a run leaves when its output is cut. */
const RUN_FILE = /^\.mcpfs\/runs\/([A-Za-z0-9_-]+)\/(?:output\.txt|value\.json)$/;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Files below this depth are data of a skill, not parts of it. */
const MAX_DEPTH = 6;

/**
 * Creates the view of the workspace at `root`. Links are followed while they stay among what can be seen.
 * @param treeOf the files as policy lets a client have them
 */
export function createTreeFiles(
  root: string,
  treeOf: (caller: ClientCaller) => Promise<ClientTree>,
): TreeFiles {
  /** Where a visible path leads, and what is there for the reader. */
  const locate = async (path: string, reader: Reader, tree: ClientTree): Promise<Place> => {
    const clean = cleanPath(path);
    if (!isVisible(clean, reader)) throw hidden(path);
    const seen = await tree.look(clean);
    const missing = async (): Promise<McpfsError> =>
      await missingFile(clean, (folder) => names(folder, tree));
    if (seen.kind === "absent") throw await missing();
    if (seen.kind === "text") return { real: join(root, clean), path: clean, text: seen.text };
    const target = await containedPath(root, clean, path).catch(() => {
      throw hidden(path);
    });
    const realRoot = await realpath(root);
    const real = await realpath(target).catch(async () => {
      throw await missing();
    });
    const end = slashed(realRoot, real);
    if (!isInside(realRoot, real) || !isVisible(end, reader)) throw hidden(path);
    if (end === clean) return { real, path: clean };
    // A link may lead to what is not for the reader as it lies there.
    const behind = await tree.look(end);
    if (behind.kind === "absent") throw await missing();
    return { real, path: clean, ...(behind.kind === "text" ? { text: behind.text } : {}) };
  };

  /** Names in a folder as they are for a reader. */
  const names = async (folder: string, tree: ClientTree): Promise<readonly string[]> => {
    const onDisk = folder === "" ? await visibleTop(root) : await namesIn(join(root, folder));
    const prefix = folder === "" ? "" : `${folder}/`;
    const kept: string[] = [];
    for (const name of onDisk)
      if ((await tree.look(`${prefix}${name.replace(/\/$/, "")}`)).kind !== "absent") kept.push(name);
    const own = tree.ownPaths
      .filter((path) => path.startsWith(prefix))
      .map((path) => path.slice(prefix.length));
    const made = own.map((path) => path.replace(/\/.*/s, "/"));
    return [...new Set([...kept, ...made])].sort();
  };

  const fingerprints = async (): Promise<ReadonlyMap<string, string>> => {
    const found: [string, string][] = [];
    const visit = async (path: string, depth: number): Promise<void> => {
      const folder = join(root, path);
      for (const name of await namesIn(folder).catch(() => [])) {
        const below = `${path}/${name}`;
        if (name.endsWith("/")) {
          if (depth < MAX_DEPTH) await visit(below.slice(0, -1), depth + 1);
        } else found.push([below, await stampOf(join(root, below))]);
      }
    };
    for (const name of FILES) found.push([name, await stampOf(join(root, name))]);
    for (const folder of LISTED_FOLDERS) await visit(folder, 1);
    return new Map(found.filter(([, stamp]) => stamp !== "").sort(([a], [b]) => (a < b ? -1 : 1)));
  };

  return {
    list: async (path, reader) => {
      const tree = await treeOf(reader.caller);
      const place = await locate(path, reader, tree);
      const notFolder = (): never => {
        throw failed(`${shown(place.path)} is not a folder.`, "Read it with read_file.");
      };
      if (place.text !== undefined) return notFolder();
      const folder = slashed(await realpath(root), place.real);
      return await names(folder, tree).catch(notFolder);
    },
    read: async (path, reader) => {
      const place = await locate(path, reader, await treeOf(reader.caller));
      if (place.text !== undefined)
        return { path: place.path, absolute: place.real, bytes: Buffer.from(place.text), text: place.text };
      const file = await openInside(place.real, constants.O_RDONLY);
      if (file === undefined) throw hidden(path);
      try {
        const status = await file.stat();
        if (!status.isFile()) throw failed(`${shown(place.path)} is not a file.`, "List it with list_files.");
        if (status.size > MAX_FILE_BYTES)
          throw failed(`${shown(place.path)} has ${status.size} bytes.`, "Read it in a script, in parts.");
        const bytes = await file.readFile();
        return { path: place.path, absolute: place.real, bytes, text: textOf(bytes) };
      } finally {
        await file.close();
      }
    },
    paths: async (reader) => {
      const tree = await treeOf(reader.caller);
      const all = [...(await fingerprints()).keys()];
      if (tree.isWhole) return all;
      const own = new Set(tree.ownPaths);
      const heads = new Map<string, boolean>();
      const kept: string[] = [];
      for (const path of all.filter((path) => !own.has(path))) {
        // A skill is there or not, whatever its files.
        const head = path.startsWith("skills/") ? path.split("/", 2).join("/") : path;
        const isThere = heads.get(head) ?? (await tree.look(head)).kind !== "absent";
        heads.set(head, isThere);
        if (isThere) kept.push(path);
      }
      return [...kept, ...own].sort();
    },
    fingerprints,
  };
}

/** A path without detours; judged by its text alone. @throws McpfsError FILE_OUTSIDE_WORKSPACE */
function cleanPath(path: string): string {
  if (path.includes("\0") || path.includes("\\") || path.startsWith("/")) throw hidden(path);
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) throw hidden(path);
  }
  return parts.join("/");
}

/** Names with a dot in front are for tools and editors. */
function isVisible(path: string, reader: Reader): boolean {
  if (path === "" || FILES.includes(path)) return true;
  const runId = RUN_FILE.exec(path)?.[1];
  if (runId !== undefined) return reader.ownsRun(runId);
  const parts = path.split("/");
  return FOLDERS.includes(parts[0] ?? "") && parts.every((part) => !part.startsWith("."));
}

async function visibleTop(real: string): Promise<readonly string[]> {
  const names = await namesIn(real);
  return names.filter((name) => FILES.includes(name) || FOLDERS.includes(name.replace(/\/$/, "")));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter(({ name }) => !name.startsWith("."))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();
}

/** Changes whenever the file was written or replaced; empty where there is none. */
async function stampOf(path: string): Promise<string> {
  const status = await stat(path, { bigint: true }).catch(() => undefined);
  return status?.isFile() === true ? `${status.ino} ${status.size} ${status.mtimeNs}` : "";
}

function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function missingFile(
  path: string,
  namesIn: (folder: string) => Promise<readonly string[]>,
): Promise<McpfsError> {
  const slash = path.lastIndexOf("/");
  const folder = path.slice(0, Math.max(slash, 0));
  const names = await namesIn(folder).catch(() => []);
  const near = nearestOf(path.slice(slash + 1), names, 3).map((name) => oneLine(name, 60));
  const hint = near.length === 0 ? `List ${shown(folder)} with list_files.` : `There is: ${near.join(", ")}.`;
  return failed(`There is no file ${shown(path)}.`, hint);
}

function hidden(path: string): McpfsError {
  return new McpfsError(
    "FILE_OUTSIDE_WORKSPACE",
    `${shown(path)} is not among the files that can be read here.`,
    {
      hint: "There are AGENTS.md, servers/, skills/ and workspace/; list_files shows them.",
    },
  );
}

function failed(message: string, hint: string): McpfsError {
  return new McpfsError("FILE_FAILED", message, { hint });
}

function shown(path: string): string {
  return path === "" ? "the workspace" : oneLine(path, 160);
}
