import { type ChildProcess, execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { settlesWithin } from "../kernel/wait.ts";
import type { ProcessTable } from "./process-table.ts";

/** How long a server may take to end by itself once its stdin is closed, then after SIGTERM, then after SIGKILL. */
const STDIN_END_MS = 500;
const TERMINATE_MS = 500;
const KILL_MS = 500;
/** What the leader left behind in its group gets this long between SIGTERM and SIGKILL. */
const REMNANT_MS = 150;
const POLL_MS = 15;

/**
 * Ends a server's process and everything it started: stdin end, then SIGTERM, then SIGKILL to the whole group, in
 * at most a second and a half. Resolves when the leader is gone; {@link endRemnants} follows.
 *
 * On Windows there are no groups and no SIGTERM; `taskkill /T /F` ends the tree after stdin end was not enough.
 */
export async function endProcessTree(
  platform: NodeJS.Platform,
  child: ChildProcess,
  table: ProcessTable,
): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  // Looked up first: once the server has exited, nothing tells that a browser in a group of its own was its child.
  const strayGroups = platform === "win32" || hasExitedAlready(child) ? [] : await table.strayGroups(pid);
  child.stdin?.end();
  if (!(await hasExited(child, STDIN_END_MS))) {
    if (platform === "win32") await endWindowsTree(pid);
    else {
      signalGroup(pid, "SIGTERM");
      if (!(await hasExited(child, TERMINATE_MS))) signalGroup(pid, "SIGKILL");
    }
    await hasExited(child, KILL_MS);
  }
  await Promise.all(strayGroups.map(endRemnants));
}

/** Ends what is left in a group whose leader is gone or told to go: SIGTERM, a moment, SIGKILL. */
export async function endRemnants(pid: number): Promise<void> {
  if (!signalGroup(pid, "SIGTERM")) return;
  for (let waitedMs = 0; waitedMs < REMNANT_MS; waitedMs += POLL_MS) {
    await sleep(POLL_MS);
    if (!signalGroup(pid, 0)) return;
  }
  signalGroup(pid, "SIGKILL");
}

/** @returns false when no process of the group is left */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    // ESRCH: gone. EPERM (macOS, for a group of zombies): nothing to be done either.
    return false;
  }
}

function endWindowsTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile("taskkill", ["/T", "/F", "/PID", String(pid)], { windowsHide: true }, () => resolve());
  });
}

function hasExited(child: ChildProcess, withinMs: number): Promise<boolean> {
  if (hasExitedAlready(child)) return Promise.resolve(true);
  return settlesWithin(new Promise<void>((resolve) => child.once("exit", () => resolve())), withinMs);
}

function hasExitedAlready(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
