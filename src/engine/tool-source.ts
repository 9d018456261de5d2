import type { ToolCaller, ToolSource } from "../broker/ports.ts";
import type { Lookup } from "../catalog/lookup.ts";
import { McpfsError } from "../kernel/errors.ts";
import { type Json, type JsonObject, own } from "../kernel/json.ts";
import type { ServerLink } from "../mcp/server-link.ts";
import type { ToolAnswer } from "../model/call.ts";
import type { CallerSide } from "../model/caller-side.ts";
import type { ServerName } from "../model/names.ts";
import type { OnChange } from "../model/server-entry.ts";
import type { Tool } from "../model/tool.ts";
import type { Listings } from "./listings.ts";
import type { Links } from "./started-servers.ts";

/** What the tools of a run come from. */
export interface ToolSourceParts {
  /** The catalog as it is now: a tool that goes while a script runs is gone for its next call. */
  readonly lookup: () => Lookup;
  readonly links: Links;
  readonly listings: Listings;
  readonly onChange: (server: ServerName) => OnChange;
  /** Who asked for the run; absent for the person at the terminal. */
  readonly side?: CallerSide | undefined;
}

/** Joins the catalog (what the workspace says) with the servers (what they say now): the tools of a run, and how to call them. */
export function createToolSource({
  lookup,
  links,
  listings,
  onChange,
  side,
}: ToolSourceParts): ToolSource & ToolCaller {
  return {
    find: (name) => lookup().find(name),
    check: async (tool, signal, args) => {
      if (tool.method === "resources/read") refuseDenied(tool, args, lookup());
      if (tool.method === "resources/read" || tool.method === "resources/list") {
        await links.link(tool.server, signal);
        return [];
      }
      const kind = tool.method === "prompts/get" ? "prompts" : "tools";
      const digests = (await listings.of(tool.server, kind, signal)).get(tool.raw);
      if (digests === undefined) throw gone(tool);
      if (digests.has(tool.digest)) return [];
      if (onChange(tool.server) === "hold" && kind === "tools") throw held(tool);
      return [
        `The definition of ${tool.server}/${tool.raw} has changed since the last sync; run "mcpfs sync".`,
      ];
    },
    call: async (tool, args, signal) =>
      await links.use(tool.server, async (link) => await callBy(link, tool, args, { signal, side }), signal),
  };
}

async function callBy(
  link: ServerLink,
  tool: Tool,
  args: JsonObject,
  options: { readonly signal: AbortSignal; readonly side: CallerSide | undefined },
): Promise<ToolAnswer> {
  switch (tool.method) {
    case "tools/call":
      return await link.callTool(tool.raw, args, options);
    case "prompts/get":
      return await link.getPrompt(tool.raw, args, options);
    case "resources/list":
      return await link.listResources(options);
    case "resources/read":
      return await link.readResource(String(own(args, "uri")), options);
  }
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

function held({ server, raw }: Tool): McpfsError {
  return new McpfsError(
    "DEFINITION_CHANGED",
    `${server} has changed the definition of ${JSON.stringify(raw)}, and "onChange" holds it back.`,
    { hint: `See the change with "mcpfs sync ${server}"; "mcpfs sync ${server} --accept" takes it.` },
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
