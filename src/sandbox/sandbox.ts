import { McpfsError } from "../kernel/errors.ts";
import { DEFAULT_LIMITS } from "../model/run.ts";
import type { Sandbox, SandboxEnd, SandboxJob } from "../model/sandbox.ts";
import { conductRun } from "./conduct-run.ts";
import { compileEngine } from "./engine-module.ts";
import { type RunWorker, spawnWorker } from "./run-worker.ts";

/** A sandbox in worker threads of this process: one fresh thread and engine for each run, ended with it. */
export interface WorkerSandbox extends Sandbox {
  /** Starts a worker ahead of need, so that it boots while the script is bundled. At most one waits. */
  readonly warm: () => void;
  /** Stops what still runs (it ends as ABORTED) and waits until no thread is left. */
  readonly close: () => Promise<void>;
}

/**
 * Creates the sandbox. Nothing is started before `warm` or the first run; the engine is compiled once.
 * @param options.memoryBytes what a worker started by `warm` reserves; a run with another limit costs a second boot
 * @throws McpfsError from `run`: INTERNAL when the sandbox is closed, USAGE for a memory limit below 16 MiB or above 2 GiB
 */
export function createSandbox(options: { readonly memoryBytes?: number } = {}): WorkerSandbox {
  const warmBytes = options.memoryBytes ?? DEFAULT_LIMITS.memoryBytes;
  const closing = new AbortController();
  const running = new Set<Promise<SandboxEnd>>();
  let engine: Promise<WebAssembly.Module> | undefined;
  let spare: Promise<RunWorker> | undefined;

  const spawn = async (memoryBytes: number): Promise<RunWorker> => {
    engine ??= compileEngine();
    return spawnWorker(await engine, memoryBytes);
  };

  const run = async (job: SandboxJob): Promise<SandboxEnd> => {
    if (closing.signal.aborted) throw closedError();
    const { memoryBytes } = job.limits;
    if (memoryBytes < MIN_MEMORY_BYTES || memoryBytes > MAX_MEMORY_BYTES) throw memoryError(memoryBytes);
    const signal = job.signal === undefined ? closing.signal : AbortSignal.any([job.signal, closing.signal]);
    const waiting = spare ?? spawn(memoryBytes);
    spare = undefined;
    return await conductRun(waiting, { ...job, signal });
  };

  return {
    run: async (job) => {
      const ending = run(job);
      running.add(ending);
      try {
        return await ending;
      } finally {
        running.delete(ending);
      }
    },
    warm: () => {
      if (closing.signal.aborted || spare !== undefined) return;
      spare = spawn(warmBytes);
      // A worker that does not start is an error of the run that needs it.
      spare.catch(() => {});
    },
    close: async () => {
      closing.abort(closedError());
      const idle = spare;
      spare = undefined;
      await Promise.allSettled([...running, idle?.then((worker) => worker.end())]);
    },
  };
}

/** The engine's own data and stack take a third of the least; the most is what its 32-bit addresses reach. */
const MIN_MEMORY_BYTES: number = 16 * 1024 * 1024;
const MAX_MEMORY_BYTES: number = 2 ** 31;

function memoryError(memoryBytes: number): McpfsError {
  return new McpfsError("USAGE", `A run cannot have ${Math.floor(memoryBytes / 1024 / 1024)}mb of memory.`, {
    hint: "Give it between 16mb and 2048mb.",
  });
}

function closedError(): McpfsError {
  return new McpfsError("INTERNAL", "The sandbox is closed.", {
    hint: "Create a new one; a closed sandbox runs nothing.",
  });
}
