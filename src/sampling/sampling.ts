import { McpfsError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import type { AskModel } from "../model/caller-side.ts";
import type { ModelAnswer, ModelMessage, ModelRequest, TextModel } from "../model/text-model.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";

/** The model of an MCP client, asked by `sampling/createMessage` (client/sampling). */
export function createClientModel(ask: AskModel): TextModel {
  return {
    answer: async (request, signal) => {
      const result = await ask(paramsOf(request), signal);
      if (signal.aborted) throw signal.reason;
      const texts = blocksOf(own(result, "content")).map(textOf);
      if (texts.length === 0 || texts.includes(undefined)) throw noAnswer(result);
      const text = texts.join("");
      const model = own(result, "model");
      const asked = [request.system ?? "", ...request.messages.map((message) => message.text)].join("\n");
      return {
        text,
        model: typeof model === "string" ? oneLine(model, 80) : "",
        isCut: own(result, "stopReason") === "maxTokens",
        tokens: { input: estimateTokens(asked), output: estimateTokens(text) },
      };
    },
  };
}

function paramsOf({ system, messages, maxTokens, temperature = 0, stop }: ModelRequest): JsonObject {
  return {
    messages: messages.map(({ role, text }) => ({ role, content: { type: "text", text } })),
    ...(system === undefined ? {} : { systemPrompt: system }),
    maxTokens,
    temperature,
    ...(stop === undefined ? {} : { stopSequences: stop }),
  };
}

function noAnswer(result: Json | undefined): McpfsError {
  const what =
    result === undefined
      ? "The client did not answer for its model"
      : "The client's model answered without text";
  return new McpfsError("SERVER_FAILED", `${what}.`, {
    hint: "The person behind the client may have declined; or name a model in mcpfs.json: docs/extract.md.",
  });
}

/** A request of a server, as far as a model of text can answer it. */
export type ReadSampling =
  | { readonly kind: "request"; readonly request: ModelRequest }
  | { readonly kind: "invalid"; readonly reason: string }
  /** Well made, and beyond a model that takes and gives text. */
  | { readonly kind: "beyond"; readonly reason: string };

/** More turns or characters than that is no question of a tool. */
const MAX_MESSAGES = 200;
const MAX_CHARACTERS = 400_000;
/** An answer of a tool's helper needs no more; whoever keeps the config pays for it. */
const MAX_ANSWER_TOKENS = 4_000;

/** Reads the parameters of `sampling/createMessage`, which are a server's: untrusted. */
export function readSampling(params: Json | undefined): ReadSampling {
  const listed = own(params, "messages");
  if (!Array.isArray(listed) || listed.length === 0) return invalid("messages is missing or empty");
  if (listed.length > MAX_MESSAGES) return invalid(`more than ${MAX_MESSAGES} messages`);
  if (own(params, "tools") !== undefined)
    return { kind: "beyond", reason: "It wants its tools used, and the model of mcpfs.json has none." };
  const messages: ModelMessage[] = [];
  for (const item of listed as readonly Json[]) {
    const role = own(item, "role");
    if (role !== "user" && role !== "assistant") return invalid("a message has no role of the protocol");
    const texts = blocksOf(own(item, "content")).map(textOf);
    if (texts.includes(undefined))
      return {
        kind: "beyond",
        reason: "It sends pictures or sound, and the model of mcpfs.json takes text.",
      };
    messages.push({ role, text: texts.join("\n") });
  }
  const size = messages.reduce((sum, { text }) => sum + text.length, 0);
  if (size > MAX_CHARACTERS) return invalid(`more than ${MAX_CHARACTERS} characters`);
  const system = own(params, "systemPrompt");
  const maxTokens = own(params, "maxTokens");
  const temperature = own(params, "temperature");
  const stop = own(params, "stopSequences");
  return {
    kind: "request",
    request: {
      ...(typeof system === "string" ? { system } : {}),
      messages,
      maxTokens:
        typeof maxTokens === "number" && maxTokens >= 1
          ? Math.min(Math.floor(maxTokens), MAX_ANSWER_TOKENS)
          : MAX_ANSWER_TOKENS,
      ...(typeof temperature === "number" ? { temperature } : {}),
      ...(Array.isArray(stop) ? { stop: stop.filter((text) => typeof text === "string").slice(0, 4) } : {}),
    },
  };
}

/** The result of `sampling/createMessage`. */
export function samplingResult({ text, model, isCut }: ModelAnswer): JsonObject {
  return {
    role: "assistant",
    content: { type: "text", text },
    model: model === "" ? "unknown" : model,
    stopReason: isCut ? "maxTokens" : "endTurn",
  };
}

/** One block, or since 2025-11-25 a list of them. */
function blocksOf(content: Json | undefined): readonly Json[] {
  return Array.isArray(content) ? content : isJsonObject(content) ? [content] : [];
}

function textOf(block: Json): string | undefined {
  const text = own(block, "text");
  return own(block, "type") === "text" && typeof text === "string" ? text : undefined;
}

function invalid(reason: string): ReadSampling {
  return { kind: "invalid", reason: `The request for a model makes no sense: ${reason}.` };
}
