import { readFileSync, type Stats } from "node:fs";
import { rmdir } from "node:fs/promises";
import { dirname } from "node:path/posix";
import { foldName } from "../catalog/identifiers.ts";
import { compare } from "../catalog/naming.ts";
import { McpfsError, systemCode } from "../kernel/errors.ts";
import { removeIfExists, replaceFile, statIfExists, unslashed } from "../kernel/fsx.ts";
import { count } from "../kernel/text.ts";
import { forEachAtOnce } from "./at-once.ts";
import { DEFINITIONS_FILE } from "./definitions-file.ts";
import { clearPending, notePending, readPending } from "./pending.ts";
import { createFolderCheck, findStale } from "./tree-folders.ts";
import { fileDigest, isTreePath } from "./tree-path.ts";

/** What brings the generated files in line. All paths are slashed and below the root; all lists are sorted. */
export interface TreePlan {
  /** New and changed files. */
  readonly write: readonly { readonly path: string; readonly text: string }[];
  /** Files of ours that are no longer wanted, untouched since we wrote them. */
  readonly delete: readonly string[];
  /** How many files have the wanted text already. */
  readonly unchanged: number;
  /**
   * Files of ours that somebody changed, to be reported: one that is wanted stands in `write` too; one that is not wanted
   * stays, and is no longer ours.
   */
  readonly edited: readonly string[];
  /** Wanted paths where something stands that we never wrote (a file, a folder, a link): left alone. */
  readonly foreign: readonly string[];
  /** Temporary files that a crashed writer left beside ours. */
  readonly stale: readonly string[];
  /** Files that a writer which died had noted: they are as they should be once the plan is carried out. */
  readonly noted: readonly string[];
}

/**
 * Compares the disk with `wanted` (path → text); changes nothing. `known` (path → digest) names every file that we may own: the
 * ones that are not wanted go. Both may cover a part of the workspace, as long as it is the same part. A file is replaced or
 * deleted only when its path is known, or when it has a text that a writer which died was about to write.
 * @throws McpfsError FILE_OUTSIDE_WORKSPACE for a path that could leave the root, whoever recorded it
 */
export async function planTree(
  root: string,
  wanted: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, string>,
): Promise<TreePlan> {
  const ours = new Set([...wanted.keys(), ...known.keys()]);
  for (const path of ours) assertTreePath(path);
  const pending = await readPending(root);
  const check = createFolderCheck(root);
  const lists = { delete: [] as string[], edited: [] as string[], foreign: [] as string[], unchanged: 0 };
  const write: { readonly path: string; readonly text: string }[] = [];

  /** What stands at `path`: nothing, something that cannot be a file of ours, or a file with this digest. */
  const look = async (path: string): Promise<"missing" | "foreign" | { readonly digest: string }> => {
    const folder = await check(dirname(path));
    if (folder !== "folder") return folder;
    const stat = await statIfExists(unslashed(root, path));
    if (stat === undefined) return "missing";
    if (!stat.isFile()) return "foreign";
    return { digest: fileDigest(readFileSync(unslashed(root, path), "utf8")) };
  };

  // A server's folder that this plan covers may hold files of a dead writer that no record names.
  const folders = new Set(
    Array.from(ours, (path) => dirname(path)).filter((folder) => folder.startsWith("servers/")),
  );
  const leftBehind = [...pending.keys()].filter((path) => isTreePath(path) && folders.has(dirname(path)));
  const noted = [...pending.keys()].filter((path) => ours.has(path) || folders.has(dirname(path)));
  const unwanted = [...new Set([...known.keys(), ...leftBehind])].filter((path) => !wanted.has(path));
  // On a disk that ignores case, `getItem.ts` and `getitem.ts` are one file.
  const twins = new Map(unwanted.map((path) => [foldName(path), path]));
  const isAsWritten = (path: string, digest: string): boolean =>
    digest === known.get(path) ||
    digest === known.get(twins.get(foldName(path)) ?? "") ||
    (pending.get(path)?.includes(digest) ?? false);

  await forEachAtOnce([...wanted], async ([path, text]) => {
    const found = await look(path);
    if (found === "foreign") lists.foreign.push(path);
    else if (found === "missing") write.push({ path, text });
    else if (found.digest === fileDigest(text)) {
      // The deletion of its twin may take this file with it: then it is written again.
      if (twins.has(foldName(path))) write.push({ path, text });
      else lists.unchanged += 1;
    } else if (isAsWritten(path, found.digest)) write.push({ path, text });
    else if (known.has(path)) {
      lists.edited.push(path);
      write.push({ path, text });
    } else lists.foreign.push(path);
  });
  await forEachAtOnce(unwanted, async (path) => {
    const found = await look(path);
    if (found === "missing") return;
    if (found !== "foreign" && isAsWritten(path, found.digest)) lists.delete.push(path);
    else if (known.has(path)) lists.edited.push(path);
  });

  return {
    write: write.sort((a, b) => compare(a.path, b.path)),
    delete: lists.delete.sort(compare),
    unchanged: lists.unchanged,
    edited: lists.edited.sort(compare),
    foreign: lists.foreign.sort(compare),
    stale: await findStale(root, ours, check),
    noted,
  };
}

/**
 * Carries out a plan, under the workspace's lock and right after it was made. Wrappers come first, then the files that name them
 * (`index.ts`, README.md, AGENTS.md), then definitions, then deletions: a reader never sees an index that names a missing file.
 * Each file is replaced in one step. A folder in which a file could not be written keeps its index, its record and its old
 * files; everything else is done before the error is thrown. Folders that became empty are removed.
 * @throws McpfsError DISK_FAILED naming the files (`data.paths`)
 */
export async function applyTree(root: string, plan: TreePlan): Promise<void> {
  const check = createFolderCheck(root);
  const failed = new Map<string, string>();
  const hurtFolders = new Set<string>();
  const attempt = async (
    path: string,
    work: (absolute: string, standing: Stats | undefined) => Promise<void>,
  ): Promise<void> => {
    try {
      const absolute = unslashed(root, path);
      const standing = await statIfExists(absolute);
      // The plan looked already; a link that somebody made since then is still not followed.
      if ((await check(dirname(path))) === "foreign" || standing?.isSymbolicLink())
        throw new Error("a link is in the way");
      await work(absolute, standing);
    } catch (error) {
      failed.set(path, systemCode(error) || (error instanceof Error ? error.message : String(error)));
      hurtFolders.add(dirname(path));
    }
  };
  const isNotHurt = (path: string): boolean => !hurtFolders.has(dirname(path));

  await forEachAtOnce(plan.stale, (path) => removeIfExists(unslashed(root, path)).catch(() => {}));
  if (plan.write.length > 0) {
    await notePending(root, new Map(plan.write.map(({ path, text }) => [path, fileDigest(text)])));
  }
  const written = new Set(plan.write.map(({ path }) => foldName(path)));
  const isTwin = (path: string): boolean => written.has(foldName(path));
  await forEachAtOnce(plan.delete.filter(isTwin), (path) => attempt(path, removeIfExists));
  for (const rank of [0, 1, 2]) {
    const files = plan.write.filter(({ path }) => rankOf(path) === rank && (rank === 0 || isNotHurt(path)));
    await forEachAtOnce(files, ({ path, text }) =>
      attempt(path, (absolute, standing) => replaceFile(absolute, text, standing)),
    );
  }
  const gone = plan.delete.filter((path) => !isTwin(path) && isNotHurt(path));
  await forEachAtOnce(gone, (path) => attempt(path, removeIfExists));
  for (const folder of new Set(gone.map((path) => dirname(path)))) await removeEmpty(root, folder);

  if (failed.size > 0) throw failure(failed);
  const settled = [...plan.write.map(({ path }) => path), ...plan.noted];
  if (settled.length > 0) await clearPending(root, settled);
}

function assertTreePath(path: string): void {
  if (isTreePath(path)) return;
  throw new McpfsError(
    "FILE_OUTSIDE_WORKSPACE",
    `${JSON.stringify(path)} is not a path below the workspace.`,
    {
      hint: "mcpfs.lock.json or a .definitions.json was changed by hand; restore it from version control.",
    },
  );
}

/** When a file is written: what others name, then what names others, then the record of both. */
function rankOf(path: string): number {
  if (path.endsWith(`/${DEFINITIONS_FILE}`)) return 2;
  return /(?:^|\/)(?:index\.ts|[A-Z]+\.md)$/.test(path) ? 1 : 0;
}

/** Removes a folder and those above it, as far as nothing is in them. */
async function removeEmpty(root: string, folder: string): Promise<void> {
  for (let path = folder; path !== "."; path = dirname(path)) {
    try {
      await rmdir(unslashed(root, path));
    } catch (error) {
      if (systemCode(error) !== "ENOENT") return;
    }
  }
}

const MAX_SHOWN = 5;

function failure(failed: ReadonlyMap<string, string>): McpfsError {
  const paths = [...failed.keys()].sort(compare);
  const shown = paths.slice(0, MAX_SHOWN).map((path) => `${path} (${failed.get(path)})`);
  const rest = paths.length > MAX_SHOWN ? ` and ${paths.length - MAX_SHOWN} more` : "";
  const isFull = [...failed.values()].some((reason) => reason === "ENOSPC" || reason === "EDQUOT");
  const todo = isFull
    ? "Make room on the disk"
    : "Close the program that holds the file, or correct its permissions";
  return new McpfsError(
    "DISK_FAILED",
    `${count(paths.length, "file")} could not be replaced: ${shown.join(", ")}${rest}.`,
    {
      hint: `All others are done. ${todo}, and sync again.`,
      data: { paths },
    },
  );
}
