import type { ToolCaller, ToolSource } from "../../broker/ports.ts";
import { withDefinition } from "../../catalog/build.ts";
import { isReadable } from "../../catalog/catalog-offers.ts";
import type { Lookup } from "../../catalog/lookup.ts";
import { McpfsError } from "../../kernel/errors.ts";
import { type Json, type JsonObject, own } from "../../kernel/json.ts";
import { acceptChange, readServerAnew } from "../../kernel/next-steps.ts";
import type { ServerLink } from "../../mcp/server-link.ts";
import type { ToolAnswer } from "../../model/call.ts";
import type { CallerSide } from "../../model/caller-side.ts";
import type { ServerName } from "../../model/names.ts";
import type { ServerEntry, ToolFilter } from "../../model/server-entry.ts";
import type { Tool } from "../../model/tool.ts";
import type { Listings } from "./listings.ts";
import type { ResourceReads } from "./resource-reads.ts";
import type { Links } from "./started-servers.ts";

/** What the tools of a run come from. */
export interface ToolSourceParts {
  /** The catalog as it is now: a tool that goes while a script runs is gone for its next call. */
  readonly lookup: () => Lookup;
  readonly links: Links;
  readonly listings: Listings;
  readonly reads: ResourceReads;
  /** The config's entry of a server as it is now. */
  readonly entryOf: (server: ServerName) => ServerEntry | undefined;
  /** Who asked for the run; absent for the person at the terminal. */
  readonly side?: CallerSide | undefined;
}

/** Joins the catalog (what the workspace says) with the servers (what they say now): the tools of a run, and how to call them. */
export function createToolSource({
  lookup,
  links,
  listings,
  reads,
  entryOf,
  side,
}: ToolSourceParts): ToolSource & ToolCaller {
  // A view is replaced and never changed, so this one stays what it was.
  const atStart = lookup();
  const sinceStart = (tool: Tool): readonly string[] => {
    const before = atStart.byWire(tool.wire);
    if (before === undefined || "isRetired" in before || before.digest === tool.digest) return [];
    return [`The definition of ${tool.server}/${tool.raw} has changed since this run began.`];
  };
  /** What `tools.deny` hides cannot be read by its URI either. What the workspace does not know, the server is asked the name of. */
  const refuseDenied = async (tool: Tool, args: Json, signal: AbortSignal): Promise<void> => {
    const { server } = tool;
    const uri = own(args, "uri");
    // Arguments are judged later.
    if (typeof uri !== "string") return;
    const filter = entryOf(server)?.filter;
    if (filter === undefined || !lookup().isReadable(server, uri)) throw denied(tool, uri);
    if (filter.allowsAll === true || lookup().isListed(server, uri)) return;
    if (!isReadable(filter, await listings.resources(server, signal), uri)) throw denied(tool, uri);
  };
  return {
    find: (name) => lookup().find(name),
    check: async (tool, signal, args) => {
      if (tool.method === "resources/read") await refuseDenied(tool, args, signal);
      if (tool.method === "resources/read" || tool.method === "resources/list") {
        const isKept = tool.method === "resources/read" && (await reads.isKept(tool.server, uriOf(args)));
        if (!isKept) await links.link(tool.server, signal);
        return { tool, fillsDefaults: false, warnings: [] };
      }
      const {
        fillsDefaults = false,
        onChange = "warn",
        areAnnotationsTrusted = false,
      } = entryOf(tool.server) ?? {};
      const kind = tool.method === "prompts/get" ? "prompts" : "tools";
      const listed = (await listings.of(tool.server, kind, signal)).get(tool.raw);
      const [now] = listed?.values() ?? [];
      if (listed === undefined || now === undefined) throw gone(tool);
      if (listed.has(tool.digest)) return { tool, fillsDefaults, warnings: sinceStart(tool) };
      if (onChange === "hold" && kind === "tools") throw held(tool);
      const warning = `The definition of ${tool.server}/${tool.raw} has changed since the last sync.`;
      // What is judged, asked about and sent is what the tool is now, not what it was.
      const current = kind === "tools" ? withDefinition(tool, now, areAnnotationsTrusted) : tool;
      return { tool: current, fillsDefaults, warnings: [warning] };
    },
    call: async ({ method, raw, server }, args, signal) => {
      if (method === "resources/read") return await reads.read(server, uriOf(args), signal);
      const asked = { method, raw };
      const answer = await links.use(
        server,
        async (link) => await callBy(link, asked, args, { signal, side }),
        signal,
      );
      return method === "resources/list" ? onlyAllowed(answer, entryOf(server)?.filter) : answer;
    },
  };
}

function uriOf(args: Json): string {
  return String(own(args, "uri"));
}

async function callBy(
  link: ServerLink,
  { method, raw }: Pick<Tool, "raw"> & { readonly method: Exclude<Tool["method"], "resources/read"> },
  args: JsonObject,
  options: { readonly signal: AbortSignal; readonly side: CallerSide | undefined },
): Promise<ToolAnswer> {
  switch (method) {
    case "tools/call":
      return await link.callTool(raw, args, options);
    case "prompts/get":
      return await link.getPrompt(raw, args, options);
    case "resources/list":
      return await link.listResources(options);
  }
}

/** Resources that the config allows, as they are listed at this moment. */
function onlyAllowed(answer: ToolAnswer, filter: ToolFilter | undefined): ToolAnswer {
  const items = Array.isArray(answer.structured) ? (answer.structured as readonly Json[]) : [];
  const structured = items.filter((item) => {
    const name = own(item, "name");
    return typeof name === "string" && filter?.isAllowed(name, "resource") === true;
  });
  return { ...answer, structured };
}

function denied(tool: Tool, uri: string): McpfsError {
  return new McpfsError(
    "POLICY_DENIED",
    `"tools" of ${tool.server} in mcpfs.json does not allow the resource ${JSON.stringify(uri)}.`,
    { hint: `Read ${tool.file} for those that are allowed.` },
  );
}

function held({ server, raw }: Tool): McpfsError {
  return new McpfsError(
    "DEFINITION_CHANGED",
    `${server} has changed the definition of ${JSON.stringify(raw)}, and "onChange" holds it back.`,
    { hint: acceptChange(server) },
  );
}

function gone(tool: Tool): McpfsError {
  const kind = tool.method === "prompts/get" ? "prompt" : "tool";
  return new McpfsError(
    "TOOL_UNAVAILABLE",
    `${tool.server} no longer has a ${kind} ${JSON.stringify(tool.raw)}.`,
    {
      hint: readServerAnew(tool.folder),
    },
  );
}
