import { link, mkdir, open, readdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { digestText } from "./digest.ts";
import { McpfsError, systemCode } from "./errors.ts";
import { namingPath, readIfExists, removeIfExists } from "./fsx.ts";
import { pause } from "./wait.ts";

/** How long a writer waits for another before it says so: longer than a sync of a large workspace takes. */
const WAIT_MS = 60_000;
const RETRY_MS = 25;

/**
 * Runs `work` while holding the lock file `path`: one process (and one task of it) at a time, in the order in which they came. The
 * lock of a process that is gone is taken over; on another machine (a shared disk) it is never judged.
 * @throws McpfsError WORKSPACE_BUSY when another holder keeps it for a minute
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  // Before anything is waited for: what comes first here may be served later by the system.
  const cameMs = Date.now();
  await mkdir(dirname(path), { recursive: true });
  const release = await acquire(path, cameMs, cameMs + WAIT_MS);
  try {
    return await work();
  } finally {
    await release();
  }
}

/**
 * The same for work that only reads: where the lock cannot be made, since the disk is full or may not be written, the work is done
 * without it.
 */
export async function withFileLockToRead<T>(path: string, work: () => Promise<T>): Promise<T> {
  let isHeld = false;
  try {
    return await withFileLock(path, async () => {
      isHeld = true;
      return await work();
    });
  } catch (error) {
    if (isHeld || !NO_WRITING.has(systemCode(error))) throw error;
    return await work();
  }
}

/**
 * Takes the lock file `path` for a long time, or not at all: nobody is waited for. The result gives it back.
 * @returns `undefined` where another process that lives, or another task of this one, has it
 */
export async function tryFileLock(path: string): Promise<(() => Promise<void>) | undefined> {
  await mkdir(dirname(path), { recursive: true });
  return await acquire(path, Date.now(), 0).catch((error: unknown) => {
    if (error instanceof McpfsError && error.code === "WORKSPACE_BUSY") return undefined;
    throw error;
  });
}

/** True while somebody who lives holds the lock file `path`. */
export async function isFileLocked(path: string): Promise<boolean> {
  const holder = await readIfExists(path);
  return holder !== undefined && !(await isDead(holder, path));
}

const NO_WRITING: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT"]);

/** Who holds a lock. The token tells two holds of one process apart. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  /** When the process started, in the system's own count; empty where the system does not tell. */
  readonly start: string;
  readonly token: string;
}

async function acquire(path: string, cameMs: number, deadline: number): Promise<() => Promise<void>> {
  const token = `${cameMs.toString(36).padStart(TIME_LENGTH, "0")}${Math.random().toString(36).slice(2)}`;
  const { start = "" } = (await processState(process.pid)) ?? {};
  const owner = JSON.stringify({ pid: process.pid, host: hostname(), start, token } satisfies Owner);
  // Written before the lock is tried, so that it exists with its owner in it from the first moment on; until then it is our place
  // in the row.
  const ticket = `${path}.${process.pid}.${token}`;
  try {
    await namingPath(path, () => writeFile(ticket, owner, { flag: "wx", mode: 0o600 }));
    for (;;) {
      const before = await countWaiting(path, token);
      if (before === 0 && (await namingPath(path, () => create(path, owner, ticket)))) {
        return async () => {
          if ((await readIfExists(path)) === owner) await removeIfExists(path);
        };
      }
      const holder = await readIfExists(path);
      if (holder !== undefined && (await isDead(holder, path))) await removeDead(path, holder, deadline);
      else if (Date.now() > deadline) throw busy(path, holder);
      else await pause(RETRY_MS * Math.min(1 + before, MAX_PAUSES));
    }
  } finally {
    await removeIfExists(ticket);
  }
}

/** Whoever is far back in the row looks less often. */
const MAX_PAUSES = 8;

/**
 * How many wait longer than the one with this token: without an order one of twenty waiters starved for a minute. Only order hangs on
 * this, so whoever cannot be judged does not count. What processes left that are gone is removed.
 */
async function countWaiting(path: string, token: string): Promise<number> {
  const folder = dirname(path);
  const oldest = Date.now() - WAIT_MS;
  let before = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid, other] =
      TICKET.exec(name.startsWith(basename(path)) ? name.slice(basename(path).length) : "") ?? [];
    if (pid === undefined || other === undefined || other >= token) continue;
    if (!isRunning(Number(pid))) await removeIfExists(join(folder, name)).catch(() => {});
    else if (Number.parseInt(other.slice(0, TIME_LENGTH), 36) > oldest) before += 1;
  }
  return before;
}

/** Digits of a time in milliseconds to the base of 36: tokens sort by time. */
const TIME_LENGTH = 9;
/** What a ticket's name has after that of its lock: process and token. */
const TICKET = /^\.(\d+)\.([0-9a-z]+)$/;

/** Makes the lock with its owner in it, in one step, unless it exists: a link to the ticket. */
async function create(path: string, owner: string, ticket: string): Promise<boolean> {
  try {
    await link(ticket, path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    if (!NO_LINKS.has(systemCode(error))) throw error;
    return await createInTwoSteps(path, owner);
  }
}

/** What file systems without hard links answer: FAT, some network and container mounts. */
const NO_LINKS: ReadonlySet<string> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
  "EACCES",
  "EINVAL",
]);

async function createInTwoSteps(path: string, owner: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(owner).finally(() => file.close());
    return true;
  } catch (error) {
    // Windows refuses the name of a file that is deleted but still open somewhere.
    const isHeld = process.platform === "win32" && ["EPERM", "EBUSY", "EACCES"].includes(systemCode(error));
    if (systemCode(error) === "EEXIST" || isHeld) return false;
    throw error;
  }
}

/** A lock that names no owner is being written at this moment, or its writer died in between: only time tells. */
async function isDead(holder: string, path: string): Promise<boolean> {
  const owner = parseOwner(holder);
  if (owner === undefined) {
    await pause(UNREADABLE_MS);
    return (await readIfExists(path)) === holder;
  }
  if (owner.host !== hostname()) return false;
  if (!isRunning(owner.pid)) return true;
  const state = await processState(owner.pid);
  // The id may have gone to another process by now, and a zombie only waits for its parent to notice.
  return state !== undefined && (state.isZombie || (owner.start !== "" && owner.start !== state.start));
}

const UNREADABLE_MS = 2_000;

/** True where that cannot be said. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}

/** What Linux says of a process, or `undefined`: elsewhere a reused id passes for its old owner. */
async function processState(
  pid: number,
): Promise<{ readonly isZombie: boolean; readonly start: string } | undefined> {
  if (process.platform !== "linux") return undefined;
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The command's name stands in parentheses and may hold anything; the state is field 3, the start time field 22.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const start = fields[19];
  return start === undefined ? undefined : { isZombie: fields[0] === "Z", start };
}

function parseOwner(text: string): Owner | undefined {
  try {
    const { pid, host, start, token } = JSON.parse(text) as Partial<Record<keyof Owner, unknown>>;
    const isOwner = typeof pid === "number" && typeof host === "string" && typeof start === "string";
    return isOwner && typeof token === "string" ? { pid, host, start, token } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Deletes the lock of a dead holder. Of several who judge it dead, one at a time looks again and deletes, under a lock of
 * its own that is named after the dead one: so nobody deletes a lock that a faster one has made in the meantime.
 */
async function removeDead(path: string, holder: string, deadline: number): Promise<void> {
  const release = await acquire(`${path}.${digestText(holder).slice(0, 8)}`, Date.now(), deadline);
  try {
    if ((await readIfExists(path)) === holder) await removeIfExists(path);
  } finally {
    await release();
  }
}

function busy(path: string, holder: string | undefined): McpfsError {
  const owner = parseOwner(holder ?? "");
  const who = owner === undefined ? "Another process" : `Process ${owner.pid} on ${owner.host}`;
  return new McpfsError("WORKSPACE_BUSY", `${who} has held ${path} for ${WAIT_MS / 1000} seconds.`, {
    hint: "Wait for that command to end, or end it. If it is gone (another machine, a restart), delete the file.",
  });
}
