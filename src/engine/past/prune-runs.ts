import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../kernel/errors.ts";
import { isFileLocked } from "../../kernel/file-lock.ts";
import type { RunKeeping } from "../../model/run-keeping.ts";
import { runFolder, runIds, startOfRun } from "../run/run-folder.ts";

/** What is kept of the runs of a workspace. */
export type Retention = Pick<RunKeeping, "keepDays" | "keepRuns" | "keepBytes">;

/** What a pruning did, or would do. */
export interface Pruned {
  /** Ids, oldest first. */
  readonly removed: readonly string[];
  readonly kept: number;
  /** Size of what is kept. */
  readonly bytes: number;
}

const DAY_MS = 86_400_000;

/**
 * Deletes the records of runs: those that are too old; then the oldest, until as many are left, and of such a size, as may be kept. A
 * run that goes on is never deleted.
 * @param isDry only says which would go
 */
export async function pruneRuns(
  root: string,
  retention: Retention,
  nowMs: number,
  isDry = false,
): Promise<Pruned> {
  const runs: { readonly id: string; readonly bytes: number }[] = [];
  for (const id of await runIds(root)) runs.push({ id, bytes: await sizeOf(runFolder(root, id).path) });
  let kept = runs.length;
  let bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  const removed: string[] = [];
  for (const run of runs) {
    const isOld = nowMs - startOfRun(run.id) > retention.keepDays * DAY_MS;
    if (!isOld && kept <= retention.keepRuns && bytes <= retention.keepBytes) continue;
    if (!(await remove(root, run.id, isDry))) continue;
    removed.push(run.id);
    kept -= 1;
    bytes -= run.bytes;
  }
  return { removed, kept, bytes };
}

/**
 * Prunes where there is so much, or so old, that it is worth its time: after each run this looks at the names alone. Where there are too
 * many it makes room for some more, or else each run from then on would look at all of them.
 */
export async function pruneNowAndThen(root: string, retention: Retention, nowMs: number): Promise<void> {
  const { keepDays, keepRuns } = retention;
  const ids = await runIds(root);
  const [oldest] = ids;
  if (oldest === undefined) return;
  const isOld = nowMs - startOfRun(oldest) > keepDays * DAY_MS;
  const isMany = ids.length > keepRuns;
  if (!isOld && !isMany && ids.length % SIZE_CHECK_EVERY !== 0) return;
  const room = isMany ? Math.min(SIZE_CHECK_EVERY, Math.floor(keepRuns / ROOM_SHARE)) : 0;
  await pruneRuns(root, { ...retention, keepRuns: keepRuns - room }, nowMs);
}

/** Looking at the sizes of all runs takes some milliseconds; each so many runs is often enough. */
const SIZE_CHECK_EVERY = 50;
/** One in so many runs makes room. */
const ROOM_SHARE = 20;

async function remove(root: string, id: string, isDry: boolean): Promise<boolean> {
  const { path, lock } = runFolder(root, id);
  if (await isFileLocked(lock)) return false;
  if (!isDry) await rm(path, { recursive: true, force: true });
  return true;
}

/** Gone in between counts as nothing. */
async function sizeOf(folder: string): Promise<number> {
  try {
    const names = await readdir(folder);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return 0;
    throw error;
  }
}
