import type { Lookup } from "../../catalog/lookup.ts";
import { McpfsError } from "../../kernel/errors.ts";
import { type Json, own } from "../../kernel/json.ts";
import { oneLine } from "../../kernel/text.ts";
import type { CallOutcome } from "../../model/call.ts";
import { BUILTIN_SERVER } from "../../model/names.ts";
import type { Catalog, CatalogServer, Tool } from "../../model/tool.ts";
import { type PortablePrompt, portablePrompt } from "../../vendors/portable-prompt.ts";
import { type PortableResource, portableResource } from "../../vendors/portable-resource.ts";
import { type PortableTool, portableTool } from "../../vendors/portable-tool.ts";
import { stableOrder } from "./tool-order.ts";

/** Tools, resources and prompts of a workspace in the shapes that vendors of models want. */
export interface Portable {
  /** One tool, by any of its names. @throws McpfsError TOOL_UNKNOWN, TOOL_UNAVAILABLE */
  readonly tool: (name: string) => Promise<PortableTool>;
  /** All tools of servers that are on, in an order that is only ever appended to. */
  readonly tools: () => Promise<readonly PortableTool[]>;
  /** Reads a resource, through the broker like any call. @throws McpfsError, that of the call */
  readonly resource: (server: string, uri: string) => Promise<PortableResource>;
  /** Gets the messages of a prompt, named as its server names it, through the broker. @throws McpfsError, that of the call */
  readonly prompt: (server: string, name: string, args?: Json) => Promise<PortablePrompt>;
}

export interface PortableParts {
  readonly root: string;
  readonly view: () => Promise<{ readonly catalog: Catalog; readonly lookup: Lookup }>;
  /** True for a tool that policy denies: it is not offered. */
  readonly isHidden: (tool: Tool) => boolean;
  readonly call: (name: string, args: Json) => Promise<CallOutcome>;
}

/** Creates the access to a workspace's tools, resources and prompts for other vendors' models. */
export function createPortable({ root, view, isHidden, call }: PortableParts): Portable {
  const serverOf = async (name: string): Promise<CatalogServer> => {
    const found = (await view()).catalog.servers.find((server) => server.name === name);
    if (found === undefined) throw unknown(`The workspace has no server "${oneLine(name, 64)}".`);
    return found;
  };
  const answerOf = async ({ wire }: Tool, args: Json): Promise<Json> => {
    const outcome = await call(wire, args);
    if (outcome.kind === "ok") return outcome.value ?? null;
    const { code, message, hint } = outcome.error;
    throw new McpfsError(code, message, { hint });
  };
  return {
    tool: async (name) => portableTool((await view()).lookup.find(name)),
    tools: async () => {
      const { catalog } = await view();
      const tools = catalog.servers
        .filter((server) => server.isEnabled && server.name !== BUILTIN_SERVER)
        .flatMap((server) => server.tools)
        .filter((tool) => !isHidden(tool));
      const byWire = new Map<string, Tool>(tools.map((tool) => [tool.wire, tool]));
      const order = await stableOrder(root, [...byWire.keys()]);
      return order.flatMap((wire) => {
        const tool = byWire.get(wire);
        return tool === undefined ? [] : [portableTool(tool)];
      });
    },
    resource: async (server, uri) => {
      const read = (await serverOf(server)).resources?.read;
      if (read === undefined) throw unknown(`The server "${oneLine(server, 64)}" offers no resources.`);
      const contents = await answerOf(read, { uri });
      return portableResource(Array.isArray(contents) ? (contents as readonly Json[]) : []);
    },
    prompt: async (server, name, args = {}) => {
      const prompt = (await serverOf(server)).prompts.find(({ raw }) => raw === name);
      if (prompt === undefined)
        throw unknown(`The server "${oneLine(server, 64)}" offers no prompt "${oneLine(name, 64)}".`);
      const messages = own(await answerOf(prompt, args), "messages");
      return portablePrompt(Array.isArray(messages) ? (messages as readonly Json[]) : []);
    },
  };
}

function unknown(sentence: string): McpfsError {
  return new McpfsError("TOOL_UNKNOWN", sentence, {
    hint: 'servers/README.md says which servers have resources and prompts; "mcpfs sync" reads their lists.',
  });
}
