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
 * The same after the run `runId`, at the price of one listing: what is too old or too many is known by its name. Sizes, which take a
 * look at each file of a thousand runs, are looked at after one run of fifty, whichever process makes it.
 */
export async function tidyRuns(
  root: string,
  runId: string,
  retention: Retention,
  nowMs: number,
): Promise<void> {
  if (Number.parseInt(runId.slice(-RANDOM_DIGITS), 16) % SIZE_CHECK_EVERY === 0) {
    await pruneRuns(root, retention, nowMs);
    return;
  }
  const ids = await runIds(root);
  const surplus = ids.length - retention.keepRuns;
  for (const [index, id] of ids.entries()) {
    const isOld = nowMs - startOfRun(id) > retention.keepDays * DAY_MS;
    if (isOld || index < surplus) await remove(root, id, false);
  }
}

const SIZE_CHECK_EVERY = 50;
/** Of a run's id, at its end. */
const RANDOM_DIGITS = 5;

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
