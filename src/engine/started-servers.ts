import type { Log } from "../kernel/log.ts";
import { packageFile } from "../kernel/paths.ts";
import type { Hub } from "../mcp/hub.ts";
import type { ServerName } from "../model/names.ts";
import type { ServerEntry } from "../model/server-entry.ts";

/** The hub of a host, made when the first server is needed. */
export interface StartedServers {
  readonly hub: () => Promise<Hub>;
  readonly update: (entries: readonly ServerEntry[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Creates the holder; nothing is loaded or started yet. */
export function createStartedServers(
  options: {
    readonly root: string;
    readonly version: string;
    readonly log: Log;
    readonly onToolsChanged?: (server: ServerName) => void;
  },
  entries: () => readonly ServerEntry[],
): StartedServers {
  let hub: Promise<Hub> | undefined;
  const start = async (): Promise<Hub> => {
    const { createHub } = await import("../mcp/hub.ts");
    return createHub({
      entries: entries().map((entry) => startable(entry, options.root)),
      log: options.log,
      clientVersion: options.version,
      ...(options.onToolsChanged === undefined ? {} : { onToolsChanged: options.onToolsChanged }),
    });
  };
  return {
    hub: async () => {
      hub ??= start();
      return await hub;
    },
    update: async (next) => await (await hub)?.update(next.map((entry) => startable(entry, options.root))),
    close: async () => await (await hub)?.close(),
  };
}

/** A demo server is this very program, started like any other server over stdio. */
function startable(entry: ServerEntry, root: string): ServerEntry {
  if (entry.transport.kind !== "builtin") return entry;
  const args = [packageFile("dist/cli.js"), "demo-server", entry.transport.name];
  return { ...entry, transport: { kind: "stdio", command: process.execPath, args, env: {}, cwd: root } };
}
