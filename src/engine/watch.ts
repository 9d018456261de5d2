import { watchConfig } from "../config/watch-config.ts";
import { type McpfsError, toMcpfsError } from "../kernel/errors.ts";
import { pause } from "../kernel/wait.ts";
import type { ServerName } from "../model/names.ts";
import type { Host } from "./host.ts";
import type { SyncReport } from "./sync.ts";

/** What a watch tells its caller. */
export type WatchEvent =
  /** The first sync is done and connections are kept, or something changed and the tree followed. */
  | { readonly kind: "synced"; readonly report: SyncReport; readonly isFirst: boolean }
  /** The config cannot be read at the moment, or the tree cannot be written: the last good state stands. */
  | { readonly kind: "failed"; readonly error: McpfsError };

export interface WatchOptions {
  readonly onEvent: (event: WatchEvent) => void;
  readonly signal: AbortSignal;
  /** Ask the file system at intervals, where no change events arrive (network and container volumes). */
  readonly usePolling?: boolean;
}

/** Feeds changes of servers into a watch; handed to the host as its `onToolsChanged`. */
export interface ChangeFeed {
  readonly push: (server: ServerName) => void;
  readonly connect: (listener: (server: ServerName) => void) => void;
}

/** Creates the feed. Changes that arrive before a watch listens are kept for it. */
export function createChangeFeed(): ChangeFeed {
  const early: ServerName[] = [];
  let listener: ((server: ServerName) => void) | undefined;
  return {
    push: (server) => (listener === undefined ? early.push(server) : listener(server)),
    connect: (next) => {
      listener = next;
      for (const server of early.splice(0)) next(server);
    },
  };
}

/** Changes that come within this time are one sync: a server that adds ten tools notifies ten times. */
const SETTLE_MS = 100;

/**
 * Keeps the tree true until `signal` aborts: syncs once, keeps the connections, and syncs what changed when a server
 * says so or the config is edited. One sync at a time; what changes meanwhile is the next one.
 */
export async function watchWorkspace(host: Host, feed: ChangeFeed, options: WatchOptions): Promise<void> {
  const { onEvent, signal } = options;
  const changed = new Set<ServerName>();
  let isConfigChanged = false;
  let wake = (): void => {};

  const sync = async (servers: readonly ServerName[] | undefined, isFirst: boolean): Promise<void> => {
    try {
      onEvent({ kind: "synced", report: await host.sync(servers === undefined ? {} : { servers }), isFirst });
    } catch (error) {
      onEvent({ kind: "failed", error: toMcpfsError(error) });
    }
  };

  await sync(undefined, true);
  feed.connect((server) => {
    changed.add(server);
    wake();
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
        await pause(SETTLE_MS, signal);
        continue;
      }
      const servers = [...changed];
      changed.clear();
      const isReload = isConfigChanged;
      isConfigChanged = false;
      if (isReload && !(await reload(host, onEvent))) continue;
      await sync(isReload ? undefined : servers, false);
    }
  } finally {
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
