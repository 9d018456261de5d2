import type { Host } from "../engine/host.ts";
import { isJsonObject, isSameJson, type JsonObject, valueText } from "../kernel/json.ts";
import type { CallOutcome } from "../model/call.ts";
import { errorText, textBlock } from "./answers.ts";
import { type AnswerOwner, type KeptAnswers, textIn } from "./kept-answers.ts";
import { ACTS, ANYTHING, listOf, type MetaAnswer, type MetaTool, said, shape, TEXT } from "./meta-tool.ts";

export const CALL_TOOL = "call_tool";

/** `call_tool`: one call by a tool's exact name, the same route for all tools of all servers. */
export function callTool(host: Host, kept: KeptAnswers, mode: "discover" | "code"): MetaTool {
  return {
    definition: {
      name: CALL_TOOL,
      title: "Call a tool",
      description: `Calls one tool by its exact name.${mode === "code" ? " For several calls, or to filter what they answer, use run_script." : ""}`,
      inputSchema: shape({ name: TEXT, "args?": said({ type: "object" }, "The tool's arguments") }),
      outputSchema: shape({ value: ANYTHING, warnings: listOf(TEXT) }),
      annotations: ACTS,
    },
    run: async (args, { client, side, signal }) => {
      const { name, args: given = {} } = args as { name: string; args?: JsonObject };
      const leave = await client.enter(signal);
      try {
        const { limits, caller } = client;
        const outcome = await host.call(name, given, { limits, side, signal, caller });
        return await callAnswer(outcome, kept, { client, runId: outcome.runId });
      } finally {
        leave();
      }
    },
  };
}

async function callAnswer(outcome: CallOutcome, kept: KeptAnswers, whose: AnswerOwner): Promise<MetaAnswer> {
  if (outcome.kind === "error") return { text: errorText(outcome.error), value: {}, isError: true };
  const { value = null, content, warnings } = outcome;
  const blocks = content.filter(isJsonObject);
  // A server that gives no value, but several blocks: they are what there is, in their order.
  const isBlocks = blocks.length > 1 && isSameJson(value, content);
  const isText = !isBlocks && blocks.every((block) => textIn(block) !== undefined);
  const fitting = await kept.fit(isText ? [textBlock(valueText(value))] : blocks, whose);
  const text = fitting.blocks.flatMap((block) => textIn(block) ?? []).join("\n");
  const notes = warnings.map((warning) => `warning: ${warning}`);
  return {
    text: [text, ...notes].filter((part) => part !== "").join("\n"),
    value: { value: fitting.isCut ? text : value, warnings },
    blocks: fitting.blocks.filter((block) => textIn(block) === undefined),
    ...(isBlocks ? { asGiven: [...fitting.blocks, ...notes.map(textBlock)] } : {}),
  };
}
