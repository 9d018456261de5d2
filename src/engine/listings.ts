import { definitionDigest } from "../catalog/definition-digest.ts";
import { normalizeOffers, normalizeTools } from "../catalog/normalize.ts";
import { McpfsError } from "../kernel/errors.ts";
import type { ServerLink } from "../mcp/server-link.ts";
import type { ServerName } from "../model/names.ts";
import type { RawTool } from "../model/tool.ts";
import type { Links } from "./started-servers.ts";

/** Digests of what a server lists, by raw name; several where it lists one name with different definitions. */
export type Listing = ReadonlyMap<string, readonly string[]>;

/** What the servers list now. Each is asked once a connection, and again when it says that its list changed. */
export interface Listings {
  /** Connects where that is needed. @throws McpfsError the errors of connecting and listing */
  readonly of: (server: ServerName, kind: "tools" | "prompts", signal: AbortSignal) => Promise<Listing>;
  /** The server's list may differ. */
  readonly forget: (server: ServerName) => void;
}

/** One list that was asked for, and the connection that it came from. */
interface KnownListing {
  readonly link: ServerLink;
  readonly listing: Promise<Listing>;
}

/** Creates the listings of a host; nothing is asked yet. */
export function createListings(links: Links): Listings {
  const known = { tools: new Map<ServerName, KnownListing>(), prompts: new Map<ServerName, KnownListing>() };
  return {
    of: async (server, kind, signal) => {
      const { useLink } = await import("../mcp/use-link.ts");
      const ofKind = known[kind];
      return await useLink(
        links,
        server,
        async (link) => {
          const last = ofKind.get(server);
          if (last?.link === link) return await last.listing;
          const made = { link, listing: list(link, kind) };
          ofKind.set(server, made);
          made.listing.catch(() => {
            if (ofKind.get(server) === made) ofKind.delete(server);
          });
          return await made.listing;
        },
        signal,
      );
    },
    forget: (server) => {
      known.tools.delete(server);
      known.prompts.delete(server);
    },
  };
}

async function list(link: ServerLink, kind: "tools" | "prompts"): Promise<Listing> {
  const definitions = kind === "tools" ? await listTools(link) : await listPrompts(link);
  const listing = new Map<string, readonly string[]>();
  for (const definition of definitions)
    listing.set(definition.name, [...(listing.get(definition.name) ?? []), definitionDigest(definition)]);
  return listing;
}

async function listTools(link: ServerLink): Promise<readonly RawTool[]> {
  return normalizeTools(link.server, (await link.listTools()).tools).tools;
}

async function listPrompts(link: ServerLink): Promise<readonly RawTool[]> {
  const { prompts, warnings } = await link.listOffers();
  if (prompts !== undefined) return normalizeOffers({ resources: [], templates: [], prompts }).prompts;
  throw new McpfsError(
    "SERVER_FAILED",
    `The prompts of ${link.server} cannot be listed. ${warnings.join(" ")}`,
    { hint: "Try again, or do without the prompt." },
  );
}
