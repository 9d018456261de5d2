import { BUILTIN_TOOLS } from "../builtin/builtin-tools.ts";
import { buildCatalog } from "../catalog/build.ts";
import type { Lock } from "../model/lock.ts";
import { BUILTIN_SERVER, type FolderName, type ServerName } from "../model/names.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import type { Catalog, RawTool } from "../model/tool.ts";
import { readDefinitions, type StoredDefinitions } from "../tree/definitions-file.ts";
import { readLock } from "../tree/lock-file.ts";

/** What a workspace's committed files say: names, accepted definitions, and the catalog made from them. */
export interface WorkspaceState {
  readonly lock: Lock;
  readonly stored: ReadonlyMap<ServerName, StoredDefinitions>;
  readonly catalog: Catalog;
}

/** The parts of a server's entry that shape its part of the catalog. */
type CatalogEntry = Pick<ServerEntry, "name" | "isEnabled" | "purpose" | "filter">;

/** The built-in server as a catalog entry: always there, nothing filtered. */
const BUILTIN_ENTRY: CatalogEntry = {
  name: BUILTIN_SERVER,
  isEnabled: true,
  purpose: "Built in: files below ./workspace/, sleep, search, log.",
  filter: { isAllowed: () => true, rename: (name) => name },
};

/**
 * Reads lock and definitions and builds the catalog, without any connection.
 * @throws McpfsError CONFIG_INVALID when a file of ours cannot be understood: nothing is trusted anew by accident
 */
export async function readWorkspaceState(
  root: string,
  entries: readonly ServerEntry[],
): Promise<WorkspaceState> {
  const lock = await readLock(root);
  const stored = new Map<ServerName, StoredDefinitions>();
  await Promise.all(
    [...lock.servers].map(async ([name, server]) => {
      const definitions = await readDefinitions(root, server.folder);
      if (definitions !== undefined) stored.set(name, definitions);
    }),
  );
  const tools = new Map([...stored].map(([name, definitions]) => [name, definitions.tools] as const));
  return { lock, stored, catalog: catalogOf(lock, entries, tools) };
}

/** The catalog of the configured servers and the built-in one, under the names of `lock`. */
export function catalogOf(
  lock: Lock,
  entries: readonly ServerEntry[],
  tools: ReadonlyMap<ServerName, readonly RawTool[]>,
): Catalog {
  const known = entries.filter((entry) => lock.servers.has(entry.name));
  const servers = known.map((entry) => ({ entry, tools: tools.get(entry.name) ?? [] }));
  const builtin = lock.servers.has(BUILTIN_SERVER) ? [{ entry: BUILTIN_ENTRY, tools: BUILTIN_TOOLS }] : [];
  return buildCatalog([...servers, ...builtin], lock);
}

/** A server's folder in the lock, if it has one. */
export function folderOf(lock: Lock, server: ServerName): FolderName | undefined {
  return lock.servers.get(server)?.folder;
}
