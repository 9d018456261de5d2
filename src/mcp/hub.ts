import { McpfsError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { settlesWithin, untilAborted } from "../kernel/wait.ts";
import type { ServerName } from "../model/names.ts";
import { connectionKey, type ServerEntry } from "../model/server-entry.ts";
import type { Connection } from "./connect.ts";
import { createProcessTable } from "./process-table.ts";
import { createReaper } from "./reaper.ts";
import type { ServerLink } from "./server-link.ts";

export interface HubOptions {
  /** Transports of kind `builtin` have been turned into stdio by the caller. */
  readonly entries: readonly ServerEntry[];
  readonly log: Log;
  /** Version of mcpfs, told to servers. */
  readonly clientVersion: string;
  /** The server's list may differ: it said so, or its link was made anew. Called at most every 50 ms for one server. */
  readonly onToolsChanged?: (server: ServerName) => void;
}

/** The connections of one host. */
export interface Hub {
  /**
   * The link of a server. Connects on first need; callers at the same time share one attempt; a failed attempt is not
   * remembered, so the next call tries again. `signal` ends this caller's wait only.
   * @throws McpfsError TOOL_UNAVAILABLE (no such server, or disabled), the entry's own problem, SERVER_FAILED,
   * SERVER_TIMEOUT, AUTH_REQUIRED
   */
  readonly link: (server: ServerName, signal?: AbortSignal) => Promise<ServerLink>;
  readonly isConnected: (server: ServerName) => boolean;
  /** Takes a new set of entries: links of changed or removed servers are closed, all others kept. */
  readonly update: (entries: readonly ServerEntry[]) => Promise<void>;
  /** Closes the link of one server, where it has one; the next `link` connects anew. */
  readonly disconnect: (server: ServerName) => Promise<void>;
  /** Ends all links and processes within about two seconds; never hangs; the second call waits for the first. */
  readonly close: () => Promise<void>;
}

/** What the hub knows of one server. */
interface Place {
  readonly entry: ServerEntry;
  readonly stop: AbortController;
  link: ServerLink | undefined;
  attempt: Promise<ServerLink> | undefined;
  wasConnected: boolean;
  isKnownModern: boolean;
  /** Failed connects and early deaths in a row. */
  failures: number;
  lastFailureMs: number;
}

/** Longer than any orderly end of a process tree; what is left then, the reaper ends. */
const CLOSE_MS = 1_700;
/** A server that lived so long was no failed start. */
const EARLY_DEATH_MS = 5_000;
const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 8_000;

/** Creates the hub; nothing is started until the first `link`. */
export function createHub(options: HubOptions): Hub {
  const { log } = options;
  const clientInfo = { name: "mcpfs", version: options.clientVersion };
  const reaper = createReaper(process.platform);
  const table = createProcessTable();
  let places = new Map<ServerName, Place>(options.entries.map((entry) => [entry.name, createPlace(entry)]));
  // Also those that a place has given up and whose open calls still run.
  const connections = new Set<Connection>();
  let closing: Promise<void> | undefined;

  const link: Hub["link"] = async (server, signal) => {
    if (closing !== undefined) throw hubClosed();
    if (signal?.aborted) throw abortError(signal);
    const place = places.get(server);
    if (place === undefined) throw unknownServer(server, places);
    if (!place.entry.isEnabled) throw disabledServer(server);
    if (place.entry.problem !== undefined) throw place.entry.problem;
    if (place.link !== undefined) return place.link;
    place.attempt ??= connect(place).finally(() => {
      place.attempt = undefined;
    });
    return await unlessAborted(place.attempt, signal);
  };

  const connect = async (place: Place): Promise<ServerLink> => {
    const { entry, stop } = place;
    const waitMs = waitBefore(place);
    if (waitMs > 0) await settlesWithin(untilAborted(stop.signal), waitMs);
    // Loaded on first need: the SDK takes half a second, and most commands need no connection.
    const [{ connectServer }, { createServerLink }, { debounce }] = await Promise.all([
      import("./connect.ts"),
      import("./server-link.ts"),
      import("./changes.ts"),
    ]);
    stop.signal.throwIfAborted();
    try {
      const connection = await connectServer({
        entry,
        log,
        clientInfo,
        reaper,
        table,
        platform: process.platform,
        isKnownModern: place.isKnownModern,
        signal: stop.signal,
      });
      const connectedAtMs = Date.now();
      const changes = debounce(() => options.onToolsChanged?.(entry.name));
      let made: ServerLink | undefined;
      let isLost = false;
      const onLost = (): void => {
        if (isLost) return;
        isLost = true;
        changes.cancel();
        if (Date.now() - connectedAtMs < EARLY_DEATH_MS) noteFailure(place);
        if (place.link === made) place.link = undefined;
      };
      connections.add(connection);
      const onClosed = (): void => void connections.delete(connection);
      made = await createServerLink({
        entry,
        connection,
        clientInfo,
        onToolsChanged: changes.changed,
        onLost,
        onClosed,
      });
      if (isLost) throw lostAtOnce(entry, connection);
      place.isKnownModern = connection.client.getProtocolEra() === "modern";
      if (place.wasConnected) changes.changed();
      place.wasConnected = true;
      if (Date.now() - place.lastFailureMs > EARLY_DEATH_MS) place.failures = 0;
      place.link = made;
      return made;
    } catch (error) {
      noteFailure(place);
      throw error;
    }
  };

  const end = async (place: Place, reason: McpfsError): Promise<void> => {
    place.stop.abort(reason);
    await place.attempt?.catch(() => {});
    await place.link?.close();
    place.link = undefined;
  };

  const closeAll = async (): Promise<void> => {
    const ending = [...places.values()].map((place) => end(place, hubClosed()));
    const rest = [...connections].map((connection) => connection.close());
    await settlesWithin(Promise.all([...ending, ...rest]), CLOSE_MS);
    await reaper.close();
  };

  return {
    link,
    isConnected: (server) => places.get(server)?.link !== undefined,
    update: async (entries) => {
      const before = places;
      places = new Map(
        entries.map((entry) => {
          const old = before.get(entry.name);
          return [
            entry.name,
            old !== undefined && connectionKey(old.entry) === connectionKey(entry) ? old : createPlace(entry),
          ];
        }),
      );
      const kept = new Set(places.values());
      const gone = [...before.values()].filter((place) => !kept.has(place));
      await Promise.all(gone.map((place) => end(place, replaced(place.entry.name))));
    },
    disconnect: async (server) => {
      const place = places.get(server);
      if (place === undefined) return;
      const { entry, wasConnected, isKnownModern } = place;
      places.set(server, { ...createPlace(entry), wasConnected, isKnownModern });
      await end(place, released(server));
    },
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}

function createPlace(entry: ServerEntry): Place {
  return {
    entry,
    stop: new AbortController(),
    link: undefined,
    attempt: undefined,
    wasConnected: false,
    isKnownModern: false,
    failures: 0,
    lastFailureMs: 0,
  };
}

function noteFailure(place: Place): void {
  place.failures += 1;
  place.lastFailureMs = Date.now();
}

/** The first retry comes at once; a server that keeps ending is started less and less often. */
function waitBefore(place: Place): number {
  if (place.failures < 2) return 0;
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (place.failures - 2), LAST_WAIT_MS);
  return Math.max(0, place.lastFailureMs + waitMs - Date.now());
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  let onAbort: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(abortError(signal));
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function abortError(signal: AbortSignal): McpfsError {
  if (signal.reason instanceof McpfsError) return signal.reason;
  return new McpfsError("SERVER_FAILED", "The caller stopped waiting for the connection.", {
    hint: "Try again.",
  });
}

function unknownServer(server: ServerName, places: ReadonlyMap<ServerName, Place>): McpfsError {
  const names = [...places.keys()].join(", ");
  return new McpfsError("TOOL_UNAVAILABLE", `There is no server ${JSON.stringify(server)}.`, {
    hint: names === "" ? "mcpfs.json names no server." : `mcpfs.json names these: ${names}.`,
  });
}

function disabledServer(server: ServerName): McpfsError {
  return new McpfsError("TOOL_UNAVAILABLE", `Server ${server} is disabled.`, {
    hint: `Set "enabled" of ${server} in mcpfs.json to true.`,
  });
}

function lostAtOnce({ name }: ServerEntry, { failures, process: child }: Connection): McpfsError {
  const message = `Server ${name} ${failures.ended(child)} as soon as it was ready.`;
  return failures.withLastWords("SERVER_FAILED", message, "Call again to start it anew.", child);
}

function hubClosed(): McpfsError {
  return new McpfsError("SERVER_FAILED", "The connections were closed.", { hint: "Run the command again." });
}

function released(server: ServerName): McpfsError {
  return new McpfsError("SERVER_FAILED", `The connection of server ${server} was closed.`, {
    hint: "Call again to connect anew.",
  });
}

function replaced(server: ServerName): McpfsError {
  return new McpfsError("SERVER_FAILED", `Server ${server} was changed or removed in mcpfs.json.`, {
    hint: "Call again to connect to the new one.",
  });
}
