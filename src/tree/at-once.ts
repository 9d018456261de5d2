/** Files that are open at once: enough to hide the disk's latency, far below any limit on open files. */
const MAX_AT_ONCE = 32;

/** Others (a call that a server answers) get their turn at least so often. */
const MAX_TURN_MS = 10;

/** Does `work` for each item, a bounded number at once; the first error ends it. */
export async function forEachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  let turnStartMs = performance.now();
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      await work(item);
      if (performance.now() - turnStartMs < MAX_TURN_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      turnStartMs = performance.now();
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_AT_ONCE, items.length) }, worker));
}
