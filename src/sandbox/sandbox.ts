import { setMaxListeners } from "node:events";
import { McpfsError } from "../kernel/errors.ts";
import { DEFAULT_LIMITS, LIMIT_TABLE } from "../model/run.ts";
import type { Isolation, Sandbox, SandboxEnd, SandboxJob } from "../model/sandbox.ts";
import { createMemoryGate, roomForRuns } from "./memory-gate.ts";
import { createProcessBackend } from "./process-backend.ts";
import { createThreadBackend } from "./thread-backend.ts";

/** A sandbox that owns threads or processes. */
export interface ClosableSandbox extends Sandbox {
  /**
   * Makes a spare ahead of need, so that it boots while the script is bundled. At most one waits.
   * Resolves when it stands ready; rejects when it cannot.
   */
  readonly warm: () => Promise<void>;
  /** Stops what still runs (it ends as ABORTED) and waits until no thread and no process is left. */
  readonly close: () => Promise<void>;
}

export interface SandboxOptions {
  readonly isolation?: Isolation;
  /** What a spare reserves; a run with another limit waits for an instance of its own. */
  readonly memoryBytes?: number;
  /** What the memory limits of all runs at once may add up to; more runs wait. */
  readonly roomBytes?: number;
}

/**
 * Creates a sandbox with a fresh engine instance for each run, in threads of this process or in a process for each run.
 * Nothing is started before `warm` or the first run.
 * @throws McpfsError from `run`: INTERNAL when the sandbox is closed, USAGE for a memory limit below 16 MiB or above 1 GiB
 */
export function createSandbox(options: SandboxOptions = {}): ClosableSandbox {
  const closing = new AbortController();
  const running = new Set<Promise<SandboxEnd>>();
  // Every run that goes on listens to it.
  setMaxListeners(0, closing.signal);
  const memoryBytes = options.memoryBytes ?? DEFAULT_LIMITS.memoryBytes;
  const backend =
    options.isolation === "process" ? createProcessBackend(memoryBytes) : createThreadBackend(memoryBytes);
  const gate = createMemoryGate(options.roomBytes ?? roomForRuns());

  const run = async (job: SandboxJob): Promise<SandboxEnd> => {
    if (closing.signal.aborted) throw closedError();
    const { memoryBytes } = job.limits;
    if (memoryBytes < MIN_MEMORY_BYTES || memoryBytes > MAX_MEMORY_BYTES) throw memoryError(memoryBytes);
    const stop = followSignals(job.signal, closing.signal);
    // Aborted while it waits, it has no room to give back, and ends like any other that was aborted.
    const leave = await gate.enter(memoryBytes, stop.signal).catch(() => undefined);
    try {
      return await backend.run({ ...job, signal: stop.signal });
    } finally {
      leave?.();
      stop.leave();
    }
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
    warm: async () => {
      if (!closing.signal.aborted) await backend.warm();
    },
    close: async () => {
      closing.abort(closedError());
      await Promise.allSettled([...running, backend.close()]);
    },
  };
}

/** The engine's own data and stack take a third of the least. */
const MIN_MEMORY_BYTES: number = 16 * 1024 * 1024;
const MAX_MEMORY_BYTES: number = LIMIT_TABLE.memoryBytes.max;

function memoryError(memoryBytes: number): McpfsError {
  return new McpfsError("USAGE", `A run cannot have ${Math.floor(memoryBytes / 1024 / 1024)}mb of memory.`, {
    hint: "Give it between 16mb and 1gb.",
  });
}

function closedError(): McpfsError {
  return new McpfsError("INTERNAL", "The sandbox is closed.", {
    hint: "Create a new one; a closed sandbox runs nothing.",
  });
}

/** One signal of several, without what `AbortSignal.any` keeps for as long as the oldest of them lives. */
function followSignals(...signals: readonly (AbortSignal | undefined)[]): {
  readonly signal: AbortSignal;
  readonly leave: () => void;
} {
  const controller = new AbortController();
  const follow = (event: Event): void => controller.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal?.aborted) controller.abort(signal.reason);
    signal?.addEventListener("abort", follow, { once: true });
  }
  return {
    signal: controller.signal,
    leave: () => {
      for (const signal of signals) signal?.removeEventListener("abort", follow);
    },
  };
}
