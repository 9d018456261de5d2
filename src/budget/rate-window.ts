/** The last starts, as many as one span of time may hold: one more is too many while the oldest of them is younger than the span. */
export interface RateWindow {
  /** True when one more may start now. */
  readonly hasRoom: (nowMs: number) => boolean;
  readonly add: (nowMs: number) => void;
}

/** Creates a window of `spanMs` milliseconds. Its memory grows with the starts, to at most `most` of them. */
export function createRateWindow(most: number, spanMs: number): RateWindow {
  const starts: number[] = [];
  let next = 0;
  return {
    hasRoom: (nowMs) => {
      const oldest = starts[next];
      return oldest === undefined || nowMs - oldest >= spanMs;
    },
    add: (nowMs) => {
      starts[next] = nowMs;
      next = (next + 1) % most;
    },
  };
}
