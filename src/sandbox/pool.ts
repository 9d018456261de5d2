import { compileEngine } from "./engine-module.ts";
import { type RunWorker, spawnWorker } from "./run-worker.ts";

/** Threads for runs, and one spare with everything ready but the script. */
export interface Pool {
  /** Makes sure that a spare is there or on its way; resolves when it stands ready. */
  readonly warm: () => Promise<void>;
  /** A thread for one run: the spare, or a new one. */
  readonly take: () => Promise<RunWorker>;
  /** Takes back a thread whose run ended by itself: it becomes the spare, unless there is one. */
  readonly giveBack: (worker: RunWorker) => Promise<void>;
  /** Ends the spare. Threads that are out are ended by who took them. */
  readonly close: () => Promise<void>;
}

/**
 * Creates the pool. The engine is compiled once, and all threads share that. A thread may serve many runs, since each
 * gets an instance and a memory of its own, and nothing that a script can reach outlives them.
 * @param memoryBytes what instances are made ready with
 */
export function createPool(memoryBytes: number): Pool {
  let engine: Promise<WebAssembly.Module> | undefined;
  let spare: Promise<RunWorker> | undefined;
  let isClosed = false;

  const spawn = async (): Promise<RunWorker> => {
    engine ??= compileEngine();
    return spawnWorker(await engine, memoryBytes);
  };
  const end = async (worker: Promise<RunWorker> | undefined): Promise<void> => {
    await worker?.then(
      (started) => started.end(),
      () => {},
    );
  };

  return {
    warm: async () => {
      spare ??= spawn();
      const worker = await spare;
      await worker.ready;
    },
    take: async () => {
      const waiting = spare;
      spare = undefined;
      const worker = await waiting;
      return worker === undefined || worker.isDead() ? await spawn() : worker;
    },
    giveBack: async (worker) => {
      if (!isClosed && spare === undefined && !worker.isDead()) spare = Promise.resolve(worker);
      else await worker.end();
    },
    close: async () => {
      isClosed = true;
      const idle = spare;
      spare = undefined;
      await end(idle);
    },
  };
}
