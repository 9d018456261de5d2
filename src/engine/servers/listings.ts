import { definitionDigest } from "../../catalog/definition-digest.ts";
import { normalizeOffers, normalizeTools } from "../../catalog/normalize.ts";
import { digestJson } from "../../kernel/digest.ts";
import { McpfsError } from "../../kernel/errors.ts";
import type { ServerLink } from "../../mcp/server-link.ts";
import type { ServerName } from "../../model/names.ts";
import type { Offers } from "../../model/offers.ts";
import type { RawTool } from "../../model/tool.ts";
import type { Links } from "./started-servers.ts";

/** What a server lists, by raw name, by digest; several where it lists one name with different definitions. */
export type Listing = ReadonlyMap<string, ReadonlyMap<string, RawTool>>;

/** What the servers list now. Each is asked once a connection, and again when it says that its lists changed. */
export interface Listings {
  /** Connects where that is needed. @throws McpfsError the errors of connecting and listing */
  readonly of: (server: ServerName, kind: "tools" | "prompts", signal: AbortSignal) => Promise<Listing>;
  /** All resources and templates, also those beyond what the workspace keeps. @throws as {@link Listings.of} does */
  readonly resources: (server: ServerName, signal: AbortSignal) => Promise<ListedResources>;
  /** The server's lists may differ. */
  readonly forget: (server: ServerName) => void;
}

/** What a server can be asked to read. */
export type ListedResources = Pick<Offers, "resources" | "templates">;

/** Lists of one kind, each asked for once a connection. */
interface Once<T> {
  readonly of: (server: ServerName, signal: AbortSignal) => Promise<T>;
  readonly forget: (server: ServerName) => void;
}

/** Creates the listings of a host; nothing is asked yet. */
export function createListings(links: Links): Listings {
  const tools = askedOnce(links, listTools);
  const prompts = askedOnce(links, listPrompts);
  const resources = askedOnce(links, listResources);
  return {
    of: async (server, kind, signal) => await (kind === "tools" ? tools : prompts).of(server, signal),
    resources: resources.of,
    forget: (server) => {
      for (const lists of [tools, prompts, resources]) lists.forget(server);
    },
  };
}

function askedOnce<T>(links: Links, list: (link: ServerLink) => Promise<T>): Once<T> {
  const known = new Map<ServerName, { readonly link: ServerLink; readonly listing: Promise<T> }>();
  const ask = async (link: ServerLink): Promise<T> => {
    const last = known.get(link.server);
    if (last?.link === link) return await last.listing;
    const made = { link, listing: list(link) };
    known.set(link.server, made);
    made.listing.catch(() => {
      if (known.get(link.server) === made) known.delete(link.server);
    });
    return await made.listing;
  };
  return {
    of: async (server, signal) => await links.use(server, ask, signal),
    forget: (server) => void known.delete(server),
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

async function listResources(link: ServerLink): Promise<ListedResources> {
  const { resources, templates, warnings } = await link.listOffers();
  if (resources === undefined || templates === undefined)
    throw new McpfsError(
      "SERVER_FAILED",
      `The resources of ${link.server} cannot be listed, so nobody knows what "tools" in mcpfs.json allows. ${warnings.join(" ")}`,
      { hint: "Try again, or read one that the workspace knows." },
    );
  return normalizeOffers({ resources, templates, prompts: [] }, Number.POSITIVE_INFINITY);
}
