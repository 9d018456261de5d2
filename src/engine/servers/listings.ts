import { definitionDigest } from "../../catalog/definition-digest.ts";
import { normalizeOffers, normalizeTools } from "../../catalog/normalize.ts";
import { digestJson } from "../../kernel/digest.ts";
import { McpfsError } from "../../kernel/errors.ts";
import type { ServerLink } from "../../mcp/server-link.ts";
import type { ServerName } from "../../model/names.ts";
import type { RawTool } from "../../model/tool.ts";
import type { Links } from "./started-servers.ts";

/** What a server lists, by raw name, by digest; several where it lists one name with different definitions. */
export type Listing = ReadonlyMap<string, ReadonlyMap<string, RawTool>>;

/** What the servers list now. Each is asked once a connection, and again when it says that its lists changed. */
export interface Listings {
  /** Connects where that is needed. @throws McpfsError the errors of connecting and listing */
  readonly of: (server: ServerName, kind: "tools" | "prompts", signal: AbortSignal) => Promise<Listing>;
  /** The server's lists may differ. */
  readonly forget: (server: ServerName) => void;
}

interface Known {
  readonly link: ServerLink;
  readonly listing: Promise<Listing>;
}

/** Creates the listings of a host; nothing is asked yet. */
export function createListings(links: Links): Listings {
  const known = { tools: new Map<ServerName, Known>(), prompts: new Map<ServerName, Known>() };
  const listers = { tools: listTools, prompts: listPrompts };
  return {
    of: async (server, kind, signal) => {
      const ofKind = known[kind];
      const list = async (link: ServerLink): Promise<Listing> => {
        const last = ofKind.get(server);
        if (last?.link === link) return await last.listing;
        const made = { link, listing: listers[kind](link) };
        ofKind.set(server, made);
        made.listing.catch(() => {
          if (ofKind.get(server) === made) ofKind.delete(server);
        });
        return await made.listing;
      };
      return await links.use(server, list, signal);
    },
    forget: (server) => {
      known.tools.delete(server);
      known.prompts.delete(server);
    },
  };
}

async function listTools(link: ServerLink): Promise<Listing> {
  const { tools } = normalizeTools(link.server, (await link.listTools()).tools);
  const listing = new Map<string, Map<string, RawTool>>();
  for (const tool of tools) {
    const definitions = listing.get(tool.name) ?? new Map<string, RawTool>();
    listing.set(tool.name, definitions.set(definitionDigest(tool), tool));
  }
  return listing;
}

async function listPrompts(link: ServerLink): Promise<Listing> {
  const { prompts, warnings } = await link.listOffers();
  if (prompts === undefined)
    throw new McpfsError(
      "SERVER_FAILED",
      `The prompts of ${link.server} cannot be listed. ${warnings.join(" ")}`,
      { hint: "Try again, or do without the prompt." },
    );
  const normal = normalizeOffers({ resources: [], templates: [], prompts });
  return new Map(normal.prompts.map((prompt) => [prompt.name, new Map([[digestJson(prompt), prompt]])]));
}
