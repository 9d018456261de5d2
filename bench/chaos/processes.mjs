// What the chaos run does with processes. Linux only: it reads /proc.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** @returns {{pid: number, parent: number, state: string, start: string, command: string}[]} all processes that can be seen */
function table() {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      return [{ pid: Number(name), parent: Number(parent), state, start: rest[17], command }];
    } catch {
      return [];
    }
  });
}

const isRunning = ({ state }) => state !== "Z" && state !== "X";

/** Running processes whose command line holds this text. */
export const processesWith = (text) => table().filter((one) => isRunning(one) && one.command.includes(text));

/** All processes below this one. */
export function descendantsOf(pid) {
  const all = table();
  const found = new Set([pid]);
  // A set may grow while it is walked.
  for (const parent of found) for (const one of all) if (one.parent === parent) found.add(one.pid);
  found.delete(pid);
  return all.filter((one) => found.has(one.pid) && isRunning(one));
}

/** Those of `processes` that still run. */
export function stillRunning(processes) {
  const now = new Map(table().map((one) => [one.pid, one]));
  return processes.filter(({ pid, start }) => {
    const one = now.get(pid);
    return one !== undefined && one.start === start && isRunning(one);
  });
}

/** Signals a process that may be gone already. */
export function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // Gone.
  }
}

/** Kills a host in the middle of whatever it does. @returns what it had started and what still runs after `withinMs` */
export async function killHost(pid, withinMs) {
  // Stopped first: what is below it can then be listed, and nothing is added.
  signal(pid, "SIGSTOP");
  const below = descendantsOf(pid);
  signal(pid, "SIGKILL");
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += 50) {
    if (stillRunning(below).length === 0) return [];
    await pause(50);
  }
  return stillRunning(below);
}
