import type { Host } from "../engine/host.ts";
import { BUILTIN_SERVER } from "../model/names.ts";
import type { Catalog, Tool } from "../model/tool.ts";
import type { Permission } from "../policy/decision.ts";
import { permissionOf } from "../policy/permission.ts";

/** What a client may do with a tool, before anybody knows the arguments. */
export function clientPermission(host: Pick<Host, "config">, tool: Tool): Permission {
  return permissionOf(host.config().policy, tool, "serve");
}

/** The tools of the servers that are on, without our own. */
export function toolsOfServers({ servers }: Catalog): readonly Tool[] {
  return servers
    .filter(({ name, isEnabled }) => isEnabled && name !== BUILTIN_SERVER)
    .flatMap(({ tools }) => tools);
}
