import { digestText } from "../kernel/digest.ts";
import { McpfsError } from "../kernel/errors.ts";
import { type Json, type JsonObject, own } from "../kernel/json.ts";
import type { Embedder } from "../model/search.ts";
import type { ModelRequest, ModelTokens, TextModel } from "../model/text-model.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { normalized } from "./normalized.ts";
import { type Endpoint, postJson } from "./post-json.ts";

/** Embeddings by `POST /v1/embeddings`, as OpenAI, Ollama, vLLM and others answer it. */
export function createEmbeddingsEndpoint(endpoint: Endpoint): Embedder {
  return {
    id: `endpoint-${digestText(`${endpoint.url}\n${endpoint.model}`).slice(0, 16)}`,
    embed: async (texts, signal) => {
      const body = { model: endpoint.model, input: [...texts] };
      const answer = await postJson(endpoint, "/embeddings", body, signal);
      return vectorsIn(answer, texts.length);
    },
  };
}

/** Answers by `POST /v1/chat/completions`, without chance where nothing else is asked. */
export function createChatEndpoint(endpoint: Endpoint): TextModel {
  return {
    answer: async (request, signal) => {
      const { system, messages, maxTokens, temperature = 0, stop } = request;
      const asked = {
        model: endpoint.model,
        messages: [
          ...(system === undefined ? [] : [{ role: "system", content: system }]),
          ...messages.map(({ role, text }) => ({ role, content: text })),
        ],
      };
      const post = async (options: JsonObject): Promise<Json> =>
        await postJson(endpoint, "/chat/completions", { ...asked, ...options }, signal);
      const answer = await post({
        temperature,
        max_tokens: maxTokens,
        ...(stop === undefined ? {} : { stop }),
      }).catch(async (error) => {
        // OpenAI's models that think (gpt-5) refuse these three with 400, and take the limit under another name.
        if (!(error instanceof McpfsError) || own(error.data, "status") !== 400) throw error;
        return await post({ max_completion_tokens: maxTokens });
      });
      const choice = at(own(answer, "choices"), 0);
      const text = own(own(choice, "message"), "content");
      if (typeof text !== "string") throw wrongForm("no text in choices[0].message.content");
      return {
        text,
        model: endpoint.model,
        isCut: own(choice, "finish_reason") === "length",
        tokens: tokensOf(own(answer, "usage"), request, text),
      };
    },
  };
}

/** Not every server counts. */
function tokensOf(
  usage: Json | undefined,
  { system = "", messages }: ModelRequest,
  text: string,
): ModelTokens {
  const [input, output] = [own(usage, "prompt_tokens"), own(usage, "completion_tokens")];
  const asked = [system, ...messages.map((message) => message.text)].join("\n");
  return {
    input: typeof input === "number" ? input : estimateTokens(asked),
    output: typeof output === "number" ? output : estimateTokens(text),
  };
}

/** Elements may come in any order, each with its index; all are of one length. */
function vectorsIn(answer: Json, count: number): readonly Float32Array[] {
  const data = own(answer, "data");
  if (!Array.isArray(data) || data.length !== count) throw wrongForm(`not ${count} elements in data`);
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [position, item] of data.entries()) {
    const index = own(item, "index");
    const numbers = own(item, "embedding");
    if (
      !Array.isArray(numbers) ||
      numbers.length === 0 ||
      !numbers.every((value) => typeof value === "number")
    )
      throw wrongForm("no numbers in data[].embedding");
    vectors[typeof index === "number" ? index : position] = normalized(
      Float32Array.from(numbers as number[]),
    );
  }
  const length = vectors[0]?.length;
  return vectors.map((vector) => {
    if (vector === undefined || vector.length !== length) throw wrongForm("vectors of different lengths");
    return vector;
  });
}

function at(value: Json | undefined, index: number): Json | undefined {
  return Array.isArray(value) ? value[index] : undefined;
}

function wrongForm(what: string): McpfsError {
  return new McpfsError("SERVER_FAILED", `The endpoint does not answer in OpenAI's form: ${what}.`, {
    hint: 'Look whether "url" of the model in mcpfs.json ends in /v1.',
  });
}
