import { availableParallelism } from "node:os";
import { compileEngine } from "./engine-module.ts";
import { type RunWorker, spawnWorker } from "./run-worker.ts";

/** Threads for runs, and one spare with everything ready but the script. */
export interface Pool {
  /** Makes sure that a spare is there or on its way; resolves when it stands ready. */
  readonly warm: () => Promise<void>;
  /**
   * A thread that stands ready, for one run: the spare, a new one, or one whose run has just ended.
   * @throws the signal's reason when it aborts first; Error when a thread cannot be started
   */
  readonly take: (signal: AbortSignal) => Promise<RunWorker>;
  /** Takes back a thread whose run ended by itself. */
  readonly giveBack: (worker: RunWorker) => Promise<void>;
  /** Ends the spare and what boots. Threads that are out are ended by who took them. */
  readonly close: () => Promise<void>;
}

interface Waiter {
  readonly give: (worker: RunWorker) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Creates the pool. The engine is compiled once, and all threads share that. A thread may serve many runs, since each
 * gets an instance and a memory of its own, and nothing that a script can reach outlives them. No more threads boot at
 * once than there are processors: of a hundred short runs most get a thread that another has done with.
 * @param memoryBytes what instances are made ready with
 */
export function createPool(memoryBytes: number): Pool {
  const maxBooting = availableParallelism();
  const booting = new Set<Promise<RunWorker>>();
  const waiting: Waiter[] = [];
  let engine: Promise<WebAssembly.Module> | undefined;
  let spare: RunWorker | undefined;
  let isClosed = false;

  const spawn = async (): Promise<RunWorker> => {
    engine ??= compileEngine();
    return spawnWorker(await engine, memoryBytes);
  };

  const boot = (): void => {
    const starting = spawn();
    booting.add(starting);
    starting
      .then(async (worker) => {
        await worker.ready;
        booting.delete(starting);
        await arrive(worker);
      })
      .catch((error: unknown) => {
        booting.delete(starting);
        waiting.shift()?.fail(error);
      })
      .finally(bootForWaiting);
  };
  const bootForWaiting = (): void => {
    while (!isClosed && booting.size < Math.min(maxBooting, waiting.length)) boot();
  };

  /** A thread that stands ready goes to who has waited longest, or becomes the spare. */
  const arrive = async (worker: RunWorker): Promise<void> => {
    const next = waiting.shift();
    if (next !== undefined) next.give(worker);
    else if (spare === undefined && !isClosed) spare = worker;
    else await worker.end();
  };

  const wait = (signal: AbortSignal | undefined): Promise<RunWorker> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        give: (worker) => {
          signal?.removeEventListener("abort", leave);
          resolve(worker);
        },
        fail: (error) => {
          signal?.removeEventListener("abort", leave);
          reject(error);
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      waiting.push(waiter);
      bootForWaiting();
    });

  return {
    warm: async () => {
      if (spare !== undefined && !spare.isDead()) return;
      spare = undefined;
      const worker = await wait(undefined);
      await arrive(worker);
    },
    take: async (signal) => {
      const worker = spare;
      spare = undefined;
      return worker !== undefined && !worker.isDead() ? worker : await wait(signal);
    },
    giveBack: async (worker) => {
      if (worker.isDead()) await worker.end();
      else await arrive(worker);
    },
    close: async () => {
      isClosed = true;
      const started = [...booting].map(async (starting) => await (await starting).end());
      await Promise.allSettled([spare?.end(), ...started]);
      spare = undefined;
    },
  };
}
