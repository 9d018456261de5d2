import type { Host } from "../engine/host.ts";
import { stableOrder } from "../engine/search/tool-order.ts";
import { BUILTIN_SERVER } from "../model/names.ts";
import type { Tool } from "../model/tool.ts";
import type { ClientCaller } from "../policy/decision.ts";

/** The tools of the servers that are on, as policy lets each client have them. */
export interface ClientTools {
  /** In the order in which they were first offered. */
  readonly permitted: (caller: ClientCaller) => readonly Tool[];
  /** Wire names of those that policy keeps from the client. */
  readonly denied: (caller: ClientCaller) => ReadonlySet<string>;
  /** Tokens of a language model that the definitions of the permitted ones take. */
  readonly tokens: (caller: ClientCaller) => number;
}

/** Reads the catalog and the policy as they are now. */
export async function readClientTools(host: Host): Promise<ClientTools> {
  const { servers } = await host.catalog();
  const tools = servers
    .filter(({ name, isEnabled }) => isEnabled && name !== BUILTIN_SERVER)
    .flatMap((server) => server.tools);
  const byWire = new Map<string, Tool>(tools.map((tool) => [tool.wire, tool]));
  const order = await stableOrder(host.root, [...byWire.keys()]);
  const ordered = order.flatMap((wire) => byWire.get(wire) ?? []);
  const costs = await host.definitionTokens();
  const isDenied = (tool: Tool, caller: ClientCaller): boolean => host.permission(tool, caller) === "deny";
  const permitted = (caller: ClientCaller): readonly Tool[] =>
    ordered.filter((tool) => !isDenied(tool, caller));
  return {
    permitted,
    denied: (caller) =>
      new Set<string>(ordered.filter((tool) => isDenied(tool, caller)).map(({ wire }) => wire)),
    tokens: (caller) => permitted(caller).reduce((sum, { wire }) => sum + (costs.get(wire) ?? 0), 0),
  };
}
