import { syncBuiltinESMExports } from "node:module";
import workerThreads from "node:worker_threads";

/**
 * Takes away the way to start threads, in a thread whose process has no permissions: one that is started with options
 * of its own would have them all. Whatever gets out of the engine then finds nothing to start.
 */
export function forbidThreads(): void {
  Object.defineProperty(workerThreads, "Worker", { value: undefined });
  syncBuiltinESMExports();
}
