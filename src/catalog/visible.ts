import type { Catalog, CatalogServer, Tool } from "../model/tool.ts";

/**
 * The part of a catalog that an agent gets to see: wrappers, indexes, search and suggestions are made from it. Tools that are hidden count
 * as retired, so that a script which imports one hears why at its call.
 */
export function visibleCatalog(catalog: Catalog, isHidden: (tool: Tool) => boolean): Catalog {
  return { servers: catalog.servers.map((server) => visibleServer(server, isHidden)) };
}

function visibleServer(server: CatalogServer, isHidden: (tool: Tool) => boolean): CatalogServer {
  const hidden = server.tools.filter(isHidden);
  const prompts = server.prompts.filter((prompt) => !isHidden(prompt));
  const { resources } = server;
  const areResourcesHidden = resources !== undefined && isHidden(resources.read);
  if (hidden.length === 0 && prompts.length === server.prompts.length && !areResourcesHidden) return server;
  return {
    ...server,
    tools: server.tools.filter((tool) => !isHidden(tool)),
    prompts,
    resources: areResourcesHidden ? undefined : resources,
    retired: [
      ...server.retired,
      ...hidden.map(({ key, wire, export: name }) => ({ key, wire, export: name })),
    ],
  };
}
