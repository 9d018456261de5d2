import { readdirSync, readFileSync } from "node:fs";

/** Threads are looked at so often; one that ends in between loses what it waited since. */
const LOOK_MS = 20;

/**
 * Watches how long threads of this process are ready to run and wait for a processor, which other work has: the system counts
 * that apart from the time that they sleep. `stop` gives the most that one of them waited since, in milliseconds; 0 where
 * the system does not tell.
 */
export function watchProcessorWaits() {
  const first = new Map();
  let mostNs = 0;
  const look = (isStart) => {
    for (const [thread, waitedNs] of waits()) {
      // A thread that is new since has waited all of it meanwhile.
      if (!first.has(thread)) first.set(thread, isStart ? waitedNs : 0);
      mostNs = Math.max(mostNs, waitedNs - first.get(thread));
    }
  };
  look(true);
  const timer = setInterval(look, LOOK_MS, false);
  return {
    stop: () => {
      look(false);
      clearInterval(timer);
      return mostNs / 1e6;
    },
  };
}

function* waits() {
  for (const thread of list("/proc/self/task")) {
    try {
      const [, waitedNs] = readFileSync(`/proc/self/task/${thread}/schedstat`, "latin1").split(" ");
      yield [thread, Number(waitedNs)];
    } catch {
      // It has ended.
    }
  }
}

function list(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
