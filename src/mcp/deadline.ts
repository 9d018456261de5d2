/** When a request runs out of time. */
export interface Deadline {
  /** Stands the clock still while a question of the server is open; the same again changes nothing. */
  readonly hold: () => void;
  /** Lets it go on with the time that was left. */
  readonly release: () => void;
  /** A sign of life: the limit counts anew from now on, as long as the limit for all holds. Not while the clock stands still. */
  readonly extend: () => void;
  readonly stop: () => void;
}

/** So many times its limit a request may take in all, however often it shows a sign of life. */
const MAX_EXTENSIONS = 10;

/**
 * Creates the deadline of one request, `limitMs` milliseconds from now. A question gives no time beyond that in which it was open: a
 * server that asks for its roots again and again while it hangs would otherwise never run out of time.
 * @param limitMs from 1 to what a timer of Node.js can count
 */
export function createDeadline(limitMs: number, onOver: () => void): Deadline {
  let endMs = performance.now() + limitMs;
  let lastEndMs = performance.now() + limitMs * MAX_EXTENSIONS;
  let heldSinceMs: number | undefined;
  let timer = setTimeout(onOver, limitMs);
  const arm = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onOver, Math.max(endMs - performance.now(), 1));
  };
  return {
    hold: () => {
      heldSinceMs ??= performance.now();
      clearTimeout(timer);
    },
    release: () => {
      if (heldSinceMs === undefined) return;
      const heldMs = performance.now() - heldSinceMs;
      heldSinceMs = undefined;
      endMs += heldMs;
      lastEndMs += heldMs;
      arm();
    },
    extend: () => {
      const nextEndMs = Math.min(performance.now() + limitMs, lastEndMs);
      // At the last end nothing is armed anew: a flood of reports would put off a timer that is due.
      if (heldSinceMs !== undefined || nextEndMs <= endMs) return;
      endMs = nextEndMs;
      arm();
    },
    stop: () => clearTimeout(timer),
  };
}
