import { setMaxListeners } from "node:events";
import { watchConfig } from "../../config/watch-config.ts";
import { McpfsError, toMcpfsError } from "../../kernel/errors.ts";
import { pause, untilAborted } from "../../kernel/wait.ts";
import { DOWN_AFTER } from "../../mcp/place.ts";
import type { ServerName } from "../../model/names.ts";
import { connectionKey, type ServerEntry } from "../../model/server-entry.ts";
import type { SyncedServer, SyncReport } from "../../model/sync-report.ts";
import type { Host } from "../host.ts";
import { createHeldBack } from "./held-back.ts";
import { createReconnects } from "./reconnects.ts";
import { createSyncQueue } from "./sync-queue.ts";

/** What a watch tells its caller. */
export type WatchEvent =
  /**
   * The first sync is done and connections are kept, or something changed and the tree followed. `retried` are the servers that
   * were gone before: that one of them fails again is no news.
   */
  | {
      readonly kind: "synced";
      readonly report: SyncReport;
      readonly isFirst: boolean;
      readonly retried: ReadonlySet<ServerName>;
    }
  /** A connected server is gone; it is tried again. */
  | { readonly kind: "lost"; readonly server: ServerName; readonly error: McpfsError }
  /** A server that was gone answers again; the tree is what it lists now. */
  | { readonly kind: "back"; readonly server: ServerName; readonly tools: number }
  /** A server failed five times in a row. It is tried less and less often, and when it is called. */
  | { readonly kind: "down"; readonly server: ServerName; readonly reason: string }
  /** The config cannot be read at the moment, or the tree cannot be written: the last good state stands. */
  | { readonly kind: "failed"; readonly error: McpfsError };

export interface WatchOptions {
  readonly onEvent: (event: WatchEvent) => void;
  readonly signal: AbortSignal;
  /**
   * Which servers are connected for the sake of watching: all that are eager (default), or those alone that were never synced, while
   * others are heard when a call has connected them.
   */
  readonly connects?: "eager" | "unknown";
  /** Ask the file system at intervals, where no change events arrive (network and container volumes). */
  readonly usePolling?: boolean;
}

/** Feeds what happens to servers into a watch; its two inputs are handed to the host as `onToolsChanged` and `onServerLost`. */
export interface ChangeFeed {
  readonly push: (server: ServerName) => void;
  readonly lost: (server: ServerName, error: McpfsError) => void;
  readonly connect: (listener: FeedListener) => void;
}

type FeedListener = (server: ServerName, lostBy: McpfsError | undefined) => void;

/** Creates the feed. What arrives before a watch listens is kept for it. */
export function createChangeFeed(): ChangeFeed {
  const early: Parameters<FeedListener>[] = [];
  let listener: FeedListener = (...change) => void early.push(change);
  return {
    push: (server) => listener(server, undefined),
    lost: (server, error) => listener(server, error),
    connect: (next) => {
      listener = next;
      for (const change of early.splice(0)) next(...change);
    },
  };
}

/** What keeps a tree from being written takes a person or another command to go. */
const WRITE_AGAIN_MS = 5_000;

/** What trying again can mend. Credentials, trust and settings need a person. */
const PASSING: ReadonlySet<string> = new Set(["SERVER_FAILED", "SERVER_TIMEOUT"]);

/**
 * Keeps the tree true until `signal` aborts: syncs once, keeps the connections, and syncs what changed when a server
 * says so, its list is too old, or the config is edited. A server that is gone is connected again, with growing waits, and listed
 * again. Each server is synced by itself, so that one which does not answer holds up no other; what changes while it is
 * synced is its next sync. A server with `"connect": "lazy"` is not started here.
 */
export async function watchWorkspace(host: Host, feed: ChangeFeed, options: WatchOptions): Promise<void> {
  const { onEvent, signal } = options;
  // While the tree cannot be written, every server's sync waits for its end.
  setMaxListeners(0, signal);
  // A server can be lost between its answer and the writing of the tree: such an answer is no sign of life.
  const lostMeanwhile = new Set<ServerName>();

  const fail = (server: ServerName, error: { readonly message: string }): void => {
    if (reconnects.failed(server) === DOWN_AFTER) onEvent({ kind: "down", server, reason: error.message });
  };
  /** Notes who answers and who does not, and tells what is news of it. */
  const follow = (server: SyncedServer): void => {
    const { name, status, error, tools } = server;
    heldBack.follow(server);
    const isLost = lostMeanwhile.has(name);
    if (status === "ok") {
      if (!isLost && reconnects.back(name)) onEvent({ kind: "back", server: name, tools });
    } else if (error === null || !PASSING.has(error.code)) reconnects.forget(name);
    // The loss has been counted already.
    else if (!isLost) fail(name, error);
  };

  let lastFailure = "";
  /** Syncs until the tree could be written: the disk may be full, or another command hold the lock. */
  const sync = async (servers: readonly ServerName[], isFirst: boolean): Promise<void> => {
    while (!signal.aborted) {
      for (const server of servers) lostMeanwhile.delete(server);
      const report = await host.sync({ servers, isNarrow: !isFirst }).catch(toMcpfsError);
      if (!(report instanceof McpfsError)) return tell(report, isFirst);
      if (report.message !== lastFailure) onEvent({ kind: "failed", error: report });
      lastFailure = report.message;
      await pause(WRITE_AGAIN_MS, signal);
    }
  };
  const tell = (report: SyncReport, isFirst: boolean): void => {
    lastFailure = "";
    const retried = new Set(report.servers.map(({ name }) => name).filter(reconnects.isAway));
    onEvent({ kind: "synced", report, isFirst, retried });
    for (const server of report.servers) follow(server);
  };
  const queue = createSyncQueue((servers) => sync(servers, false));
  const reconnects = createReconnects(queue.mark);
  const heldBack = createHeldBack(host, queue.mark);

  const reload = createReload(host, onEvent);
  let edits = Promise.resolve();
  const onConfig = (): void => {
    edits = edits.then(async () => {
      const changed = signal.aborted ? undefined : await reload();
      if (changed === undefined) return;
      // Also where no server has to be asked: one may have gone, or a filter may be another.
      await sync([], false);
      for (const server of changed) queue.mark(server);
    });
  };
  const isKept = (entry: ServerEntry): boolean => options.connects !== "unknown" && isWatched(entry);
  // Before the config is read once more: an edit from now on is noticed, and one before is read.
  const watcher = await watchConfig(host.root, onConfig, { usePolling: options.usePolling ?? false });
  try {
    await reload();
    const first = sync(await firstServers(host, options), true);
    edits = Promise.all([first, edits]).then(() => {});
    await first;
    feed.connect((server, lostBy) => {
      if (lostBy === undefined) return queue.mark(server);
      lostMeanwhile.add(server);
      onEvent({ kind: "lost", server, error: lostBy });
      // A lazy one comes back with the next call.
      const entry = host.config().servers.find(({ name }) => name === server);
      if (entry !== undefined && isKept(entry)) fail(server, lostBy);
    });
    await untilAborted(signal);
  } finally {
    heldBack.close();
    reconnects.close();
    await Promise.all([watcher.close(), edits, queue.close()]);
  }
}

async function firstServers(host: Host, { connects }: WatchOptions): Promise<readonly ServerName[]> {
  const watched = host.config().servers.filter(isWatched);
  if (connects !== "unknown") return watched.map(nameOf);
  const known = new Set((await host.catalog()).servers.map(({ name }) => name));
  return watched.map(nameOf).filter((name) => !known.has(name));
}

/** One that is off costs no start, and says so in the first report. */
function isWatched(entry: ServerEntry): boolean {
  return entry.connect === "eager" || !entry.isEnabled;
}

function nameOf(entry: ServerEntry): ServerName {
  return entry.name;
}

/**
 * Creates what reads the config again. A half-written config is no reason to drop anything: the next event reads it again.
 * @returns the servers that have to be asked: new ones, and those that are reached in another way than when the config was last
 * taken; `undefined` where the config cannot be read
 */
function createReload(
  host: Host,
  onEvent: (event: WatchEvent) => void,
): () => Promise<readonly ServerName[] | undefined> {
  let taken = keysOf(host);
  return async () => {
    try {
      await host.reloadConfig();
    } catch (error) {
      onEvent({ kind: "failed", error: toMcpfsError(error) });
      return undefined;
    }
    const before = taken;
    taken = keysOf(host);
    const changed = host.config().servers.filter(({ name }) => before.get(name) !== taken.get(name));
    return changed.filter(isWatched).map(nameOf);
  };
}

function keysOf(host: Host): ReadonlyMap<ServerName, string> {
  return new Map(host.config().servers.map((entry) => [entry.name, connectionKey(entry)] as const));
}
