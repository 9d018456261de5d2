/**
 * Resolves after `ms` milliseconds, or at once when `signal` aborts; never rejects. It keeps the process open: an
 * unreferenced timer lets Node.js exit with code 13 in the middle of an `await`.
 */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** True when `promise` settles within `ms` milliseconds; the timer is cleared as soon as the answer is known. */
export function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const settle = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(settle, settle);
  });
}

/** Resolves when `signal` aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * What `work` comes to, or a rejection as soon as `signal` aborts: with `toError(signal)`, by default the signal's reason, and `graceMs` later
 * where the work listens to the signal itself and may still end well. The work is not stopped, and no listener stays on the signal.
 */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | null | undefined,
  {
    toError,
    graceMs = 0,
  }: { readonly toError?: (signal: AbortSignal) => unknown; readonly graceMs?: number } = {},
): Promise<T> {
  if (signal === null || signal === undefined) return await work;
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    const end = (): void => reject(toError === undefined ? signal.reason : toError(signal));
    onAbort = () => void (graceMs === 0 ? end() : setTimeout(end, graceMs).unref());
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
