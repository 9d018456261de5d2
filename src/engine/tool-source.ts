import type { ToolCaller, ToolSource } from "../broker/ports.ts";
import type { Lookup } from "../catalog/lookup.ts";
import { McpfsError } from "../kernel/errors.ts";
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
}

/** Joins the catalog (what the workspace says) with the servers (what they say now): the tools of a run, and how to call them. */
export function createToolSource({
  lookup,
  links,
  listings,
  onChange,
}: ToolSourceParts): ToolSource & ToolCaller {
  return {
    find: (name) => lookup().find(name),
    check: async (tool, signal) => {
      const digests = (await listings.of(tool.server, signal)).get(tool.raw);
      if (digests === undefined) throw gone(tool);
      if (digests.includes(tool.digest)) return [];
      if (onChange(tool.server) === "hold") throw held(tool);
      return [
        `The definition of ${tool.server}/${tool.raw} has changed since the last sync; run "mcpfs sync".`,
      ];
    },
    call: async (tool, args, signal) => {
      const link = await links.link(tool.server, signal);
      return await link.callTool(tool.raw, args, { signal });
    },
  };
}

function held({ server, raw }: Tool): McpfsError {
  return new McpfsError(
    "DEFINITION_CHANGED",
    `${server} has changed the definition of ${JSON.stringify(raw)}, and "onChange" holds it back.`,
    { hint: `See the change with "mcpfs sync ${server}"; "mcpfs sync ${server} --accept" takes it.` },
  );
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
