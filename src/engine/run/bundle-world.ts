import type { BundleWorld } from "../../bundle/world.ts";
import type { Lookup } from "../../catalog/lookup.ts";
import type { Catalog } from "../../model/tool.ts";
import type { View } from "../workspace/view.ts";

/**
 * What the bundler needs to know of a workspace, from what of its catalog a caller gets to see.
 * @param options.isForClient the caller sees the workspace through `serve`: its scripts import what can be seen there
 */
export function bundleWorld(
  root: string,
  { catalog: whole, visible, tree }: View,
  options: { readonly maxBytes: number; readonly isForClient: boolean },
): BundleWorld {
  const { catalog, lookup } = visible;
  const flat = [...lookup.flatNames()].map(
    ([name, tool]) => [name, { file: tool.file, export: tool.export }] as const,
  );
  return {
    root,
    flatNames: new Map(flat),
    retired: new Map(catalog.servers.map((server) => [server.folder, server.retired] as const)),
    hidden: new Set(hiddenTools(whole, catalog)),
    closed: new Set(catalog.servers.filter(({ isEnabled }) => !isEnabled).map(({ folder }) => folder)),
    folders: catalog.servers.map((server) => server.folder),
    nearest: (folder, member) => nearestExports(lookup, folder, member),
    maxBytes: options.maxBytes,
    reader: options.isForClient ? "client" : "shell",
    ...(options.isForClient
      ? { fileAt: async (path) => (isShared(path) ? await tree.look(path) : { kind: "absent" }) }
      : {}),
  };
}

/** What a client can see of a workspace's modules; the rest of the folder is its owner's. */
function isShared(path: string): boolean {
  return path === "client.ts" || /^(?:servers|skills|workspace)\//.test(path);
}

/** Wire names of the tools that policy denies. */
function hiddenTools(whole: Catalog, visible: Catalog): readonly string[] {
  const shown = new Set(visible.servers.flatMap((server) => server.tools.map(({ wire }) => wire)));
  return whole.servers
    .flatMap((server) => server.tools.map(({ wire }) => wire))
    .filter((wire) => !shown.has(wire));
}

/** The nearest names of all servers are wire names: only those of this folder can be members of it. */
function nearestExports(lookup: Lookup, folder: string, member: string): readonly string[] {
  return lookup
    .nearest(`${folder}__${member}`, CANDIDATES)
    .flatMap((wire) => lookup.byWire(wire) ?? [])
    .filter((tool) => tool.folder === folder)
    .map((tool) => tool.export)
    .slice(0, SUGGESTIONS);
}

const CANDIDATES = 10;
const SUGGESTIONS = 3;
