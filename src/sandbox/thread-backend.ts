import { conductRun } from "./conduct-run.ts";
import { createPool } from "./pool.ts";
import type { Backend } from "./sandbox.ts";

/** Runs scripts in worker threads of this process. */
export function createThreadBackend(memoryBytes: number): Backend {
  const pool = createPool(memoryBytes);
  return { run: (job) => conductRun(pool, job), warm: pool.warm, close: pool.close };
}
