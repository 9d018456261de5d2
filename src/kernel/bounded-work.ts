import { runInNewContext } from "node:vm";

/**
 * Does work that may take for ever, above all regular expressions of others, and stops it when its time is over. Only V8 can interrupt a
 * pattern, and only `node:vm` asks it to; a call costs half a millisecond. While V8 compiles a pattern nothing can (see search/regex.ts).
 * @param work synchronous; may be stopped at any point, so it changes nothing that is used afterwards
 * @returns undefined when the time was over
 */
export function boundedWork<T>(work: () => T, timeoutMs: number): T | undefined {
  try {
    return runInNewContext("work()", { work }, { timeout: timeoutMs }) as T;
  } catch (error) {
    if (isTimeOver(error)) return undefined;
    throw error;
  }
}

/** The error is one of the context in which the work was started, so it is no `Error` of ours. */
function isTimeOver(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
