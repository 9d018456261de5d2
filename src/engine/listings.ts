import { definitionDigest } from "../catalog/definition-digest.ts";
import { normalizeTools } from "../catalog/normalize.ts";
import type { ServerLink } from "../mcp/server-link.ts";
import type { ServerName } from "../model/names.ts";
import type { Links } from "./started-servers.ts";

/** Digests of what a server lists, by raw name; several where it lists one name with different definitions. */
export type Listing = ReadonlyMap<string, readonly string[]>;

/** What the servers list now. Each is asked once a connection, and again when it says that its list changed. */
export interface Listings {
  /** Connects where that is needed. @throws McpfsError the errors of connecting and listing */
  readonly of: (server: ServerName, signal: AbortSignal) => Promise<Listing>;
  /** The server's list may differ. */
  readonly forget: (server: ServerName) => void;
}

/** Creates the listings of a host; nothing is asked yet. */
export function createListings(links: Links): Listings {
  const known = new Map<ServerName, { readonly link: ServerLink; readonly listing: Promise<Listing> }>();
  return {
    of: async (server, signal) => {
      const link = await links.link(server, signal);
      const last = known.get(server);
      if (last?.link === link) return await last.listing;
      const made = { link, listing: list(link) };
      known.set(server, made);
      made.listing.catch(() => {
        if (known.get(server) === made) known.delete(server);
      });
      return await made.listing;
    },
    forget: (server) => void known.delete(server),
  };
}

async function list(link: ServerLink): Promise<Listing> {
  const { tools } = normalizeTools(link.server, (await link.listTools()).tools);
  const listing = new Map<string, readonly string[]>();
  for (const tool of tools)
    listing.set(tool.name, [...(listing.get(tool.name) ?? []), definitionDigest(tool)]);
  return listing;
}
