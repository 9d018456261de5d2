import { type Context, createContext, Script } from "node:vm";

/** Does `work`, which is synchronous; undefined when its time was over. It may be stopped at any point, so it changes nothing that is used afterwards. */
export type BoundedWork = <T>(work: () => T, timeoutMs: number) => T | undefined;

/**
 * Creates what does work that may take for ever, above all regular expressions of others, and stops it when its time is over. Only V8 can
 * interrupt a pattern, and only `node:vm` asks it to: the first time costs a millisecond or two, each further one a twentieth of that
 * (measured). While V8 compiles a pattern nothing can stop it (see pattern-cost.ts).
 */
export function createBoundedWork(): BoundedWork {
  const place: { work?: () => unknown } = {};
  let context: Context | undefined;
  let script: Script | undefined;
  return <T>(work: () => T, timeoutMs: number): T | undefined => {
    context ??= createContext(place);
    script ??= new Script("work()");
    place.work = work;
    try {
      return script.runInContext(context, { timeout: timeoutMs }) as T;
    } catch (error) {
      if (isTimeOver(error)) return undefined;
      throw error;
    } finally {
      delete place.work;
    }
  };
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
