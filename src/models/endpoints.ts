import { digestText } from "../kernel/digest.ts";
import { McpfsError } from "../kernel/errors.ts";
import { type Json, own } from "../kernel/json.ts";
import type { Embedder, TextModel } from "../model/search.ts";
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

/** Answers by `POST /v1/chat/completions`, without chance. */
export function createChatEndpoint(endpoint: Endpoint): TextModel {
  return {
    answer: async (prompt, signal) => {
      const body = {
        model: endpoint.model,
        messages: [{ role: "user", content: prompt }],
        temperature: 0,
        max_tokens: MAX_ANSWER_TOKENS,
      };
      const answer = await postJson(endpoint, "/chat/completions", body, signal);
      const text = own(own(at(own(answer, "choices"), 0), "message"), "content");
      if (typeof text !== "string") throw wrongForm("no text in choices[0].message.content");
      return text;
    },
  };
}

/** A list of numbers, and what a small model thinks before it. */
const MAX_ANSWER_TOKENS = 1_000;

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
