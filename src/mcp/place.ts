import type { McpfsError } from "../kernel/errors.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import type { Era } from "./connect.ts";
import type { Credentials } from "./credentials.ts";
import type { ServerLink } from "./server-link.ts";

/** What the hub knows of one server. */
export interface Place {
  readonly entry: ServerEntry;
  readonly stop: AbortController;
  link: ServerLink | undefined;
  attempt: Promise<ServerLink> | undefined;
  wasConnected: boolean;
  era: Era | undefined;
  /** Absent until it is connected, and where nobody signs in. */
  credentials: Credentials | undefined;
  /** Failed connects and early deaths in a row. */
  failures: number;
  lastFailureMs: number;
  lastError: McpfsError | undefined;
}

/** A server that lived so long was no failed start. */
export const EARLY_DEATH_MS = 5_000;
/** The wait before the first retry that waits at all. */
export const FIRST_WAIT_MS = 250;
export const LAST_WAIT_MS = 8_000;
/** So many failures in a row are no accident: from then on callers are told at once instead of waiting. */
export const DOWN_AFTER = 5;

/** Nothing is known yet. */
export function createPlace(entry: ServerEntry): Place {
  return {
    entry,
    stop: new AbortController(),
    link: undefined,
    attempt: undefined,
    wasConnected: false,
    era: undefined,
    credentials: undefined,
    failures: 0,
    lastFailureMs: 0,
    lastError: undefined,
  };
}

/** Counts a failed connect or an early death. */
export function noteFailure(place: Place, error: McpfsError): void {
  // A link that is lost while it is made is noted once.
  if (place.lastError === error) return;
  place.failures += 1;
  place.lastFailureMs = Date.now();
  place.lastError = error;
}

/** Milliseconds until it may be started: the first retry comes at once; a server that keeps ending is started less and less often. */
export function waitBefore(place: Place): number {
  if (place.failures < 2) return 0;
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (place.failures - 2), LAST_WAIT_MS);
  return Math.max(0, place.lastFailureMs + waitMs - Date.now());
}

/** True where callers are told at once. */
export function isDown(place: Place): boolean {
  return place.failures >= DOWN_AFTER && Date.now() < place.lastFailureMs + LAST_WAIT_MS;
}
