import { BUILTIN_TOOLS } from "../../builtin/builtin-tools.ts";
import { buildCatalog, type ServerDefinitions } from "../../catalog/build.ts";
import type { Learned } from "../../learning/learned.ts";
import type { Lock, LockedTool } from "../../model/lock.ts";
import { BUILTIN_SERVER, type ListingKey, type ServerName } from "../../model/names.ts";
import { NO_OFFERS, type Offers } from "../../model/offers.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import type { Catalog, RawTool } from "../../model/tool.ts";
import { type ReadDefinitions, readDefinitions } from "../../tree/definitions-file.ts";
import { readLearned } from "../../tree/learned-file.ts";
import { readLock } from "../../tree/lock-file.ts";

/** What a workspace's committed files say. */
export interface WorkspaceState {
  readonly lock: Lock;
  /** The accepted definitions of each server that was ever synced. */
  readonly definitions: ReadonlyMap<ServerName, readonly RawTool[]>;
  /** What each of them has besides tools. */
  readonly offers: ReadonlyMap<ServerName, Offers>;
  /** What stands in each folder's file of definitions. */
  readonly stored: ReadonlyMap<string, ReadDefinitions>;
  /** Shapes of answers seen so far. */
  readonly learned: Learned;
}

/**
 * Reads lock, definitions and learned shapes, without any connection.
 * @throws McpfsError CONFIG_INVALID when a file of ours cannot be understood: nothing is trusted anew by accident
 */
export async function readWorkspaceState(root: string): Promise<WorkspaceState> {
  const lock = await readLock(root);
  const definitions = new Map<ServerName, readonly RawTool[]>();
  const offers = new Map<ServerName, Offers>();
  const read = new Map<string, ReadDefinitions>();
  await Promise.all(
    [...lock.servers].map(async ([name, { folder }]) => {
      const stored = await readDefinitions(root, folder);
      if (stored === undefined) return;
      read.set(folder, stored);
      definitions.set(name, stored.tools);
      offers.set(name, stored.offers ?? NO_OFFERS);
    }),
  );
  return { lock, definitions, offers, stored: read, learned: await readLearned(root) };
}

/** The catalog of a workspace as its files say, without any connection. @throws McpfsError CONFIG_INVALID */
export async function readCatalog(root: string, entries: readonly ServerEntry[]): Promise<Catalog> {
  const state = await readWorkspaceState(root);
  return buildCatalog(serverDefinitions(entries, state), state.lock, state.learned);
}

/** The built-in server as an entry: always there, nothing filtered. */
const BUILTIN_ENTRY: ServerDefinitions["entry"] = {
  name: BUILTIN_SERVER,
  isEnabled: true,
  purpose: "Built in: files below ./workspace/, sleep, search, extract.",
  filter: { isAllowed: () => true, rename: (name) => name },
  areAnnotationsTrusted: true,
  outputs: { schemaOf: () => undefined, learning: () => ({ isOn: false, enums: new Set() }) },
};

/** The configured servers that have definitions, and the built-in one. A server that was never synced has none. */
export function serverDefinitions(
  entries: readonly ServerEntry[],
  { lock, definitions, offers }: Pick<WorkspaceState, "lock" | "definitions" | "offers">,
): readonly ServerDefinitions[] {
  const configured = entries.flatMap((entry) => {
    const tools = entry.name === BUILTIN_SERVER ? undefined : definitions.get(entry.name);
    if (tools === undefined) return [];
    return [{ entry: withKnownNames(entry, lock), tools, offers: offers.get(entry.name) }];
  });
  return [...configured, { entry: BUILTIN_ENTRY, tools: BUILTIN_TOOLS }];
}

/** Where the config's own renames cannot be known, names stay as they are. */
function withKnownNames(entry: ServerEntry, lock: Lock): ServerEntry {
  if (entry.filter.keepsNames !== true) return entry;
  const locked = lock.servers.get(entry.name)?.tools ?? new Map<ListingKey, LockedTool>();
  const rename = (raw: string): string => locked.get(raw as ListingKey)?.renamed ?? raw;
  return { ...entry, filter: { ...entry.filter, rename } };
}
