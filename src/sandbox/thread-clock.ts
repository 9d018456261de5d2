import { readFileSync, readlinkSync } from "node:fs";

/**
 * CPU time of a thread of this process, also of another one, which may be inside a loop. Linux tells it; Node does not for
 * other threads, and on Node 20 not even for its own. (How busy an event loop is says nothing: a thread that waits for a
 * processor counts as busy. Six busy threads on two processors were charged 2,000 ms each by the clock, and had used 150.)
 */
export function readThreadCpuMs(thread: number): number | undefined {
  if (thread === 0) return undefined;
  try {
    const usedNs = Number(readFileSync(`/proc/self/task/${thread}/schedstat`, "latin1").split(" ", 1)[0]);
    return Number.isFinite(usedNs) ? usedNs / NS_PER_MS : undefined;
  } catch {
    return undefined;
  }
}

/** The number of the thread that asks; 0 where the system does not tell CPU times, or this process may not read them. */
export function ownThread(): number {
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    return readThreadCpuMs(thread) === undefined ? 0 : thread;
  } catch {
    return 0;
  }
}

const NS_PER_MS = 1e6;
