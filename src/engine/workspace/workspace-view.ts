import { createLookup, type Lookup } from "../../catalog/lookup.ts";
import { visibleCatalog } from "../../catalog/visible.ts";
import type { ServerName } from "../../model/names.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import type { Catalog, RawTool, Tool } from "../../model/tool.ts";
import type { Searcher, SearcherParts } from "../search/searcher.ts";
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
  readonly search: Searcher["search"];
  readonly explain: Searcher["explain"];
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

/** What the view is made from; each function is asked when it is needed. */
export interface ViewParts extends Pick<SearcherParts, "settings" | "place"> {
  readonly root: string;
  readonly entries: () => readonly ServerEntry[];
  /** True for a tool that the workspace's agent is not to see: no search and no suggestion has it. */
  readonly isHidden: (tool: Tool) => boolean;
  /** Changes with the config. */
  readonly configDigest: () => string;
}

/** Creates the view; nothing is read yet. */
export function createWorkspaceView(parts: ViewParts): WorkspaceView {
  const { root, entries, isHidden } = parts;
  const viewOf = (catalog: Catalog): View => {
    const shown = visibleCatalog(catalog, isHidden);
    const visible = { catalog: shown, lookup: createLookup(shown) };
    return { catalog, lookup: createLookup(catalog, (tool) => !isHidden(tool)), visible };
  };
  let view: Promise<View> | undefined;
  let latest: View | undefined;
  let searcher: Promise<Searcher> | undefined;

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
  const openSearcher = async (): Promise<Searcher> => {
    searcher ??= (async () => {
      const { createSearcher } = await import("../search/searcher.ts");
      const { createIndexFile, indexStamp } = await import("../search/index-file.ts");
      const { visible } = await current();
      return createSearcher({
        ...parts,
        catalog: visible.catalog,
        file: createIndexFile(root),
        stamp: async (now) => await indexStamp(root, parts.configDigest(), now),
      });
    })();
    const opening = searcher;
    opening.catch(() => {
      if (searcher === opening) searcher = undefined;
    });
    return await opening;
  };
  return {
    current,
    lookupNow: () => {
      if (latest === undefined) throw new TypeError("the view was never read");
      return latest.lookup;
    },
    set: (catalog) => {
      const made = viewOf(catalog);
      latest = made;
      view = Promise.resolve(made);
      void searcher?.then((found) => found.update(made.visible.catalog));
    },
    refresh: async () => {
      view = undefined;
      searcher = undefined;
      if (latest !== undefined) await current();
    },
    search: async (request) => await (await openSearcher()).search(request),
    explain: async (query, tool) => await (await openSearcher()).explain(query, tool),
    searchServers: async (query) => {
      const { searchServers } = await import("../../search/search-servers.ts");
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
