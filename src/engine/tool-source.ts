import type { ToolCaller, ToolSource } from "../broker/ports.ts";
import type { Lookup } from "../catalog/lookup.ts";
import { normalizeTools } from "../catalog/normalize.ts";
import { digestJson } from "../kernel/digest.ts";
import { McpfsError } from "../kernel/errors.ts";
import type { Hub } from "../mcp/hub.ts";
import type { ServerLink } from "../mcp/server-link.ts";
import type { ServerName } from "../model/names.ts";
import type { Tool } from "../model/tool.ts";

/** Digests of what a link listed, by raw name; several where it lists one name with different definitions. */
type Listing = ReadonlyMap<string, readonly string[]>;

/**
 * Joins the catalog (what the workspace says) with the hub (what the servers say now): the tools of a run, and the
 * way to call them. A server is connected and listed once a link, on its first call.
 */
export function createToolSource(lookup: Lookup, hub: Hub): ToolSource & ToolCaller {
  const listings = new WeakMap<ServerLink, Promise<Listing>>();

  const listingOf = async (server: ServerName, signal: AbortSignal): Promise<Listing> => {
    const link = await hub.link(server, signal);
    let listing = listings.get(link);
    if (listing === undefined) {
      listing = list(link);
      listings.set(link, listing);
      listing.catch(() => listings.delete(link));
    }
    return await listing;
  };

  return {
    find: (name) => lookup.find(name),
    check: async (tool, signal) => {
      const digests = (await listingOf(tool.server, signal)).get(tool.raw);
      if (digests === undefined) throw gone(tool);
      if (digests.includes(tool.digest)) return [];
      return [
        `The definition of ${tool.server}/${tool.raw} has changed since the last sync; run "mcpfs sync".`,
      ];
    },
    call: async (tool, args, signal) => {
      const link = await hub.link(tool.server, signal);
      return await link.callTool(tool.raw, args, { signal });
    },
  };
}

async function list(link: ServerLink): Promise<Listing> {
  const { tools } = normalizeTools(link.server, (await link.listTools()).tools);
  const listing = new Map<string, readonly string[]>();
  for (const tool of tools) listing.set(tool.name, [...(listing.get(tool.name) ?? []), digestJson(tool)]);
  return listing;
}

function gone(tool: Tool): McpfsError {
  return new McpfsError(
    "TOOL_UNAVAILABLE",
    `${tool.server} no longer has a tool ${JSON.stringify(tool.raw)}.`,
    {
      hint: 'Run "mcpfs sync" and read the server\'s index.ts for what it offers now.',
    },
  );
}
