import type { Json, JsonObject } from "../kernel/json.ts";
import type { Tool } from "../model/tool.ts";
import { fitSchema, plainSchema } from "./fit-schema.ts";
import { MAX_OPENAI_DESCRIPTION } from "./rules.ts";
import { toolNameFor } from "./tool-name.ts";
import type { Fitted, OfferOptions, Vendor } from "./vendor.ts";
import { withoutNulls } from "./without-nulls.ts";

/** A tool that can be offered to the model of any vendor. A fourth vendor is one method more. */
export interface PortableTool {
  readonly tool: Tool;
  /** An element of `tools` of Anthropic's Messages API. */
  readonly toAnthropic: (options?: OfferOptions) => Fitted;
  /** An element of `tools` of OpenAI's Responses API. */
  readonly toOpenAI: (options?: OfferOptions) => Fitted;
  /** An element of `functionDeclarations` of Gemini's API. */
  readonly toGemini: () => Fitted;
  /** The arguments that a model sent, as the server wants them: a `null` that stands for a missing field, as in strict schemas, goes. */
  readonly readArguments: (sent: Json) => Json;
}

/** Makes a tool portable. Its name there is the wire name, by which the model's call can be made. */
export function portableTool(tool: Tool): PortableTool {
  return {
    tool,
    toAnthropic: ({ isStrict = false, isDeferred = false } = {}) => {
      const { schema, isStrict: isKept, changes } = fitSchema(tool.inputSchema, "anthropic", isStrict);
      const { name, renamed } = nameOf(tool, "anthropic");
      const text = descriptionOf(tool);
      const value = {
        name,
        ...(text === "" ? {} : { description: text }),
        input_schema: schema,
        ...(isKept ? { strict: true } : {}),
        ...(isDeferred ? { defer_loading: true } : {}),
      };
      return { value, changes: [...renamed, ...changes] };
    },
    toOpenAI: ({ isStrict = false, isDeferred = false } = {}) => {
      const { schema, isStrict: isKept, changes } = fitSchema(tool.inputSchema, "openai", isStrict);
      const { name, renamed } = nameOf(tool, "openai");
      const { head, rest } = cut(descriptionOf(tool), MAX_OPENAI_DESCRIPTION);
      const moved = `description: has more than ${MAX_OPENAI_DESCRIPTION} characters, so the rest stands in that of the arguments`;
      const value = {
        type: "function",
        name,
        ...(head === "" ? {} : { description: head }),
        parameters: rest === "" ? schema : withDescription(schema, rest),
        // Left out it would mean true.
        strict: isKept,
        ...(isDeferred ? { defer_loading: true } : {}),
      };
      return { value, changes: [...renamed, ...(rest === "" ? [] : [moved]), ...changes] };
    },
    toGemini: () => {
      const { schema, changes } = fitSchema(tool.inputSchema, "gemini", false);
      const { name, renamed } = nameOf(tool, "gemini");
      const text = descriptionOf(tool);
      const added = text === "" ? ["description: is required, so the tool's name stands there"] : [];
      const value = { name, description: text === "" ? tool.raw : text, parametersJsonSchema: schema };
      return { value, changes: [...renamed, ...added, ...changes] };
    },
    readArguments: (sent) => withoutNulls(plainSchema(tool.inputSchema), sent),
  };
}

function nameOf(
  { wire }: Tool,
  vendor: Vendor,
): { readonly name: string; readonly renamed: readonly string[] } {
  const name = toolNameFor(vendor, wire);
  return { name, renamed: name === wire ? [] : [`name: ${wire} is not allowed there, so it is ${name}`] };
}

function descriptionOf({ title, description }: Tool): string {
  return description === "" ? title : description;
}

/** Cuts a text behind the last sentence, or at least word, that has room. */
function cut(text: string, maxLength: number): { readonly head: string; readonly rest: string } {
  if (text.length <= maxLength) return { head: text, rest: "" };
  const room = text.slice(0, maxLength - 1);
  const end = Math.max(room.lastIndexOf("\n"), room.lastIndexOf(". ") + 1);
  const at = end > maxLength / 2 ? end : Math.max(room.lastIndexOf(" "), maxLength / 2);
  return { head: `${text.slice(0, at).trimEnd()}…`.slice(0, maxLength), rest: `…${text.slice(at).trim()}` };
}

function withDescription(schema: JsonObject, text: string): JsonObject {
  const { description, ...rest } = schema;
  return { description: typeof description === "string" ? `${text}\n${description}` : text, ...rest };
}
