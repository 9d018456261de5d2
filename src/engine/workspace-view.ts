import { createLookup, type Lookup } from "../catalog/lookup.ts";
import type { KeywordSearch, SearchHit } from "../catalog/search.ts";
import { visibleCatalog } from "../catalog/visible.ts";
import type { ServerName } from "../model/names.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import type { Catalog, RawTool, Tool } from "../model/tool.ts";
import { readCatalog, readWorkspaceState } from "./workspace-state.ts";

/** The catalog of a workspace and what is made from it, read on first need and kept until it is forgotten. */
export interface WorkspaceView {
  readonly current: () => Promise<View>;
  /** The lookup as it is now, without waiting: for a script that runs while the workspace changes. Call `current` once before. */
  readonly lookupNow: () => Lookup;
  /** Takes what a sync has just written. */
  readonly set: (catalog: Catalog) => void;
  /** The config or the files may say something else. */
  readonly refresh: () => Promise<void>;
  readonly search: (query: string, limit: number) => Promise<readonly SearchHit[]>;
  /** Servers of the config, best match first, also those that are off; all of them, by name, for no words. */
  readonly searchServers: (query: string) => Promise<readonly FoundServer[]>;
}

export interface View {
  readonly catalog: Catalog;
  readonly lookup: Lookup;
  /** The same without the tools that policy denies to the workspace's agent. */
  readonly visible: Pick<View, "catalog" | "lookup">;
}

/** A server of the config, on or off. The shape of `servers search --json`; relied on by others. */
export interface FoundServer {
  readonly name: ServerName;
  readonly purpose: string;
  readonly enabled: boolean;
  /** Number of tools that the workspace has of it, or would have if it were on. */
  readonly tools: number;
}

/**
 * Creates the view; nothing is read yet.
 * @param isHidden true for a tool that the workspace's agent is not to see: no search and no suggestion has it
 */
export function createWorkspaceView(
  root: string,
  entries: () => readonly ServerEntry[],
  isHidden: (tool: Tool) => boolean,
): WorkspaceView {
  const viewOf = (catalog: Catalog): View => {
    const shown = visibleCatalog(catalog, isHidden);
    const visible = { catalog: shown, lookup: createLookup(shown) };
    return { catalog, lookup: createLookup(catalog, (tool) => !isHidden(tool)), visible };
  };
  let view: Promise<View> | undefined;
  let latest: View | undefined;
  let keywords: Promise<KeywordSearch> | undefined;

  const current = async (): Promise<View> => {
    view ??= readCatalog(root, entries()).then(viewOf);
    const reading = view;
    // A read that failed is not kept: the file may be repaired.
    reading.catch(() => {
      if (view === reading) view = undefined;
    });
    const read = await reading;
    // What was set or forgotten meanwhile is newer.
    if (view === reading) latest = read;
    return read;
  };
  return {
    current,
    lookupNow: () => {
      if (latest === undefined) throw new TypeError("the view was never read");
      return latest.lookup;
    },
    set: (catalog) => {
      latest = viewOf(catalog);
      view = Promise.resolve(latest);
      keywords = undefined;
    },
    refresh: async () => {
      view = undefined;
      keywords = undefined;
      if (latest !== undefined) await current();
    },
    search: async (query, limit) => {
      const { createKeywordSearch } = await import("../catalog/search.ts");
      keywords ??= current().then(({ visible }) => createKeywordSearch(visible.catalog));
      return (await keywords).search(query, limit);
    },
    searchServers: async (query) => {
      const { searchServers } = await import("../catalog/search.ts");
      const { definitions } = await readWorkspaceState(root);
      const known = entries().map((entry) => serverText(entry, definitions.get(entry.name) ?? []));
      return searchServers(known, query).map(({ tools, ...server }) => ({ ...server, tools: tools.length }));
    },
  };
}

function serverText(
  { name, purpose, isEnabled, filter }: ServerEntry,
  definitions: readonly RawTool[],
): Omit<FoundServer, "tools"> & { readonly tools: readonly { name: string; description: string }[] } {
  const tools = definitions
    .filter((tool) => filter.isAllowed(tool.name, "tool"))
    .map(({ name, description }) => ({
      name,
      description: typeof description === "string" ? description : "",
    }));
  return { name, purpose, enabled: isEnabled, tools };
}
