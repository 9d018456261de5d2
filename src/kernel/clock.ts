/** Time as the parts of mcpfs see it, so that tests can hold it still. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };
