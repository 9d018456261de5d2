import { z } from "zod";
import { LOCAL_PACKAGES } from "../model/model-entry.ts";
import { STRATEGIES, type StrategyName } from "../model/search.ts";
import { text } from "./schema-parts.ts";

const oneOf = (words: readonly string[]): string => `one of ${words.join(", ")}`;

const endpoint = {
  url: text
    .describe("Where a model answers in OpenAI's form, up to /v1: http://localhost:11434/v1 is Ollama.")
    .optional(),
  model: text.describe("The model's name there.").optional(),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how the file writes a variable.
  apiKey: text.describe("The key as a variable of the environment: ${OPENAI_API_KEY}.").optional(),
  timeoutMs: z
    .int({ error: "a whole number of milliseconds" })
    .min(1, { error: "at least 1" })
    .max(600_000, { error: "at most 600000" })
    .describe("Milliseconds that one request may take. Default: 10000.")
    .optional(),
};

const embeddings = z.looseObject(
  {
    ...endpoint,
    path: text
      .describe("A folder with model.safetensors and tokenizer.json of a static model (model2vec).")
      .optional(),
    package: z
      .enum(LOCAL_PACKAGES, { error: oneOf(LOCAL_PACKAGES) })
      .describe("A package with a model, installed beside mcpfs.")
      .optional(),
  },
  { error: "an object with url and model, with path, or with package" },
);
const small = z.looseObject(endpoint, { error: "an object with url and model" });

/** The key `models`. */
export const modelsSchema: z.ZodType<ModelsShape> = z.looseObject(
  {
    embeddings: embeddings
      .describe("Turns definitions and queries into vectors: the strategy semantic.")
      .optional(),
    small: small
      .describe('A small language model: the strategy model, extract, servers with "sampling": "model".')
      .optional(),
  },
  { error: "an object with embeddings or small" },
);

/** One model, as it stands in the file. */
export interface ModelShape {
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly path?: string | undefined;
  readonly package?: (typeof LOCAL_PACKAGES)[number] | undefined;
}

export interface ModelsShape {
  readonly embeddings?: ModelShape | undefined;
  readonly small?: ModelShape | undefined;
}

/** The keys that a model may have. */
export const MODEL_KEYS: Readonly<Record<keyof ModelsShape, readonly string[]>> = {
  embeddings: Object.keys(embeddings.shape),
  small: Object.keys(small.shape),
};

const searchObject = z.looseObject(
  {
    strategy: z
      .enum(STRATEGIES, { error: oneOf(STRATEGIES) })
      .describe("How tools are found. Default: keyword.")
      .optional(),
    limit: z
      .int({ error: "a whole number" })
      .min(1, { error: "at least 1" })
      .max(50, { error: "at most 50" })
      .describe("Hits of a search. Default: 5.")
      .optional(),
    semanticWeight: z
      .number({ error: "a number" })
      .min(0, { error: "at least 0" })
      .max(10, { error: "at most 10" })
      .describe("What a rank of semantic counts in hybrid, where one of keyword counts 1. Default: 0.3.")
      .optional(),
  },
  { error: "an object with strategy" },
);

/** The key `search`. */
export const searchSchema: z.ZodType<SearchShape> = searchObject;

/** The keys that `search` may have. */
export const SEARCH_KEYS: readonly string[] = Object.keys(searchObject.shape);

export interface SearchShape {
  readonly strategy?: StrategyName | undefined;
  readonly limit?: number | undefined;
  readonly semanticWeight?: number | undefined;
}
