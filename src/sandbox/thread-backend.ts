import type { Backend } from "./backend.ts";
import { conductRun } from "./conduct-run.ts";
import { createPool } from "./pool.ts";

/** Runs scripts in worker threads of this process. */
export function createThreadBackend(memoryBytes: number): Backend {
  const pool = createPool(memoryBytes);
  return { run: (job) => conductRun(pool, job), warm: pool.warm, close: pool.close };
}
