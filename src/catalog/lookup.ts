import { type Hint, joinHints, McpfsError } from "../kernel/errors.ts";
import { findOtherTools, findTools, syncServer } from "../kernel/next-steps.ts";
import { count, hasHiddenText, oneLine } from "../kernel/text.ts";
import type { FolderName, ServerName } from "../model/names.ts";
import type { Catalog, CatalogResources, RetiredTool, Tool } from "../model/tool.ts";
import { identifierPart } from "./identifiers.ts";
import { wireStart } from "./naming.ts";
import { createNearest } from "./nearest.ts";

/** A tool that only the lock still knows: removed, denied by the config, or of a server that is off. */
export interface UnavailableTool extends RetiredTool {
  readonly isRetired: true;
  readonly server: ServerName;
  readonly folder: FolderName;
  /** False when its whole server is off or no longer configured. */
  readonly isServerEnabled: boolean;
}

/** Finds tools by the names that people, scripts and commands use. */
export interface Lookup {
  /**
   * The tool with this name: raw (`server/tool`), wire, flat (`server_export`), as listed (`server/export`), the path of its wrapper, or
   * export; tried in this order and exact only.
   * @throws McpfsError TOOL_UNKNOWN (also when the name means several tools, or its server was never synced), TOOL_UNAVAILABLE;
   * `data.nearest` holds wire names
   */
  readonly find: (name: string) => Tool;
  /** What the door needs: the tool with this wire name, or what the lock remembers of it. */
  readonly byWire: (wire: string) => Tool | UnavailableTool | undefined;
  /** Flat names that mean one tool only. */
  readonly flatNames: () => ReadonlyMap<string, Tool>;
  /** Wire names of the tools that are most like `name`, best first; empty when none is. */
  readonly nearest: (name: string, limit: number) => readonly string[];
  /** False for a resource that the config denies, and for one of a server that has none. */
  readonly isReadable: (server: ServerName, uri: string) => boolean;
  /** True for a resource that the workspace has by this very URI: its name is known and allowed. */
  readonly isListed: (server: ServerName, uri: string) => boolean;
}

/** What a lookup knows besides the catalog. */
export interface LookupOptions {
  /** False for a tool that no error may name to a script or a model. */
  readonly isSuggested?: (tool: Tool) => boolean;
  /** Servers that are on, and of whose tools nothing is known before a sync. */
  readonly unsynced?: readonly ServerName[];
}

/** Creates the lookup of one catalog; its indexes are built once, at the first need of each. */
export function createLookup(
  catalog: Catalog,
  { isSuggested = () => true, unsynced = [] }: LookupOptions = {},
): Lookup {
  const known = catalog.servers.flatMap((server): readonly Known[] => [
    ...server.tools,
    ...server.retired.map((tool) => ({
      ...tool,
      isRetired: true as const,
      server: server.name,
      folder: server.folder,
      isServerEnabled: server.isEnabled,
    })),
  ]);
  const tools = known.filter(isTool);
  // Prompts and resources are called by their wire names only: a script does that through their wrappers.
  const offers = catalog.servers.flatMap(({ resources, prompts }) => [
    ...prompts,
    ...(resources === undefined ? [] : [resources.read, resources.list]),
  ]);
  const byRaw = lazily(() => groupBy(known, (tool) => `${tool.server}/${tool.key}`));
  const byWire = lazily(() => groupBy([...known, ...offers], (tool) => tool.wire));
  const byFlat = lazily(() => groupBy(known, (tool) => flatName(tool.folder, tool.export)));
  const byListed = lazily(() => groupBy(known, (tool) => `${tool.server}/${tool.export}`));
  const byFile = lazily(() => groupBy(known, (tool) => `servers/${tool.folder}/${tool.export}.ts`));
  // A shorthand: a tool that is gone must not make it ambiguous.
  const byExport = lazily(() => groupBy(tools, (tool) => tool.export));
  const byRetiredExport = lazily(() => groupBy(known, (tool) => tool.export));
  const resourcesOf = (server: ServerName): CatalogResources | undefined =>
    catalog.servers.find(({ name }) => name === server)?.resources;
  const nearestIndex = lazily(() => createNearest(tools.filter(isSuggested)));
  const nearest = (name: string, limit: number): readonly string[] => nearestIndex()(name, limit);
  const nearestOf = new Map<ServerName, ReturnType<typeof createNearest>>();
  /** Of a name that begins with a server's, only that server's tools are near: the same tool of another does something else. */
  const nearestOn = (server: ServerName, name: string): readonly string[] => {
    const isNear = (tool: Tool): boolean => tool.server === server && isSuggested(tool);
    const index = nearestOf.get(server) ?? createNearest(tools.filter(isNear));
    nearestOf.set(server, index);
    return index(name, SUGGESTIONS);
  };
  const serverNames = lazily(() => [...new Set([...unsynced, ...catalog.servers.map(({ name }) => name)])]);

  return {
    find: (name) => {
      for (const index of [byRaw, byWire, byFlat, byListed, byFile, byExport, byRetiredExport]) {
        const [found, ...others] = index().get(name) ?? [];
        if (found === undefined) continue;
        if (others.length > 0) throw ambiguous(name, [found, ...others]);
        if (isTool(found)) return found;
        if (unsynced.includes(found.server)) throw notSynced(name, found.server);
        throw unavailable(found, nearest(found.wire, SUGGESTIONS));
      }
      const server = serverOf(name, serverNames());
      if (server === undefined) throw unknown(name, nearest(name, SUGGESTIONS));
      throw unsynced.includes(server) ? notSynced(name, server) : unknown(name, nearestOn(server, name));
    },
    byWire: (wire) => byWire().get(wire)?.[0],
    flatNames: lazily(() => {
      const names = new Map<string, Tool>();
      for (const [name, [found, ...others]] of byFlat())
        if (found !== undefined && others.length === 0 && isTool(found)) names.set(name, found);
      return names;
    }),
    nearest,
    isReadable: (server, uri) => resourcesOf(server)?.isReadable(uri) ?? false,
    isListed: (server, uri) => resourcesOf(server)?.listed.some((resource) => resource.uri === uri) ?? false,
  };
}

/** `server_export`, an identifier: how a script names a tool without an import. */
function flatName(folder: string, name: string): string {
  return `${identifierPart(folder)}_${name}`;
}

type Known = Tool | UnavailableTool;

/** How many near names an error suggests. */
const SUGGESTIONS = 3;

/** The server whose tool a raw or wire name would be: of `a` and `a/b` the longer one. */
function serverOf(name: string, servers: readonly ServerName[]): ServerName | undefined {
  return servers
    .filter((server) => name.startsWith(`${server}/`) || name.startsWith(wireStart(server)))
    .toSorted((a, b) => b.length - a.length)[0];
}

function isTool(known: Known): known is Tool {
  return !("isRetired" in known);
}

function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function unknown(name: string, nearest: readonly string[]): McpfsError {
  return new McpfsError("TOOL_UNKNOWN", `No tool is called "${oneLine(name)}".`, {
    hint: suggestion(nearest),
    data: { name, nearest },
  });
}

function notSynced(name: string, server: ServerName): McpfsError {
  return new McpfsError(
    "TOOL_UNKNOWN",
    `The tools of ${oneLine(server)} are not known: it is not synced yet.`,
    {
      hint: syncServer(oneLine(server)),
      data: { name, server, nearest: [] },
    },
  );
}

function ambiguous(name: string, found: readonly Known[]): McpfsError {
  const candidates = found.map(pasteable);
  return new McpfsError("TOOL_UNKNOWN", `"${oneLine(name)}" is the name of ${count(found.length, "tool")}.`, {
    hint: `Say which one: ${orList(candidates.slice(0, MAX_CANDIDATES))}.`,
    data: { name, candidates, nearest: found.map((tool) => tool.wire) },
  });
}

/** More candidates than a line should hold are in the error's data. */
const MAX_CANDIDATES = 10;

/** The raw form, unless what a person would copy from the screen would not be the name. */
function pasteable(tool: Known): string {
  const name = `${tool.server}/${tool.key}`;
  return hasHiddenText(name) || /\s/.test(name) ? tool.wire : name;
}

function unavailable(tool: UnavailableTool, nearest: readonly string[]): McpfsError {
  const why = tool.isServerEnabled
    ? `its server no longer lists it, or "tools" in mcpfs.json denies it`
    : `its server is disabled or gone from mcpfs.json`;
  return new McpfsError("TOOL_UNAVAILABLE", `The tool ${tool.wire} is not available: ${why}.`, {
    hint: suggestion(nearest),
    data: { name: tool.wire, server: tool.server, tool: tool.key, nearest },
  });
}

function suggestion(nearest: readonly string[]): Hint {
  return nearest.length === 0 ? findTools() : joinHints(`Nearest: ${orList(nearest)}.`, findOtherTools());
}

function orList(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
