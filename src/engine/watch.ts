import { watchConfig } from "../config/watch-config.ts";
import { type McpfsError, toMcpfsError } from "../kernel/errors.ts";
import { pause } from "../kernel/wait.ts";
import type { ServerName } from "../model/names.ts";
import type { Host } from "./host.ts";
import { createReconnects, DOWN_AFTER } from "./reconnects.ts";
import type { SyncedServer, SyncReport } from "./sync.ts";

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

/** What trying again can mend. Credentials, trust and settings need a person, who edits the config. */
const PASSING: ReadonlySet<string> = new Set(["SERVER_FAILED", "SERVER_TIMEOUT"]);

/**
 * Keeps the tree true until `signal` aborts: syncs once, keeps the connections, and syncs what changed when a server
 * says so, its list is too old, or the config is edited. A server that is gone is connected again, with growing waits, and listed
 * again. One sync at a time; what changes meanwhile is the next one.
 */
export async function watchWorkspace(host: Host, feed: ChangeFeed, options: WatchOptions): Promise<void> {
  const { onEvent, signal } = options;
  const changed = new Set<ServerName>();
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
    if (status === "ok") {
      if (reconnects.back(name)) onEvent({ kind: "back", server: name, tools });
    } else if (error !== null && PASSING.has(error.code)) fail(name, error);
    else reconnects.forget(name);
  };

  const sync = async (servers: readonly ServerName[] | undefined, isFirst: boolean): Promise<void> => {
    try {
      const report = await host.sync(servers === undefined ? {} : { servers });
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

  await sync(undefined, true);
  feed.connect((server, lostBy) => {
    if (lostBy === undefined) return mark(server);
    onEvent({ kind: "lost", server, error: lostBy });
    fail(server, lostBy);
  });
  const onConfig = (): void => {
    isConfigChanged = true;
    wake();
  };
  const watcher = await watchConfig(host.root, onConfig, { usePolling: options.usePolling ?? false });
  signal.addEventListener("abort", () => wake(), { once: true });
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
      const servers = [...changed];
      changed.clear();
      const isReload = isConfigChanged;
      isConfigChanged = false;
      if (isReload && !(await reload(host, onEvent))) continue;
      await sync(isReload ? undefined : servers, false);
      lastSyncMs = Date.now();
    }
  } finally {
    reconnects.close();
    await watcher.close();
  }
}

/** A half-written config is no reason to drop anything: the next event reads it again. */
async function reload(host: Host, onEvent: (event: WatchEvent) => void): Promise<boolean> {
  try {
    await host.reloadConfig();
    return true;
  } catch (error) {
    onEvent({ kind: "failed", error: toMcpfsError(error) });
    return false;
  }
}
