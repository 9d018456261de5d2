import type { Lookup } from "../catalog/lookup.ts";
import type { Host } from "../engine/host.ts";
import { McpfsError, toMcpfsError } from "../kernel/errors.ts";
import { stringifyJson } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import type { Tool } from "../model/tool.ts";
import type { ClientCaller } from "../policy/decision.ts";
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

/** Tools of one question for details; each is a page. */
const MAX_DETAILS = 20;

const FACTS = {
  name: TEXT,
  server: TEXT,
  title: TEXT,
  description: TEXT,
  risk: oneOf("read", "write", "destructive", "unstated"),
  permission: oneOf("allow", "ask"),
  available: FLAG,
};

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
    run: async (args, { append, client: { caller } }) => {
      const { name, names = [] } = args as { name?: string; names?: readonly string[] };
      const wanted = [...(name === undefined ? [] : [name]), ...names];
      if (wanted.length === 0)
        throw new McpfsError("ARGUMENTS_INVALID", "Say which tool: name, or names for several.", {
          hint: "search_tools finds names.",
        });
      const lookup = await host.lookup(caller);
      const facts = { host, lookup, append, caller };
      const details = await Promise.all(wanted.map((one) => detailsOf(one, facts)));
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
  { host, lookup, append, caller }: Pick<MetaCall, "append"> & DetailFacts,
): Promise<MetaAnswer> {
  let tool: Tool;
  try {
    tool = await host.usage.noticing(name, async () => lookup.find(name));
  } catch (thrown) {
    const error = toMcpfsError(thrown);
    const text = errorText(error);
    const unknown = { name, server: "", title: "", description: "", risk: "unstated", permission: "ask" };
    return { text, value: { ...unknown, available: false, error: text }, isError: true };
  }
  append(tool.wire);
  const { wire, server, title, description, risk, inputSchema, outputSchema, learned } = tool;
  const permission = host.permission(tool, caller);
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

interface DetailFacts {
  readonly host: Host;
  readonly lookup: Lookup;
  readonly caller: ClientCaller;
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
    run: async (args, { client }) => {
      const { query = "" } = args as { query?: string };
      const servers = await host.searchServers(query, client.caller);
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
