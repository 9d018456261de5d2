import type { ToolCaller, ToolSource } from "../../broker/ports.ts";
import { SET_SERVER } from "../../builtin/what-calls-do.ts";
import { readHints, riskOf } from "../../catalog/hints.ts";
import type { Lookup } from "../../catalog/lookup.ts";
import { digestJson } from "../../kernel/digest.ts";
import { McpfsError } from "../../kernel/errors.ts";
import { type Json, type JsonObject, own } from "../../kernel/json.ts";
import { nearestOf } from "../../kernel/nearest.ts";
import { listServers } from "../../kernel/next-steps.ts";
import { oneLine } from "../../kernel/text.ts";
import {
  BUILTIN_SERVER,
  type ExportName,
  type FolderName,
  type ListingKey,
  type RawToolName,
  type ServerName,
  type WireName,
} from "../../model/names.ts";
import type { SyncReport } from "../../model/sync-report.ts";
import type { Tool } from "../../model/tool.ts";
import type { FoundServer } from "../workspace/workspace-view.ts";

const DEFINITION = {
  name: SET_SERVER,
  title: "Switch a server",
  description: "Switches a server on or off for everybody who uses this workspace.",
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "As list_servers names it" },
      enabled: { type: "boolean" },
    },
    required: ["name", "enabled"],
    additionalProperties: false,
  },
  // Whoever switches a server off takes it from others.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
} as const satisfies JsonObject;

const HINTS = readHints(DEFINITION, true);

/**
 * Switching a server of the config on or off, as a tool: it is for everybody who uses the workspace, so policy decides about it as about
 * any call. It is in no catalog and has no wrapper: clients of `serve` have it as a tool of its own.
 */
export const SET_SERVER_TOOL: Tool = {
  method: "tools/call",
  server: BUILTIN_SERVER,
  folder: BUILTIN_SERVER as string as FolderName,
  raw: SET_SERVER as RawToolName,
  key: SET_SERVER as ListingKey,
  wire: `${BUILTIN_SERVER}__${SET_SERVER}` as WireName,
  export: "setServer" as ExportName,
  file: `servers/${BUILTIN_SERVER}`,
  title: DEFINITION.title,
  description: DEFINITION.description,
  inputSchema: DEFINITION.inputSchema,
  outputSchema: {},
  learned: undefined,
  risk: riskOf(HINTS),
  hints: HINTS,
  definition: DEFINITION,
  digest: digestJson(DEFINITION),
};

/** What a switched server is told as; `problem` where it is on, and does not answer. */
export interface SetServer {
  readonly name: ServerName;
  readonly enabled: boolean;
  /** That the caller has of it now. */
  readonly tools: number;
  readonly problem: { readonly code: string; readonly message: string; readonly hint: string } | null;
}

/** What switches servers for one caller. */
export interface SetServerParts {
  /** Those that are there for the caller, by name. */
  readonly servers: () => Promise<readonly FoundServer[]>;
  readonly switchServer: (server: ServerName, isOn: boolean) => Promise<{ readonly report: SyncReport }>;
}

/** The names of a caller, with this tool among them unless it is hidden from the caller. */
export function withSetServerName(lookup: Lookup, isHidden: boolean): Lookup {
  if (isHidden) return lookup;
  const names: readonly string[] = [SET_SERVER_TOOL.wire, `${BUILTIN_SERVER}/${SET_SERVER}`];
  return { ...lookup, find: (name) => (names.includes(name) ? SET_SERVER_TOOL : lookup.find(name)) };
}

/** The tools of a run with this one among them, which the broker decides like any tool of a server. */
export function withSetServer(
  source: ToolSource & ToolCaller,
  parts: SetServerParts,
): ToolSource & ToolCaller {
  return {
    find: source.find,
    check: async (tool, signal, args) => {
      if (tool.wire !== SET_SERVER_TOOL.wire) return await source.check(tool, signal, args);
      // Nobody is asked about a server that is not there; what else is wrong with the arguments is judged later.
      const name = own(args, "name");
      if (typeof name === "string") await knownServer(parts, name);
      return { tool, fillsDefaults: false, warnings: [] };
    },
    call: async (tool, args, signal) => {
      if (tool.wire !== SET_SERVER_TOOL.wire) return await source.call(tool, args, signal);
      const { name, enabled } = args as { readonly name: string; readonly enabled: boolean };
      const structured = { ...(await setServer(parts, name, enabled)) } satisfies { [name: string]: Json };
      return { content: [], structured, isError: false };
    },
  };
}

async function setServer(parts: SetServerParts, name: string, enabled: boolean): Promise<SetServer> {
  const server = await knownServer(parts, name);
  const { report } = await parts.switchServer(server, enabled);
  const error = report.servers[0]?.error ?? null;
  const known = enabled ? await parts.servers() : [];
  return {
    name: server,
    enabled,
    tools: known.find((found) => found.name === server)?.tools ?? 0,
    problem: error === null ? null : { code: error.code, message: error.message, hint: error.hint },
  };
}

/** A server of which policy leaves the caller nothing is none. */
async function knownServer({ servers }: SetServerParts, name: string): Promise<ServerName> {
  const known = await servers();
  const found = known.find((server) => server.name === name);
  if (found !== undefined) return found.name;
  const near = nearestOf(
    name,
    known.map((server) => server.name),
    3,
  );
  throw new McpfsError("USAGE", `There is no server ${JSON.stringify(oneLine(name, 80))}.`, {
    hint: near.length === 0 ? listServers() : `Did you mean ${near.join(" or ")}?`,
  });
}
