import { MAX_DURATION_MS } from "../model/run.ts";

/** Counts time down, but only while it runs. */
export interface Stopwatch {
  /** Lets it run, or stands it still; the same again changes nothing. */
  readonly run: (isRunning: boolean) => void;
}

/** Creates a stopwatch of `ms` milliseconds that stands still; `onEnd` is called once, when all of them have run. */
export function createStopwatch(ms: number, onEnd: () => void): Stopwatch {
  let leftMs = Math.min(ms, MAX_DURATION_MS);
  let timer: NodeJS.Timeout | undefined;
  let startedMs = 0;
  return {
    run: (isRunning) => {
      if (isRunning === (timer !== undefined)) return;
      if (isRunning) {
        startedMs = performance.now();
        timer = setTimeout(onEnd, Math.max(leftMs, 0));
      } else {
        clearTimeout(timer);
        timer = undefined;
        leftMs -= performance.now() - startedMs;
      }
    },
  };
}
