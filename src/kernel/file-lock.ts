import { mkdir, open, readFile, rename, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { pause } from "./clock.ts";
import { McpfsError, systemCode } from "./errors.ts";

/** How long a writer waits for another before it says so: longer than a sync of a large workspace takes. */
const WAIT_MS = 60_000;
const RETRY_MS = 25;

/**
 * Runs `work` while holding the lock file `path`: one process (and one task of it) at a time. The lock of a
 * process that is gone is taken over; on another machine (a shared disk) it is never judged.
 * @throws McpfsError WORKSPACE_BUSY when another holder keeps it for a minute
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const release = await acquire(path);
  try {
    return await work();
  } finally {
    await release();
  }
}

async function acquire(path: string): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true });
  const owner = JSON.stringify({
    pid: process.pid,
    host: hostname(),
    start: processStart,
    token: Math.random(),
  });
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    try {
      const file = await open(path, "wx", 0o600);
      await file.writeFile(owner);
      await file.close();
      return async () => {
        if ((await readOwner(path)) === owner) await unlink(path).catch(() => {});
      };
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
    const holder = await readOwner(path);
    if (holder !== undefined && (await isDead(holder, path))) await takeAway(path, holder);
    else if (Date.now() > deadline) throw busy(path, holder);
    else await pause(RETRY_MS);
  }
}

/** Marks this process among others that may get the same id later. */
const processStart = Math.round(Date.now() - process.uptime() * 1000);

async function readOwner(path: string): Promise<string | undefined> {
  return await readFile(path, "utf8").catch(() => undefined);
}

/** An empty lock is being written at this moment, or its writer died in between: only age tells. */
async function isDead(holder: string, path: string): Promise<boolean> {
  const owner = parseOwner(holder);
  if (owner === undefined) {
    await pause(RETRY_MS * 8);
    return (await readOwner(path)) === holder;
  }
  if (owner.host !== hostname()) return false;
  if (owner.pid === process.pid) return owner.start !== processStart;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return systemCode(error) === "ESRCH";
  }
}

function parseOwner(text: string): { pid: number; host: string; start: number } | undefined {
  try {
    const value = JSON.parse(text) as { pid?: unknown; host?: unknown; start?: unknown };
    if (typeof value.pid !== "number" || typeof value.host !== "string" || typeof value.start !== "number")
      return undefined;
    return { pid: value.pid, host: value.host, start: value.start };
  } catch {
    return undefined;
  }
}

/** Moves a dead lock aside before deleting it, so that of two who judge it dead only one takes it away. */
async function takeAway(path: string, holder: string): Promise<void> {
  const aside = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  // Another process may have taken over in the meantime: then what we moved is alive, and goes back.
  if ((await readOwner(aside)) !== holder) await rename(aside, path).catch(() => {});
  else await unlink(aside).catch(() => {});
}

function busy(path: string, holder: string | undefined): McpfsError {
  const pid = parseOwner(holder ?? "")?.pid;
  return new McpfsError(
    "WORKSPACE_BUSY",
    `Process ${pid ?? "unknown"} has held ${path} for ${WAIT_MS / 1000} seconds.`,
    {
      hint: "Wait for that command to end, or end it; the lock of a dead process is taken over by itself.",
    },
  );
}
