import type { Host } from "../engine/host.ts";
import { type Json, type JsonObject, valueText } from "../kernel/json.ts";
import type { CallOutcome } from "../model/call.ts";
import { errorText } from "./answers.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import { ACTS, ANYTHING, listOf, type MetaAnswer, type MetaTool, said, shape, TEXT } from "./meta-tool.ts";

export const CALL_TOOL = "call_tool";

/** `call_tool`: one call by a tool's exact name, the same route for all tools of all servers. */
export function callTool(host: Host, kept: KeptAnswers): MetaTool {
  return {
    definition: {
      name: CALL_TOOL,
      title: "Call a tool",
      description:
        "Calls one tool by its exact name. For several calls, or to filter what they answer, use run_script.",
      inputSchema: shape({ name: TEXT, "args?": said({ type: "object" }, "The tool's arguments") }),
      outputSchema: shape({ value: ANYTHING, warnings: listOf(TEXT) }),
      annotations: ACTS,
    },
    run: async (args, { client, side, signal }) => {
      const { name, args: given = {} } = args as { name: string; args?: JsonObject };
      const leave = await client.enter(signal);
      try {
        const { limits, caller } = client;
        return await callAnswer(await host.call(name, given, { limits, side, signal, caller }), kept, client);
      } finally {
        leave();
      }
    },
  };
}

async function callAnswer(
  outcome: CallOutcome,
  kept: KeptAnswers,
  client: Parameters<KeptAnswers["fit"]>[1],
): Promise<MetaAnswer> {
  if (outcome.kind === "error") {
    const { error } = outcome;
    return { text: errorText(error), value: {}, isError: true };
  }
  const { value = null, content, warnings } = outcome;
  const media = content.filter(isMedia);
  const fitting = await kept.fit(media.length > 0 ? textsOf(content) : valueText(value), client);
  const notes = warnings.map((warning) => `warning: ${warning}`);
  return {
    text: [fitting.text, ...notes].filter((part) => part !== "").join("\n"),
    value: { value: fitting.isCut ? fitting.text : value, warnings },
    blocks: [...media, ...fitting.links],
  };
}

/** A block that is no text: an image, audio, a link, an embedded resource. */
function isMedia(block: Json): block is JsonObject {
  return (block as JsonObject | null)?.type !== "text";
}

function textsOf(content: readonly Json[]): string {
  return content
    .filter((block) => !isMedia(block))
    .map((block) => String((block as JsonObject | null)?.text ?? ""))
    .join("\n");
}
