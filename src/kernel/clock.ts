/** Time as the parts of mcpfs see it, so that tests can hold it still. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Resolves after `ms` milliseconds, or at once when `signal` aborts. Never rejects and holds no process open. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** Resolves after `ms` milliseconds and keeps the process open until then: for a wait on which a command depends. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
