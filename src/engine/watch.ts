import { watchConfig } from "../config/watch-config.ts";
import { type McpfsError, toMcpfsError } from "../kernel/errors.ts";
import { pause } from "../kernel/wait.ts";
import type { ServerName } from "../model/names.ts";
import { connectionKey, type ServerEntry } from "../model/server-entry.ts";
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
/** A server that does not stop to notify is followed less and less often, at least so often. */
const LAST_SETTLE_MS = 2_000;

/** How often a watch looks whether a server that was refused has been trusted since, by a command beside it. */
const TRUST_GLANCE_MS = 1_000;

/**
 * Keeps the tree true until `signal` aborts: syncs once, keeps the connections, and syncs what changed when a server
 * says so or the config is edited. One sync at a time; what changes meanwhile is the next one. A server with
 * `"connect": "lazy"` is not started here.
 */
export async function watchWorkspace(host: Host, feed: ChangeFeed, options: WatchOptions): Promise<void> {
  const { onEvent, signal } = options;
  const changed = new Set<ServerName>();
  const refused = new Set<ServerName>();
  let isConfigChanged = false;
  let settleMs = SETTLE_MS;
  let wake = (): void => {};

  const sync = async (servers: readonly ServerName[], isFirst: boolean): Promise<void> => {
    try {
      const report = await host.sync({ servers, isNarrow: !isFirst });
      onEvent({ kind: "synced", report, isFirst });
      for (const { name, error } of report.servers) {
        if (error?.code === "UNTRUSTED") refused.add(name);
        else refused.delete(name);
      }
    } catch (error) {
      onEvent({ kind: "failed", error: toMcpfsError(error) });
    }
  };

  await sync(host.config().servers.filter(isWatched).map(nameOf), true);
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
  const trustGlance = setInterval(async () => {
    if (refused.size === 0) return;
    const servers = await host.trusted().catch(() => []);
    for (const { name, isTrusted } of servers) if (isTrusted && refused.delete(name)) changed.add(name);
    if (changed.size > 0) wake();
  }, TRUST_GLANCE_MS);
  try {
    while (!signal.aborted) {
      const isQuiet = changed.size === 0 && !isConfigChanged;
      if (isQuiet) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (signal.aborted || changed.size > 0 || isConfigChanged) resolve();
        });
      }
      settleMs = isQuiet ? SETTLE_MS : Math.min(settleMs * 2, LAST_SETTLE_MS);
      await pause(settleMs, signal);
      if (signal.aborted) break;
      const isReload = isConfigChanged;
      isConfigChanged = false;
      const edited = isReload ? await reload(host, onEvent) : undefined;
      for (const server of edited ?? []) changed.add(server);
      const servers = [...changed];
      changed.clear();
      // After an edit also where no server has to be asked: one may have gone, or a filter may be another.
      if (edited !== undefined || servers.length > 0) await sync(servers, false);
    }
  } finally {
    clearInterval(trustGlance);
    await watcher.close();
  }
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
