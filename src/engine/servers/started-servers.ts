import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { McpfsError } from "../../kernel/errors.ts";
import type { Log } from "../../kernel/log.ts";
import { packageFile } from "../../kernel/paths.ts";
import type { Hub } from "../../mcp/hub.ts";
import { hubClosed } from "../../mcp/hub-errors.ts";
import type { CallProgress } from "../../model/call-progress.ts";
import type { CredentialStore } from "../../model/credentials.ts";
import type { ServerName } from "../../model/names.ts";
import type { AskPerson } from "../../model/question.ts";
import { connectionKey, type ServerEntry } from "../../model/server-entry.ts";
import type { TextModel } from "../../model/text-model.ts";
import { createOpenRequests } from "./open-requests.ts";

/** What the edge wants to hear of servers, and may answer for a person. */
export interface ServerObservers {
  /** The lists of a server (tools, resources, prompts) may differ. A host that is told keeps its connections. */
  readonly onToolsChanged?: (server: ServerName) => void;
  /** A connected server is gone, and nobody asked for that. */
  readonly onServerLost?: (server: ServerName, reason: McpfsError) => void;
  /** How far a call is. */
  readonly onProgress?: (progress: CallProgress) => void;
  /** Answers the questions of servers; absent where no person is there, and they are declined. */
  readonly askPerson?: AskPerson;
}

/** The way to the servers of a workspace. */
export type Links = Pick<Hub, "link" | "use">;

/** The connections of a host, made when the first server is needed. A server that is not trusted is never started. */
export interface StartedServers extends Links {
  /**
   * Takes the config as it is now. A server that changed or went finishes its open requests first, then its connection
   * closes; it takes no new ones.
   */
  readonly update: () => Promise<void>;
  /** True while a server's connection is open. */
  readonly isConnected: (server: ServerName) => Promise<boolean>;
  /** Closes a server's connection; the next request opens it again. */
  readonly release: (server: ServerName) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface StartedServersOptions extends ServerObservers {
  /** What a server listed or let read before is not to be believed any more; with a URI, what was read of that resource. */
  readonly onStale: (server: ServerName, uri?: string) => void;
  readonly root: string;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** The config's entries with the problem UNTRUSTED where that is so; may ask a person. */
  readonly judged: () => Promise<readonly ServerEntry[]>;
  /** What the user signed in to. */
  readonly credentials: () => Promise<CredentialStore>;
  /** Keep connections that nobody uses. */
  readonly keepsIdle: boolean;
  /** Lends the config's small model to a server that may ask it. */
  readonly lendModel: (server: ServerName) => Promise<TextModel | undefined>;
}

/** Creates the holder; nothing is loaded or started yet. */
export function createStartedServers(options: StartedServersOptions): StartedServers {
  let hub: Promise<Hub> | undefined;
  let isClosed = false;
  let entries: ReadonlyMap<ServerName, ServerEntry> = new Map();
  /** What the hub has: for servers that still finish something, their entry of before. */
  let given: ReadonlyMap<ServerName, ServerEntry> = new Map();
  const idleTimers = new Map<ServerName, NodeJS.Timeout>();

  const readEntries = async (): Promise<void> => {
    const judged = await options.judged();
    entries = new Map(judged.map((entry) => [entry.name, startable(entry, options.root)]));
  };

  const start = async (): Promise<Hub> => {
    const [{ createHub }, { createEraVerdicts }] = await Promise.all([
      import("../../mcp/hub.ts"),
      import("../../mcp/era-verdicts.ts"),
      readEntries(),
    ]);
    given = entries;
    // A server may be given it, and a fresh clone has none: Git keeps no empty folders. One that cannot be made is missed by that server.
    const filesFolder = join(options.root, "workspace");
    await mkdir(filesFolder, { recursive: true }).catch(() => {});
    const { root, version, env, log, onToolsChanged, onStale, onServerLost, onProgress, askPerson } = options;
    return createHub({
      entries: [...entries.values()],
      log,
      clientVersion: version,
      filesFolder,
      logLevel: (env.MCPFS_DEBUG ?? "") === "" ? "info" : "debug",
      credentials: await options.credentials(),
      eras: createEraVerdicts(join(root, ".mcpfs", "eras.json")),
      onToolsChanged,
      onStale,
      isWatched: options.keepsIdle,
      onLost: onServerLost,
      onProgress,
      askPerson,
      lendModel: options.lendModel,
    });
  };
  const opened = (): Promise<Hub> => {
    // Nobody would close what is opened now.
    if (isClosed) throw hubClosed();
    hub ??= start();
    // A store that cannot be read may be repaired while this host lives.
    hub.catch(() => {
      hub = undefined;
    });
    return hub;
  };

  const isFinishing = (server: ServerName): boolean => {
    const [before, now] = [given.get(server), entries.get(server)];
    if (before === undefined || before === now) return false;
    return now === undefined || connectionKey(before) !== connectionKey(now);
  };
  const giveEntries = async (to: Hub): Promise<void> => {
    const finishing = [...given.values()].filter(({ name }) => requests.isBusy(name) && isFinishing(name));
    given = new Map([...entries, ...finishing.map((entry) => [entry.name, entry] as const)]);
    await to.update([...given.values()]);
  };

  const requests = createOpenRequests((server) => {
    clearTimeout(idleTimers.get(server));
    if (isFinishing(server)) void hub?.then(giveEntries);
    const entry = entries.get(server);
    if (options.keepsIdle || entry === undefined) return;
    const closeIdle = async (): Promise<void> => {
      const open = await hub;
      // Looked at in the same turn in which it is closed: a call that begins in between would be cut off.
      if (!requests.isBusy(server)) await open?.disconnect(server);
    };
    idleTimers.set(server, setTimeout(() => void closeIdle().catch(() => {}), entry.idleMs).unref());
  });

  const update = async (): Promise<void> => {
    const open = await hub;
    if (open === undefined) return;
    await readEntries();
    await giveEntries(open);
  };

  /** The hub, once this server may be asked by the entry that it has now. */
  const readyFor = async (server: ServerName): Promise<Hub> => {
    const open = await opened();
    // Another command may have approved it since.
    if (entries.get(server)?.problem?.code === "UNTRUSTED") await update();
    if (isFinishing(server)) {
      await requests.quiet(server);
      await giveEntries(open);
    }
    return open;
  };

  return {
    link: async (server, signal) => await (await readyFor(server)).link(server, signal),
    use: async (server, work, signal) => {
      const open = await readyFor(server);
      return await requests.during(server, () => open.use(server, work, signal));
    },
    update,
    isConnected: async (server) => (await hub?.catch(() => undefined))?.isConnected(server) ?? false,
    release: async (server) => await (await hub)?.disconnect(server),
    close: async () => {
      isClosed = true;
      for (const timer of idleTimers.values()) clearTimeout(timer);
      await (await hub?.catch(() => undefined))?.close();
    },
  };
}

/** A demo server is this very program, started like any other server over stdio. */
function startable(entry: ServerEntry, root: string): ServerEntry {
  if (entry.transport.kind !== "builtin") return entry;
  const args = [packageFile("dist/cli.js"), "demo-server", entry.transport.name];
  return { ...entry, transport: { kind: "stdio", command: process.execPath, args, env: {}, cwd: root } };
}
