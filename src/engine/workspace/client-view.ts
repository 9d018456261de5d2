import { callablesOf } from "../../catalog/callables.ts";
import { createLookup } from "../../catalog/lookup.ts";
import type { RawToolName, ServerName } from "../../model/names.ts";
import type { CatalogServer } from "../../model/tool.ts";
import type { ClientCaller, JudgedTool } from "../../policy/decision.ts";
import { createClientTree, WHOLE_TREE } from "./client-tree.ts";
import type { View } from "./view.ts";

/** True for a tool that a client is not to see. */
export type HidesFrom = (tool: JudgedTool, caller: ClientCaller) => boolean;

/** A client that was not there for so many others is asked about anew. */
const MAX_CLIENTS = 10_000;

/**
 * Creates what gives a workspace's view as a client of `serve` gets it. A tool that policy denies to the client is not there at all: it
 * is named in no list, and whoever guesses its name hears what is said of a name that no tool has. Clients to whom the same is denied
 * share one view.
 */
export function createClientViews(
  root: string,
  hides: HidesFrom,
): (whole: View, caller: ClientCaller) => View {
  const known = new WeakMap<View, { byCaller: Map<string, View>; byHidden: Map<string, View> }>();
  return (whole, caller) => {
    const views = known.get(whole) ?? { byCaller: new Map(), byHidden: new Map() };
    known.set(whole, views);
    const before = views.byCaller.get(caller);
    if (before !== undefined) return before;
    const isHidden = (tool: JudgedTool): boolean => hides(tool, caller);
    const hidden = callablesOf(whole.catalog).filter(isHidden);
    const key = JSON.stringify([hidden.map(({ wire }) => wire), unsyncedFor(whole, isHidden)]);
    const view = views.byHidden.get(key) ?? viewWithout(root, whole, isHidden);
    views.byHidden.set(key, view);
    if (views.byCaller.size >= MAX_CLIENTS) views.byCaller.clear();
    views.byCaller.set(caller, view);
    return view;
  };
}

function viewWithout(root: string, view: View, isHidden: (tool: JudgedTool) => boolean): View {
  const whole = view.catalog;
  const onDisk = view.visible.catalog;
  const hidden = callablesOf(whole).filter(isHidden);
  const isWhole = hidden.length === 0 && onDisk.servers.every((server, at) => server === whole.servers[at]);
  const seen = { servers: whole.servers.flatMap((server) => serverWithout(server, isHidden)) };
  const unsynced = unsyncedFor(view, isHidden);
  const visible = { catalog: seen, lookup: createLookup(seen, { unsynced }) };
  const tree = isWhole ? WHOLE_TREE : createClientTree(root, { whole, onDisk, seen, hidden });
  return { ...visible, unsynced, visible, tree };
}

function unsyncedFor(view: View, isHidden: (tool: JudgedTool) => boolean): View["unsynced"] {
  return view.unsynced.filter((server) => !isHidden(unknownTool(server, "")));
}

/** A server of which nothing is left is not there either. */
function serverWithout(
  server: CatalogServer,
  isHidden: (tool: JudgedTool) => boolean,
): readonly CatalogServer[] {
  const { name, resources } = server;
  const tools = server.tools.filter((tool) => !isHidden(tool));
  const prompts = server.prompts.filter((prompt) => !isHidden(prompt));
  const areResourcesHidden = resources !== undefined && isHidden(resources.read);
  // Of a tool that is gone its name is known, and no hint.
  const retired = server.retired.filter(({ key }) => !isHidden(unknownTool(name, key)));
  const all = callablesOf({ servers: [server] }).length + server.retired.length;
  const left = tools.length + prompts.length + retired.length;
  const hasResources = resources !== undefined && !areResourcesHidden;
  const isNothing = all === 0 ? isHidden(unknownTool(name, "")) : left === 0 && !hasResources;
  if (isNothing) return [];
  const isWhole = tools.length === server.tools.length && prompts.length === server.prompts.length;
  if (isWhole && !areResourcesHidden && retired.length === server.retired.length) return [server];
  return [{ ...server, tools, prompts, retired, resources: areResourcesHidden ? undefined : resources }];
}

/** A tool of which no more is known than its name: rules on its server and name count. */
export function unknownTool(server: ServerName, name: string): JudgedTool {
  return { server, raw: name as RawToolName, hints: {}, risk: "unstated" };
}
