import { join } from "node:path";
import type { McpfsError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { packageFile } from "../kernel/paths.ts";
import type { Hub } from "../mcp/hub.ts";
import type { CallProgress } from "../model/call-progress.ts";
import type { ServerName } from "../model/names.ts";
import type { AskPerson } from "../model/question.ts";
import type { ServerEntry } from "../model/server-entry.ts";

/** What the edge wants to hear of servers, and may answer for a person. */
export interface ServerObservers {
  /** A server says that its lists changed, or they may have. */
  readonly onToolsChanged?: (server: ServerName) => void;
  /** A connected server is gone, and nobody asked for that. */
  readonly onServerLost?: (server: ServerName, reason: McpfsError) => void;
  /** How far a call is. */
  readonly onProgress?: (progress: CallProgress) => void;
  /** Answers the questions of servers; absent where no person is there, and they are declined. */
  readonly askPerson?: AskPerson;
}

/** The hub of a host, made when the first server is needed. */
export interface StartedServers {
  readonly hub: () => Promise<Hub>;
  readonly update: (entries: readonly ServerEntry[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Creates the holder; nothing is loaded or started yet. */
export function createStartedServers(
  options: ServerObservers & {
    readonly root: string;
    readonly version: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly log: Log;
  },
  entries: () => readonly ServerEntry[],
): StartedServers {
  let hub: Promise<Hub> | undefined;
  const start = async (): Promise<Hub> => {
    const [{ createHub }, { createEraVerdicts }] = await Promise.all([
      import("../mcp/hub.ts"),
      import("../mcp/era-verdicts.ts"),
    ]);
    const { root, version, env, log, onToolsChanged, onServerLost, onProgress, askPerson } = options;
    return createHub({
      entries: entries().map((entry) => startable(entry, root)),
      log,
      clientVersion: version,
      filesFolder: join(root, "workspace"),
      logLevel: (env.MCPFS_DEBUG ?? "") === "" ? "info" : "debug",
      eras: createEraVerdicts(join(root, ".mcpfs", "eras.json")),
      onToolsChanged,
      onLost: onServerLost,
      onProgress,
      askPerson,
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
