import { totalmem } from "node:os";

/** Lets runs in as long as their memory fits together; the others wait in the order in which they came. */
export interface MemoryGate {
  /**
   * Waits for room; the result gives it back. A run that is larger than all the room goes alone.
   * @throws the signal's reason when it aborts first
   */
  readonly enter: (bytes: number, signal: AbortSignal) => Promise<() => void>;
}

/** Runs together may ask for this share of the machine's memory; the rest is for servers and everything else. */
const SHARE = 0.6;

/** The room for all runs of this machine, or of the container that this process is in. */
export function roomForRuns(): number {
  const container = process.constrainedMemory?.() ?? 0;
  const machine = totalmem();
  return Math.floor(SHARE * (container > 0 ? Math.min(container, machine) : machine));
}

export function createMemoryGate(roomBytes: number): MemoryGate {
  let usedBytes = 0;
  const waiting: { readonly bytes: number; readonly admit: () => void }[] = [];
  const fits = (bytes: number): boolean => usedBytes === 0 || usedBytes + bytes <= roomBytes;
  const admitNext = (): void => {
    for (let next = waiting[0]; next !== undefined && fits(next.bytes); next = waiting[0]) {
      waiting.shift();
      next.admit();
    }
  };
  return {
    enter: async (bytes, signal) => {
      signal.throwIfAborted();
      if (waiting.length > 0 || !fits(bytes))
        await new Promise<void>((resolve, reject) => {
          const entry = {
            bytes,
            admit: () => {
              usedBytes += bytes;
              signal.removeEventListener("abort", onAbort);
              resolve();
            },
          };
          const onAbort = (): void => {
            waiting.splice(waiting.indexOf(entry), 1);
            reject(signal.reason);
            admitNext();
          };
          signal.addEventListener("abort", onAbort, { once: true });
          waiting.push(entry);
        });
      else usedBytes += bytes;
      let isLeft = false;
      return () => {
        if (isLeft) return;
        isLeft = true;
        usedBytes -= bytes;
        admitNext();
      };
    },
  };
}
