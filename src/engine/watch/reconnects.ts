import { FIRST_WAIT_MS } from "../../mcp/place.ts";
import type { ServerName } from "../../model/names.ts";

/** When servers that are gone are tried again. */
export interface Reconnects {
  /** The server is gone, or could not be reached: it is tried again after a while. @returns how often in a row it failed now */
  readonly failed: (server: ServerName) => number;
  /** The server answers. @returns true where it was gone */
  readonly back: (server: ServerName) => boolean;
  readonly isAway: (server: ServerName) => boolean;
  /** Nothing is tried any more. */
  readonly forget: (server: ServerName) => void;
  readonly close: () => void;
}

/** A server that is gone again within that time was never really back. */
const STEADY_MS = 5_000;
/** A server that is down is still tried, and at last rarely: its keeper starts it again, a laptop wakes up, a network comes back. */
const LAST_WAIT_MS = 5 * 60_000;

/**
 * Creates the plan of reconnecting: the first try comes after a quarter of a second, each further one after twice the time, up to five minutes,
 * spread at random by a half, so that ten servers behind one network do not all come at once.
 */
export function createReconnects(
  retry: (server: ServerName) => void,
  random: () => number = Math.random,
): Reconnects {
  const known = new Map<
    ServerName,
    { failures: number; timer: NodeJS.Timeout | undefined; backAtMs: number | undefined }
  >();
  let isClosed = false;
  const isAway = (server: ServerName): boolean => {
    const state = known.get(server);
    return state !== undefined && state.backAtMs === undefined;
  };
  const forget = (server: ServerName): void => {
    clearTimeout(known.get(server)?.timer);
    known.delete(server);
  };
  return {
    failed: (server) => {
      const state = known.get(server) ?? { failures: 0, timer: undefined, backAtMs: undefined };
      clearTimeout(state.timer);
      if (state.backAtMs !== undefined && Date.now() - state.backAtMs >= STEADY_MS) state.failures = 0;
      state.backAtMs = undefined;
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** state.failures, LAST_WAIT_MS);
      state.failures += 1;
      if (!isClosed) state.timer = setTimeout(retry, waitMs * (1 + random() / 2), server);
      known.set(server, state);
      return state.failures;
    },
    back: (server) => {
      const wasAway = isAway(server);
      const state = known.get(server);
      clearTimeout(state?.timer);
      if (state !== undefined && wasAway) state.backAtMs = Date.now();
      return wasAway;
    },
    isAway,
    forget,
    close: () => {
      isClosed = true;
      for (const server of [...known.keys()]) forget(server);
    },
  };
}
