import type { Host } from "../engine/host.ts";
import { isJsonObject, type Json, type JsonObject, own, valueText } from "../kernel/json.ts";
import type { CallOutcome } from "../model/call.ts";
import type { Tool } from "../model/tool.ts";
import type { ServedTool, ToolResult } from "../protocol/served.ts";
import { errorText, textBlock } from "./answers.ts";
import type { AnswerOwner, KeptAnswers } from "./kept-answers.ts";
import type { MetaCall } from "./meta-tool.ts";

/**
 * A tool's definition as its server gave it, under its wire name. What clients would refuse a whole list for (a description that is no
 * text, hints that are no booleans) is left out; of the schemas nothing is changed but a root that does not say `object`.
 */
export function directTool(tool: Tool): ServedTool {
  const { definition, title, description, wire } = tool;
  const inputSchema = isJsonObject(tool.inputSchema) ? tool.inputSchema : {};
  const outputSchema = own(definition, "outputSchema");
  const annotations = annotationsOf(own(definition, "annotations"));
  return {
    name: wire,
    ...(title === "" ? {} : { title }),
    ...(description === "" ? {} : { description }),
    inputSchema: own(inputSchema, "type") === "object" ? inputSchema : { ...inputSchema, type: "object" },
    ...(isJsonObject(outputSchema) ? { outputSchema } : {}),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

const HINTS: readonly string[] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

function annotationsOf(annotations: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(annotations)) return undefined;
  const kept = Object.entries(annotations).filter(([key, value]) =>
    key === "title" ? typeof value === "string" : HINTS.includes(key) && typeof value === "boolean",
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Makes the call of a tool that was listed as itself, and answers as its server did, within the client's budget. */
export async function callDirectly(
  host: Host,
  kept: KeptAnswers,
  request: { readonly wire: string; readonly args: JsonObject },
  { client, side, signal }: MetaCall,
): Promise<ToolResult> {
  const leave = await client.enter(signal);
  try {
    const { limits, caller } = client;
    const outcome = await host.call(request.wire, request.args, { limits, side, signal, caller });
    return await directResult(outcome, outcome.tool, kept, { client, runId: outcome.runId });
  } finally {
    leave();
  }
}

async function directResult(
  outcome: CallOutcome,
  tool: Tool,
  kept: KeptAnswers,
  whose: AnswerOwner,
): Promise<ToolResult> {
  if (outcome.kind === "error") {
    const { error } = outcome;
    const blocks = error.content.filter(isJsonObject);
    const fitting = await kept.fit(blocks.length > 0 ? blocks : [textBlock(errorText(error))], whose);
    return { content: fitting.blocks, isError: true };
  }
  const { value, content } = outcome;
  const blocks = content.filter(isJsonObject);
  // A client holds the answer to the schema that it was shown.
  const isStructured = isJsonObject(own(tool.definition, "outputSchema")) && value !== undefined;
  // A server may answer with a value alone, though it declares none.
  const isValueAlone = blocks.length === 0 && value !== undefined && !isStructured;
  const fitting = await kept.fit(isValueAlone ? [textBlock(valueText(value))] : blocks, whose);
  return { content: fitting.blocks, ...(isStructured ? { structuredContent: value } : {}) };
}
