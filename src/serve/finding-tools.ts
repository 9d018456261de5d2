import { BUILTIN_TOOLS } from "../builtin/builtin-tools.ts";
import type { Lookup } from "../catalog/lookup.ts";
import type { Host } from "../engine/host.ts";
import { McpfsError, toMcpfsError } from "../kernel/errors.ts";
import { type JsonObject, stringifyJson } from "../kernel/json.ts";
import { firstSentence, oneLine } from "../kernel/text.ts";
import { BUILTIN_SERVER } from "../model/names.ts";
import type { Tool } from "../model/tool.ts";
import { errorText } from "./answers.ts";
import {
  ANYTHING,
  FLAG,
  LOOKS,
  listOf,
  type MetaAnswer,
  type MetaCall,
  type MetaTool,
  oneOf,
  said,
  shape,
  TEXT,
  WHOLE,
} from "./meta-tool.ts";
import { clientPermission } from "./permission.ts";

const MAX_HITS = 50;
const DEFAULT_HITS = 5;
/** Tools of one question for details; each is a page. */
const MAX_DETAILS = 20;

const FACTS = {
  name: TEXT,
  server: TEXT,
  title: TEXT,
  description: TEXT,
  risk: oneOf("read", "write", "destructive", "unstated"),
  permission: oneOf("allow", "ask", "deny"),
  available: FLAG,
};

/** `search_tools`: the tools that fit a task, by server. */
export function searchTools(host: Host): MetaTool {
  return {
    definition: {
      name: "search_tools",
      title: "Search tools",
      description:
        "Finds tools of all servers by what they do. Their names go into call_tool and get_tool_details.",
      inputSchema: shape({
        query: said(TEXT, "Words of the task: update a sales record"),
        "detail?": said(oneOf("name", "brief", "full"), "full adds TypeScript types. Default: brief"),
        "limit?": { type: "integer", minimum: 1, maximum: MAX_HITS, description: `Default: ${DEFAULT_HITS}` },
      }),
      outputSchema: shape({
        tools: listOf(shape({ name: TEXT, server: TEXT, "description?": TEXT, "signature?": TEXT })),
      }),
      annotations: LOOKS,
    },
    run: async (args) => {
      const {
        query,
        detail = "brief",
        limit = DEFAULT_HITS,
      } = args as {
        query: string;
        detail?: "name" | "brief" | "full";
        limit?: number;
      };
      const found = await host.search(query, limit + BUILTIN_TOOLS.length);
      // What a script has of ours is no tool that could be called from here.
      const hits = found
        .map(({ tool }) => tool)
        .filter((tool) => tool.server !== BUILTIN_SERVER && clientPermission(host, tool) !== "deny")
        .slice(0, limit);
      if (hits.length === 0)
        return { text: "Nothing found. Use other words, or list_servers.", value: { tools: [] } };
      const described = await Promise.all(hits.map(async (tool) => await describeHit(tool, detail)));
      return { text: groupedText(described), value: { tools: described.map(({ value }) => value) } };
    },
  };
}

interface DescribedHit {
  readonly tool: Tool;
  readonly text: string;
  readonly value: JsonObject;
}

async function describeHit(tool: Tool, detail: "name" | "brief" | "full"): Promise<DescribedHit> {
  const { wire, server } = tool;
  const head = { name: wire, server };
  const sentence = firstSentence(tool.description || tool.title, 160);
  if (detail === "name") return { tool, text: wire, value: head };
  if (detail === "brief")
    return { tool, text: `${wire}: ${sentence}`, value: { ...head, description: sentence } };
  const { renderSignature } = await import("../render/signature.ts");
  const signature = (await renderSignature(tool)).trimEnd();
  return { tool, text: `${wire}\n${signature}`, value: { ...head, signature } };
}

/** Servers in the order of their best hit. */
function groupedText(hits: readonly DescribedHit[]): string {
  const servers = new Map<string, string[]>();
  for (const { tool, text } of hits) servers.set(tool.server, [...(servers.get(tool.server) ?? []), text]);
  return [...servers].map(([server, texts]) => `# ${server}\n${texts.join("\n")}`).join("\n");
}

/** `get_tool_details`: all that is known of a tool. */
export function getToolDetails(host: Host): MetaTool {
  return {
    definition: {
      name: "get_tool_details",
      title: "Get tool details",
      description: "All about tools: description, arguments, result, risk, whether they may be called.",
      inputSchema: shape({
        "name?": said(TEXT, "Exact name of a tool"),
        "names?": { type: "array", items: TEXT, maxItems: MAX_DETAILS },
      }),
      outputSchema: shape({
        tools: listOf(
          shape({ ...FACTS, "inputSchema?": ANYTHING, "outputSchema?": ANYTHING, "error?": TEXT }),
        ),
      }),
      annotations: LOOKS,
    },
    run: async (args, { append }) => {
      const { name, names = [] } = args as { name?: string; names?: readonly string[] };
      const wanted = [...(name === undefined ? [] : [name]), ...names];
      if (wanted.length === 0)
        throw new McpfsError("ARGUMENTS_INVALID", "Say which tool: name, or names for several.", {
          hint: "search_tools finds names.",
        });
      const lookup = await host.lookup();
      const details = await Promise.all(wanted.map((one) => detailsOf(one, { host, lookup, append })));
      const isNone = details.every(({ isError }) => isError === true);
      return {
        text: details.map(({ text }) => text).join("\n\n"),
        value: { tools: details.map(({ value }) => value) },
        isError: isNone,
      };
    },
  };
}

async function detailsOf(
  name: string,
  { host, lookup, append }: Pick<MetaCall, "append"> & { readonly host: Host; readonly lookup: Lookup },
): Promise<MetaAnswer> {
  let tool: Tool;
  try {
    tool = await host.usage.noticing(name, async () => lookup.find(name));
    if (clientPermission(host, tool) === "deny") throw denied(tool);
  } catch (thrown) {
    const error = toMcpfsError(thrown);
    const text = errorText(error);
    const unknown = { name, server: "", title: "", description: "", risk: "unstated", permission: "deny" };
    return { text, value: { ...unknown, available: false, error: text }, isError: true };
  }
  append(tool.wire);
  const { wire, server, title, description, risk, inputSchema, outputSchema, learned } = tool;
  const permission = clientPermission(host, tool);
  const facts = { name: wire, server, title, description, risk, permission, available: true };
  const output = outputSchema ?? learned;
  const lines = [
    `# ${wire}`,
    `server ${server} · risk ${risk} · permission ${permission}`,
    ...(title === "" ? [] : [oneLine(title, 200)]),
    ...(description === "" ? [] : [description.trim()]),
    `input: ${stringifyJson(inputSchema)}`,
    output === undefined
      ? "output: not declared"
      : `output${outputSchema === undefined ? " (as seen so far)" : ""}: ${stringifyJson(output)}`,
  ];
  const text = lines.join("\n");
  await host.usage.shown(tool, text);
  return {
    text,
    value: { ...facts, inputSchema, ...(output === undefined ? {} : { outputSchema: output }) },
  };
}

/** Nothing of what it can do is told. */
function denied({ wire }: Tool): McpfsError {
  return new McpfsError("POLICY_DENIED", `The tool ${wire} is not for clients of this workspace.`, {
    hint: "Do without it, or ask the person who keeps mcpfs.json.",
  });
}

/** `list_servers`: the registry. */
export function listServers(host: Host): MetaTool {
  return {
    definition: {
      name: "list_servers",
      title: "List servers",
      description: "The servers behind this one, on or off, with what they are for.",
      inputSchema: shape({ "query?": said(TEXT, "Words; default: all") }),
      outputSchema: shape({
        servers: listOf(shape({ name: TEXT, purpose: TEXT, enabled: FLAG, tools: WHOLE })),
      }),
      annotations: LOOKS,
    },
    run: async (args) => {
      const { query = "" } = args as { query?: string };
      const servers = await host.searchServers(query);
      const lines = servers.map(({ name, purpose, enabled, tools }) => {
        const state = enabled ? "" : "off, ";
        return `${name} (${state}${tools} tools)${purpose === "" ? "" : `: ${oneLine(purpose, 200)}`}`;
      });
      return {
        text: lines.join("\n") || "No server.",
        value: { servers: servers.map(({ ...server }) => server) },
      };
    },
  };
}
