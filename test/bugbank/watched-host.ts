import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Host } from "../../src/engine/host.ts";
import { openHost } from "../../src/engine/open-host.ts";
import { createChangeFeed, type WatchEvent, watchWorkspace } from "../../src/engine/watch/watch.ts";
import { createRedactor, silentLog } from "../../src/kernel/log.ts";
import { until } from "../servers/servers.ts";

/** A host that watches its workspace and trusts what the config says. Goes with `await using`. */
export interface WatchedHost extends AsyncDisposable {
  readonly host: Host;
  readonly events: readonly WatchEvent[];
}

/** Writes the config of a workspace. */
export function writeServers(folder: string, mcpServers: object): void {
  writeFileSync(join(folder, "mcpfs.json"), JSON.stringify({ policy: "open", mcpServers }));
}

/** Opens a host in `folder` and waits until its first sync is done. */
export async function watchedHost(folder: string): Promise<WatchedHost> {
  const feed = createChangeFeed();
  const host = await openHost({
    root: folder,
    env: { ...process.env, MCPFS_HOME: join(folder, "home") },
    platform: process.platform,
    homeDir: homedir(),
    version: "0",
    log: silentLog,
    redactor: createRedactor(),
    askTrust: async () => true,
    onToolsChanged: feed.push,
    onServerLost: feed.lost,
  });
  const stop = new AbortController();
  const events: WatchEvent[] = [];
  const watching = watchWorkspace(host, feed, {
    onEvent: (event) => events.push(event),
    signal: stop.signal,
  });
  await until("the first sync", () => events.some(({ kind }) => kind === "synced"), 20_000);
  return {
    host,
    events,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await watching;
      await host.close();
    },
  };
}
