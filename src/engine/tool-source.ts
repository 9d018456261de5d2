import type { ToolCaller, ToolSource } from "../broker/ports.ts";
import type { Lookup } from "../catalog/lookup.ts";
import { normalizeOffers, normalizeTools } from "../catalog/normalize.ts";
import { digestJson } from "../kernel/digest.ts";
import { McpfsError } from "../kernel/errors.ts";
import { type Json, type JsonObject, own } from "../kernel/json.ts";
import type { Hub } from "../mcp/hub.ts";
import type { ServerLink } from "../mcp/server-link.ts";
import type { ToolAnswer } from "../model/call.ts";
import type { Tool } from "../model/tool.ts";

/** Digests of what a link listed, by raw name; several where it lists one name with different definitions. */
type Listing = ReadonlyMap<string, readonly string[]>;

/**
 * Joins the catalog (what the workspace says) with the hub (what the servers say now): the tools of a run, and the
 * way to call them. A server is connected and listed once a link, on its first call.
 */
export function createToolSource(lookup: Lookup, hub: Hub): ToolSource & ToolCaller {
  const toolListings = new WeakMap<ServerLink, Promise<Listing>>();
  const promptListings = new WeakMap<ServerLink, Promise<Listing>>();

  const listingOf = async (tool: Tool, signal: AbortSignal): Promise<Listing> =>
    await hub.use(
      tool.server,
      async (link) =>
        tool.method === "prompts/get"
          ? await once(promptListings, link, listPrompts)
          : await once(toolListings, link, listTools),
      signal,
    );

  return {
    find: (name) => lookup.find(name),
    check: async (tool, signal, args) => {
      if (tool.method === "resources/read") refuseDenied(tool, args, lookup);
      if (tool.method === "resources/read" || tool.method === "resources/list") {
        await hub.link(tool.server, signal);
        return [];
      }
      const digests = (await listingOf(tool, signal)).get(tool.raw);
      if (digests === undefined) throw gone(tool);
      if (digests.includes(tool.digest)) return [];
      return [
        `The definition of ${tool.server}/${tool.raw} has changed since the last sync; run "mcpfs sync".`,
      ];
    },
    call: async (tool, args, signal) =>
      await hub.use(tool.server, async (link) => await callBy(link, tool, args, signal), signal),
  };
}

async function callBy(
  link: ServerLink,
  tool: Tool,
  args: JsonObject,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  switch (tool.method) {
    case "tools/call":
      return await link.callTool(tool.raw, args, { signal });
    case "prompts/get":
      return await link.getPrompt(tool.raw, args, { signal });
    case "resources/list":
      return await link.listResources({ signal });
    case "resources/read":
      return await link.readResource(String(own(args, "uri")), { signal });
  }
}

async function once(
  known: WeakMap<ServerLink, Promise<Listing>>,
  link: ServerLink,
  list: (link: ServerLink) => Promise<Listing>,
): Promise<Listing> {
  const listing = known.get(link) ?? list(link);
  known.set(link, listing);
  listing.catch(() => known.delete(link));
  return await listing;
}

async function listTools(link: ServerLink): Promise<Listing> {
  const { tools } = normalizeTools(link.server, (await link.listTools()).tools);
  const listing = new Map<string, readonly string[]>();
  for (const tool of tools) listing.set(tool.name, [...(listing.get(tool.name) ?? []), digestJson(tool)]);
  return listing;
}

async function listPrompts(link: ServerLink): Promise<Listing> {
  const { prompts, warnings } = await link.listOffers();
  if (prompts === undefined)
    throw new McpfsError(
      "SERVER_FAILED",
      `The prompts of ${link.server} cannot be listed. ${warnings.join(" ")}`,
      {
        hint: "Try again, or do without the prompt.",
      },
    );
  const normal = normalizeOffers({ resources: [], templates: [], prompts });
  return new Map(normal.prompts.map((prompt) => [prompt.name, [digestJson(prompt)]]));
}

/** What `tools.deny` hides cannot be read by its URI either. */
function refuseDenied(tool: Tool, args: Json, lookup: Lookup): void {
  const uri = own(args, "uri");
  if (typeof uri !== "string" || lookup.isReadable(tool.server, uri)) return;
  throw new McpfsError(
    "POLICY_DENIED",
    `"tools" of ${tool.server} in mcpfs.json does not allow the resource ${JSON.stringify(uri)}.`,
    { hint: `Read ${tool.file} for those that are allowed.` },
  );
}

function gone(tool: Tool): McpfsError {
  const kind = tool.method === "prompts/get" ? "prompt" : "tool";
  return new McpfsError(
    "TOOL_UNAVAILABLE",
    `${tool.server} no longer has a ${kind} ${JSON.stringify(tool.raw)}.`,
    {
      hint: 'Run "mcpfs sync" and read the server\'s index.ts for what it offers now.',
    },
  );
}
