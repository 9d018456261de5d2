import { watchConfig } from "../config/watch-config.ts";
import { type McpfsError, toMcpfsError } from "../kernel/errors.ts";
import { pause } from "../kernel/wait.ts";
import type { ServerName } from "../model/names.ts";
import { connectionKey, type ServerEntry } from "../model/server-entry.ts";
import type { Host } from "./host.ts";
import { createReconnects, DOWN_AFTER } from "./reconnects.ts";
import type { SyncedServer, SyncReport } from "./sync-report.ts";

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
  /** A server failed five times in a row. It is tried every five minutes, and at once when it is called. */
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

/** Changes that come within this time are one sync. The hub has gathered those of one server already. */
const SETTLE_MS = 20;
/** Syncs that follow each other closer than this are a storm: each waits twice as long as the one before, up to a second. */
const CALM_MS = 1_500;
const MAX_SETTLE_MS = 1_000;
/** How often a watch looks whether a server that was refused has been trusted since, by a command beside it. */
const TRUST_GLANCE_MS = 1_000;

/** What trying again can mend. Credentials, trust and settings need a person, who edits the config. */
const PASSING: ReadonlySet<string> = new Set(["SERVER_FAILED", "SERVER_TIMEOUT"]);

/**
 * Keeps the tree true until `signal` aborts: syncs once, keeps the connections, and syncs what changed when a server
 * says so, its list is too old, or the config is edited. A server that is gone is connected again, with growing waits, and listed
 * again. One sync at a time; what changes meanwhile is the next one. A server with `"connect": "lazy"` is not started here.
 */
export async function watchWorkspace(host: Host, feed: ChangeFeed, options: WatchOptions): Promise<void> {
  const { onEvent, signal } = options;
  const changed = new Set<ServerName>();
  const refused = new Set<ServerName>();
  // A server can be lost between its answer and the writing of the tree: such an answer is no sign of life.
  const lostMeanwhile = new Set<ServerName>();
  let isConfigChanged = false;
  let wake = (): void => {};
  let settleMs = SETTLE_MS;
  let lastSyncMs = 0;

  const mark = (server: ServerName): void => {
    changed.add(server);
    wake();
  };
  const reconnects = createReconnects(mark);

  const fail = (server: ServerName, error: { readonly message: string }): void => {
    if (reconnects.failed(server) === DOWN_AFTER) onEvent({ kind: "down", server, reason: error.message });
  };
  /** Notes who answers and who does not, and tells what is news of it. */
  const follow = (server: SyncedServer): void => {
    const { name, status, error, tools } = server;
    if (error?.code === "UNTRUSTED") refused.add(name);
    else refused.delete(name);
    if (status === "ok") {
      if (!lostMeanwhile.has(name) && reconnects.back(name)) onEvent({ kind: "back", server: name, tools });
    } else if (error !== null && PASSING.has(error.code)) fail(name, error);
    else reconnects.forget(name);
  };

  const sync = async (servers: readonly ServerName[], isFirst: boolean): Promise<void> => {
    lostMeanwhile.clear();
    try {
      const report = await host.sync({ servers, isNarrow: !isFirst });
      const retried = new Set(report.servers.map(({ name }) => name).filter(reconnects.isAway));
      onEvent({ kind: "synced", report, isFirst, retried });
      for (const server of report.servers) follow(server);
    } catch (error) {
      onEvent({ kind: "failed", error: toMcpfsError(error) });
    }
  };

  /** A storm of notifications must not become a storm of syncs; a single change must not wait. */
  const settle = async (): Promise<void> => {
    settleMs = Date.now() - lastSyncMs < CALM_MS ? Math.min(settleMs * 2, MAX_SETTLE_MS) : SETTLE_MS;
    await pause(settleMs, signal);
  };

  const isKept = (entry: ServerEntry): boolean => options.connects !== "unknown" && isWatched(entry);
  await sync(await firstServers(host, options), true);
  feed.connect((server, lostBy) => {
    if (lostBy === undefined) return mark(server);
    lostMeanwhile.add(server);
    onEvent({ kind: "lost", server, error: lostBy });
    // A lazy one comes back with the next call.
    const entry = host.config().servers.find(({ name }) => name === server);
    if (entry !== undefined && isKept(entry)) fail(server, lostBy);
  });
  const onConfig = (): void => {
    isConfigChanged = true;
    wake();
  };
  const watcher = await watchConfig(host.root, onConfig, { usePolling: options.usePolling ?? false });
  signal.addEventListener("abort", () => wake(), { once: true });
  const trustGlance = setInterval(async () => {
    if (refused.size === 0) return;
    const servers = await host.trusted().catch(() => []);
    for (const { name, isTrusted } of servers) if (isTrusted && refused.delete(name)) mark(name);
  }, TRUST_GLANCE_MS);
  try {
    while (!signal.aborted) {
      if (changed.size === 0 && !isConfigChanged) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (signal.aborted || changed.size > 0 || isConfigChanged) resolve();
        });
        continue;
      }
      await settle();
      const isReload = isConfigChanged;
      isConfigChanged = false;
      const edited = isReload ? await reload(host, onEvent) : undefined;
      const servers = [...new Set([...changed, ...(edited ?? [])])];
      changed.clear();
      // After an edit also where no server has to be asked: one may have gone, or a filter may be another.
      if (edited !== undefined || servers.length > 0) await sync(servers, false);
      lastSyncMs = Date.now();
    }
  } finally {
    clearInterval(trustGlance);
    reconnects.close();
    await watcher.close();
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
 * A half-written config is no reason to drop anything: the next event reads it again.
 * @returns the servers that have to be asked: new ones, and those that are reached in another way than before;
 * `undefined` where the config cannot be read
 */
async function reload(
  host: Host,
  onEvent: (event: WatchEvent) => void,
): Promise<readonly ServerName[] | undefined> {
  const before = new Map(host.config().servers.map((entry) => [entry.name, connectionKey(entry)] as const));
  try {
    await host.reloadConfig();
  } catch (error) {
    onEvent({ kind: "failed", error: toMcpfsError(error) });
    return undefined;
  }
  const changed = host.config().servers.filter((entry) => before.get(entry.name) !== connectionKey(entry));
  return changed.filter(isWatched).map(nameOf);
}
