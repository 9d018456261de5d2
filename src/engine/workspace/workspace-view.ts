import { readHints, riskOf } from "../../catalog/hints.ts";
import { createLookup, type Lookup } from "../../catalog/lookup.ts";
import { visibleCatalog } from "../../catalog/visible.ts";
import type { RawToolName, ServerName } from "../../model/names.ts";
import type { SearchAnswer, SearchRequest } from "../../model/search.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import type { Catalog, RawTool } from "../../model/tool.ts";
import type { JudgedTool } from "../../policy/decision.ts";
import { type Caller, isClient } from "../../policy/decision.ts";
import type { Searcher, SearcherParts } from "../search/searcher.ts";
import { WHOLE_TREE } from "./client-tree.ts";
import { createClientViews, unknownTool } from "./client-view.ts";
import type { View } from "./view.ts";
import { readCatalog, readWorkspaceState } from "./workspace-state.ts";

/** The catalog of a workspace and what is made from it, read on first need and kept until it is forgotten. */
export interface WorkspaceView {
  /** As a caller gets it; default: the workspace's agent. */
  readonly current: (caller?: Caller) => Promise<View>;
  /** The lookup as it is now, without waiting: for a script that runs while the workspace changes. Call `current` once before. */
  readonly lookupNow: (caller: Caller) => Lookup;
  /** Takes what a sync has just written. */
  readonly set: (catalog: Catalog) => void;
  /** The config or the files may say something else. */
  readonly refresh: () => Promise<void>;
  /** Finds what the caller may see. */
  readonly search: (request: SearchRequest, caller: Caller) => Promise<SearchAnswer>;
  readonly explain: Searcher["explain"];
  /** Servers of the config, best match first, also those that are off; all of them, by name, for no words. */
  readonly searchServers: (query: string, caller: Caller) => Promise<readonly FoundServer[]>;
}

/** A server of the config, on or off. The shape of `servers search --json`; relied on by others. */
export interface FoundServer {
  readonly name: ServerName;
  readonly purpose: string;
  readonly enabled: boolean;
  /** Number of tools that the caller has of it, or would have if it were on; denied ones do not count. */
  readonly tools: number;
}

/** What the view is made from; each function is asked when it is needed. */
export interface ViewParts extends Pick<SearcherParts, "settings" | "place"> {
  readonly root: string;
  readonly entries: () => readonly ServerEntry[];
  /** True for a tool that the workspace's agent is not to see: no search and no suggestion has it. */
  readonly isHidden: (tool: JudgedTool) => boolean;
  /** The same for any caller. */
  readonly isHiddenFrom: (tool: JudgedTool, caller: Caller) => boolean;
  /** Changes with the config. */
  readonly configDigest: () => string;
}

/** Creates the view; nothing is read yet. */
export function createWorkspaceView(parts: ViewParts): WorkspaceView {
  const { root, entries, isHidden, isHiddenFrom } = parts;
  const viewOf = (catalog: Catalog): View => {
    const known = new Set(catalog.servers.filter((server) => server.isEnabled).map(({ name }) => name));
    const unsynced = entries()
      .filter(({ name, isEnabled }) => isEnabled && !known.has(name))
      .map(({ name }) => name);
    const shown = visibleCatalog(catalog, isHidden);
    const visible = { catalog: shown, lookup: createLookup(shown, { unsynced }) };
    const lookup = createLookup(catalog, { isSuggested: (tool) => !isHidden(tool), unsynced });
    return { catalog, lookup, unsynced, visible, tree: WHOLE_TREE };
  };
  const clientView = createClientViews(root, isHiddenFrom);
  const viewFor = (whole: View, caller: Caller): View =>
    isClient(caller) ? clientView(whole, caller) : whole;
  let view: Promise<View> | undefined;
  let latest: View | undefined;
  let searcher: Promise<Searcher> | undefined;

  const current = async (caller: Caller = "exec"): Promise<View> => {
    view ??= readCatalog(root, entries()).then(viewOf);
    const reading = view;
    // A read that failed is not kept: the file may be repaired.
    reading.catch(() => {
      if (view === reading) view = undefined;
    });
    const read = await reading;
    // What was set or forgotten meanwhile is newer.
    if (view === reading) latest = read;
    return viewFor(read, caller);
  };
  const openSearcher = async (): Promise<Searcher> => {
    searcher ??= (async () => {
      const { createSearcher } = await import("../search/searcher.ts");
      const { createIndexFile, indexStamp } = await import("../search/index-file.ts");
      const { catalog } = await current();
      return createSearcher({
        ...parts,
        catalog,
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
    lookupNow: (caller) => {
      if (latest === undefined) throw new TypeError("the view was never read");
      return viewFor(latest, caller).lookup;
    },
    set: (catalog) => {
      const made = viewOf(catalog);
      latest = made;
      view = Promise.resolve(made);
      void searcher?.then((found) => found.update(made.catalog));
    },
    refresh: async () => {
      view = undefined;
      searcher = undefined;
      if (latest !== undefined) await current();
    },
    search: async (request, caller) => {
      const { visible } = await current(caller);
      return await (await openSearcher()).search(request, visible.catalog);
    },
    explain: async (query, tool) => await (await openSearcher()).explain(query, tool),
    searchServers: async (query, caller) => {
      const { searchServers } = await import("../../search/search-servers.ts");
      const { definitions } = await readWorkspaceState(root);
      const isShown = (tool: JudgedTool): boolean => !isHiddenFrom(tool, caller);
      const whole = namesIn(await current());
      const seen = namesIn(await current(caller));
      // A server of which a client may see nothing is not there for it.
      const isThere = ({ name }: ServerEntry): boolean =>
        seen.has(name) || (!whole.has(name) && isShown(unknownTool(name, "")));
      const known = entries()
        .filter((entry) => !isClient(caller) || isThere(entry))
        .map((entry) => serverText(entry, definitions.get(entry.name) ?? [], isShown));
      return searchServers(known, query).map(({ tools, ...server }) => ({ ...server, tools: tools.length }));
    },
  };
}

function namesIn({ catalog }: View): ReadonlySet<ServerName> {
  return new Set(catalog.servers.map(({ name }) => name));
}

function serverText(
  { name, purpose, isEnabled, filter, areAnnotationsTrusted }: ServerEntry,
  definitions: readonly RawTool[],
  isShown: (tool: JudgedTool) => boolean,
): Omit<FoundServer, "tools"> & { readonly tools: readonly { name: string; description: string }[] } {
  const tools = definitions.flatMap((tool) => {
    const hints = readHints(tool, areAnnotationsTrusted);
    const judged = { server: name, raw: tool.name as RawToolName, hints, risk: riskOf(hints) };
    if (!filter.isAllowed(tool.name, "tool") || !isShown(judged)) return [];
    const { description } = tool;
    return [{ name: tool.name, description: typeof description === "string" ? description : "" }];
  });
  return { name, purpose, enabled: isEnabled, tools };
}
