import { type McpfsError, toMcpfsError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { pause, settlesWithin, unlessAborted } from "../kernel/wait.ts";
import type { CallProgress } from "../model/call-progress.ts";
import type { CredentialStore } from "../model/credentials.ts";
import type { ServerName } from "../model/names.ts";
import type { AskPerson } from "../model/question.ts";
import { connectionKey, type ServerEntry } from "../model/server-entry.ts";
import type { TextModel } from "../model/text-model.ts";
import type { Connection } from "./connect.ts";
import type { EraVerdicts } from "./era-verdicts.ts";
import {
  abortError,
  disabledServer,
  downError,
  hubClosed,
  released,
  replaced,
  unknownServer,
} from "./hub-errors.ts";
import {
  createPlace,
  EARLY_DEATH_MS,
  isDown,
  LAST_WAIT_MS,
  noteFailure,
  type Place,
  waitBefore,
} from "./place.ts";
import { createProcessTable } from "./process-table.ts";
import { createReaper } from "./reaper.ts";
import type { LogLevel } from "./requests.ts";
import type { ServerLink } from "./server-link.ts";

export interface HubOptions {
  /** Transports of kind `builtin` have been turned into stdio by the caller. */
  readonly entries: readonly ServerEntry[];
  readonly log: Log;
  /** Version of mcpfs, told to servers. */
  readonly clientVersion: string;
  /**
   * The lists of a server (tools, resources, prompts) may differ: it said so, its link was made anew, or its list is older than it
   * allows. Called at most every 30 ms for one server.
   */
  readonly onToolsChanged?: ((server: ServerName) => void) | undefined;
  /**
   * The same without the 30 ms, each time: what the server listed or let read before is not to be believed any more; with a URI,
   * what was read of that resource.
   */
  readonly onStale?: ((server: ServerName, uri?: string) => void) | undefined;
  /** Somebody follows the changes: a list that is older than its server allows counts as one. Default: nobody. */
  readonly isWatched?: boolean;
  /** A connected server is gone, and nobody asked for that. */
  readonly onLost?: ((server: ServerName, reason: McpfsError) => void) | undefined;
  /** How far a call is. */
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
  /** Answers questions of servers; absent where nobody can. */
  readonly askPerson?: AskPerson | undefined;
  /** Lends the config's small model to a server that may ask it; gives `undefined` where there is none. */
  readonly lendModel?: (server: ServerName) => Promise<TextModel | undefined>;
  /** The files folder, absolute: what a server with `"roots": true` is told. */
  readonly filesFolder: string;
  /** The least level of log messages that servers are asked for. Default: info. */
  readonly logLevel?: LogLevel;
  /** What the user signed in to; absent where nobody does. */
  readonly credentials?: CredentialStore;
  /** Remembers what generation of the protocol each server speaks. */
  readonly eras?: EraVerdicts;
}

/** The connections of one host. */
export interface Hub {
  /**
   * The link of a server. Connects on first need; callers at the same time share one attempt; a failed attempt is not
   * remembered, so the next call tries again; but a server that failed five times in a row is down for a moment, and every
   * caller is told why at once. `signal` ends this caller's wait only.
   * @throws McpfsError TOOL_UNAVAILABLE (no such server, or disabled), the entry's own problem, SERVER_FAILED,
   * SERVER_TIMEOUT, AUTH_REQUIRED
   */
  readonly link: (server: ServerName, signal?: AbortSignal) => Promise<ServerLink>;
  /**
   * Works with a server's link; where the server turns out to have forgotten the session, once more with a new one: a request to a
   * forgotten session was not read.
   * @throws McpfsError as {@link Hub.link} and `work` do
   */
  readonly use: <T>(
    server: ServerName,
    work: (link: ServerLink) => Promise<T>,
    signal?: AbortSignal,
  ) => Promise<T>;
  readonly isConnected: (server: ServerName) => boolean;
  /** Takes a new set of entries: links of changed or removed servers are closed, all others kept. */
  readonly update: (entries: readonly ServerEntry[]) => Promise<void>;
  /** Closes the link of one server, where it has one; the next `link` connects anew. */
  readonly disconnect: (server: ServerName) => Promise<void>;
  /** Ends all links and processes within about two seconds; never hangs; the second call waits for the first. */
  readonly close: () => Promise<void>;
}

/** Longer than any orderly end of a process tree; what is left then, the reaper ends. */
const CLOSE_MS = 1_700;
/** A refresh token that was exchanged and not stored would sign the user out. */
const RENEWAL_MS = 3_000;

/** Creates the hub; nothing is started until the first `link`. */
export function createHub(options: HubOptions): Hub {
  const { log } = options;
  const clientInfo = { name: "mcpfs", version: options.clientVersion };
  const reaper = createReaper(process.platform);
  const table = createProcessTable(process.platform);
  let places = new Map<ServerName, Place>(options.entries.map((entry) => [entry.name, createPlace(entry)]));
  // Also those that a place has given up and whose open calls still run.
  const connections = new Set<Connection>();
  let closing: Promise<void> | undefined;

  const link: Hub["link"] = async (server, signal) => {
    if (closing !== undefined) throw hubClosed();
    if (signal?.aborted) throw abortError(signal);
    const place = places.get(server);
    if (place === undefined) throw unknownServer(server, places.keys());
    if (!place.entry.isEnabled) throw disabledServer(server);
    if (place.entry.problem !== undefined) throw place.entry.problem;
    if (place.link !== undefined) return place.link;
    if (place.attempt === undefined && isDown(place))
      throw downError(server, place.failures, place.lastError, LAST_WAIT_MS);
    place.attempt ??= connect(place).finally(() => {
      place.attempt = undefined;
    });
    return await unlessAborted(place.attempt, signal, { toError: abortError });
  };

  const connect = async (place: Place): Promise<ServerLink> => {
    const { entry, stop } = place;
    const waitMs = waitBefore(place);
    if (waitMs > 0) await pause(waitMs, stop.signal);
    // Loaded on first need: the SDK takes half a second, and most commands need no connection.
    const [{ connectServer }, { createCredentials }, { createServerLink }, { createExpiry, debounce }] =
      await Promise.all([
        import("./connect.ts"),
        import("./credentials.ts"),
        import("./server-link.ts"),
        import("./changes.ts"),
      ]);
    stop.signal.throwIfAborted();
    place.era ??= await options.eras?.get(entry);
    if (options.credentials !== undefined)
      place.credentials ??= createCredentials(entry, options.credentials);
    try {
      const connection = await connectServer({
        entry,
        log,
        clientInfo,
        reaper,
        table,
        platform: process.platform,
        knownEra: place.era,
        credentials: place.credentials,
        signal: stop.signal,
      });
      const connectedAtMs = Date.now();
      const changes = debounce(() => options.onToolsChanged?.(entry.name));
      const onChanged = (): void => {
        options.onStale?.(entry.name);
        changes.changed();
      };
      const expiry = options.isWatched === true ? createExpiry(onChanged) : undefined;
      let made: ServerLink | undefined;
      let lostBy: McpfsError | undefined;
      const forget = (): void => {
        changes.cancel();
        expiry?.cancel();
      };
      const onLost = (reason: McpfsError): void => {
        lostBy = reason;
        forget();
        if (Date.now() - connectedAtMs < EARLY_DEATH_MS) noteFailure(place, reason);
        else place.failures = 0;
        if (place.link !== made || made === undefined) return;
        place.link = undefined;
        options.onLost?.(entry.name, reason);
      };
      connections.add(connection);
      const onClosed = (): void => {
        forget();
        if (place.link === made) place.link = undefined;
        connections.delete(connection);
      };
      made = await createServerLink({
        entry,
        connection,
        clientInfo,
        log,
        logLevel: options.logLevel ?? "info",
        askPerson: options.askPerson,
        filesFolder: options.filesFolder,
        lendModel: async () => await options.lendModel?.(entry.name),
        onProgress: options.onProgress,
        onChanged,
        onResourceChanged: (uri) => options.onStale?.(entry.name, uri),
        onListed: (list) => expiry?.listed(list),
        onLost,
        onClosed,
      });
      if (lostBy !== undefined) throw lostBy;
      place.era = connection.client.getProtocolEra() === "modern" ? "modern" : "legacy";
      void options.eras?.learn(entry, place.era);
      // Also one that could not be reached before: whoever follows the changes has not seen its list.
      if (place.wasConnected || place.failures > 0) changes.changed();
      place.wasConnected = true;
      place.link = made;
      return made;
    } catch (error) {
      noteFailure(place, toMcpfsError(error));
      throw error;
    }
  };

  const use: Hub["use"] = async (server, work, signal) => {
    try {
      return await work(await link(server, signal));
    } catch (error) {
      const { isSessionGone } = await import("./lost-requests.ts");
      if (!isSessionGone(error)) throw error;
      return await work(await link(server, signal));
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
    const renewals = [...places.values()].map((place) => place.credentials?.settled());
    await settlesWithin(Promise.all([...ending, ...rest]), CLOSE_MS);
    await settlesWithin(Promise.all(renewals), RENEWAL_MS);
    await reaper.close();
  };

  return {
    link,
    use,
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
      const { entry, wasConnected, era, credentials } = place;
      places.set(server, { ...createPlace(entry), wasConnected, era, credentials });
      await end(place, released(server));
    },
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}
