import type { Catalog, Tool } from "../model/tool.ts";

/** All of a catalog that can be called: prompts and resources are called like tools. */
export function callablesOf({ servers }: Catalog): readonly Tool[] {
  return servers.flatMap(({ tools, prompts, resources }) => [
    ...tools,
    ...prompts,
    ...(resources === undefined ? [] : [resources.read, resources.list]),
  ]);
}
