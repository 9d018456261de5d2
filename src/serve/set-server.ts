import type { Host } from "../engine/host.ts";
import { McpfsError } from "../kernel/errors.ts";
import { nearestOf } from "../kernel/nearest.ts";
import { trustServers } from "../kernel/next-steps.ts";
import { count, oneLine } from "../kernel/text.ts";
import type { ServerName } from "../model/names.ts";
import type { ClientCaller } from "../policy/decision.ts";
import { FLAG, KEEPS, type MetaTool, said, shape, TEXT, WHOLE } from "./meta-tool.ts";

/** `set_server`: switches a server of the config on or off. It adds none, and trusts none. */
export function setServer(host: Host, onChanged: () => Promise<void>): MetaTool {
  return {
    definition: {
      name: "set_server",
      title: "Switch a server",
      description: "Switches a server on or off for everybody who uses this workspace.",
      inputSchema: shape({ name: said(TEXT, "As list_servers names it"), enabled: FLAG }),
      outputSchema: shape({ name: TEXT, enabled: FLAG, tools: WHOLE }),
      annotations: KEEPS,
    },
    run: async (args, { client: { caller } }) => {
      const { name, enabled } = args as { name: string; enabled: boolean };
      const server = await knownServer(host, name, caller);
      const { report } = await host.switchServer(server, enabled);
      await onChanged();
      const [synced] = report.servers;
      const error = synced?.error;
      if (error !== null && error !== undefined)
        throw new McpfsError("SERVER_FAILED", `${server} is on, but does not answer: ${error.message}`, {
          hint: error.code === "UNTRUSTED" ? trustServers() : error.hint,
        });
      const known = enabled ? await host.searchServers("", caller) : [];
      const tools = known.find((found) => found.name === server)?.tools ?? 0;
      return {
        text: enabled ? `${server} is on: ${count(tools, "tool")}.` : `${server} is off.`,
        value: { name: server, enabled, tools },
      };
    },
  };
}

/** A server of which policy leaves the client nothing is none. */
async function knownServer(host: Host, name: string, caller: ClientCaller): Promise<ServerName> {
  const servers = await host.searchServers("", caller);
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found.name;
  const near = nearestOf(
    name,
    servers.map((server) => server.name),
    3,
  );
  throw new McpfsError("USAGE", `There is no server ${JSON.stringify(oneLine(name, 80))}.`, {
    hint: near.length === 0 ? "list_servers names them all." : `Did you mean ${near.join(" or ")}?`,
  });
}
