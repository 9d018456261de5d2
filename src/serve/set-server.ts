import type { Host } from "../engine/host.ts";
import { SET_SERVER_TOOL, type SetServer } from "../engine/servers/set-server.ts";
import { McpfsError } from "../kernel/errors.ts";
import { isJsonObject } from "../kernel/json.ts";
import { trustServers } from "../kernel/next-steps.ts";
import { count } from "../kernel/text.ts";
import { errorText } from "./answers.ts";
import { FLAG, type MetaTool, said, shape, TEXT, WHOLE } from "./meta-tool.ts";

/** `set_server`: switches a server of the config on or off, as far as policy and a person let this client. It adds none, and trusts none. */
export function setServer(host: Host, onChanged: () => Promise<void>): MetaTool {
  const { raw, title, description, definition } = SET_SERVER_TOOL;
  return {
    definition: {
      name: raw,
      title,
      description,
      inputSchema: shape({ name: said(TEXT, "As list_servers names it"), enabled: FLAG }),
      outputSchema: shape({ name: TEXT, enabled: FLAG, tools: WHOLE }),
      annotations: isJsonObject(definition.annotations) ? definition.annotations : {},
    },
    run: async (args, { client: { caller, limits }, side, signal }) => {
      const outcome = await host.call(SET_SERVER_TOOL.wire, args, { limits, side, signal, caller });
      if (outcome.kind === "error") return { text: errorText(outcome.error), value: {}, isError: true };
      await onChanged();
      const { name, enabled, tools, problem } = outcome.value as unknown as SetServer;
      if (problem !== null)
        throw new McpfsError("SERVER_FAILED", `${name} is on, but does not answer: ${problem.message}`, {
          hint: problem.code === "UNTRUSTED" ? trustServers() : problem.hint,
        });
      return {
        text: enabled ? `${name} is on: ${count(tools, "tool")}.` : `${name} is off.`,
        value: { name, enabled, tools },
      };
    },
  };
}
