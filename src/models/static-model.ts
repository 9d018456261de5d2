import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { digestText } from "../kernel/digest.ts";
import { McpfsError } from "../kernel/errors.ts";
import { isJsonObject, type Json, own, parseJson } from "../kernel/json.ts";
import type { Embedder } from "../model/search.ts";
import { normalized } from "./normalized.ts";
import { readTensor, type Tensor } from "./safetensors.ts";
import { createWordPieces, type WordPieces } from "./word-pieces.ts";

interface StaticModel {
  readonly table: Tensor;
  readonly pieces: WordPieces;
  /** Size and time of the files: another state, another model. */
  readonly state: string;
}

/**
 * A static embedding model in the form of model2vec: a folder with `model.safetensors`, one vector for each piece of a word, and `tokenizer.json`. A text's vector
 * is the mean of its pieces' vectors, so thousands of definitions take a second, with no package but mcpfs.
 * @param path absolute path of the folder
 * @throws McpfsError FILE_FAILED when it holds no such model
 */
export async function openStaticModel(path: string): Promise<Embedder> {
  const model = await loadModel(path);
  return {
    id: `folder-${digestText(`${path}\n${model.state}`).slice(0, 16)}`,
    embed: async (texts, signal) => {
      signal.throwIfAborted();
      return texts.map((text) => meanOf(model, text));
    },
  };
}

function meanOf({ table, pieces }: StaticModel, text: string): Float32Array {
  const sum = new Float32Array(table.columns);
  for (const piece of pieces(text)) {
    const start = piece * table.columns;
    for (let at = 0; at < table.columns; at += 1) sum[at] = (sum[at] ?? 0) + (table.values[start + at] ?? 0);
  }
  return normalized(sum);
}

async function loadModel(path: string): Promise<StaticModel> {
  const files = ["model.safetensors", "tokenizer.json"].map((name) => join(path, name));
  try {
    // Before they are read: what is put there meanwhile is then taken for new once more, never for old.
    const states = await Promise.all(files.map(async (file) => await stat(file)));
    const [weights, tokenizer] = await Promise.all(files.map(async (file) => await readFile(file)));
    const table = weights === undefined ? undefined : readTensor(weights, "embeddings");
    const pieces = tokenizer === undefined ? undefined : createWordPieces(vocabularyOf(tokenizer));
    if (table !== undefined && pieces !== undefined)
      return { table, pieces, state: states.map(({ size, mtimeMs }) => `${size} ${mtimeMs}`).join(" ") };
  } catch (cause) {
    throw unusable(path, cause);
  }
  throw unusable(path, undefined);
}

/** @returns pieces by text. @throws when the file is none of a WordPiece tokenizer */
function vocabularyOf(tokenizer: Buffer): ReadonlyMap<string, number> {
  const model = own(parseJson(tokenizer.toString("utf8")), "model");
  const vocabulary: Json | undefined = own(model, "vocab");
  if (own(model, "type") !== "WordPiece" || !isJsonObject(vocabulary))
    throw new TypeError("no WordPiece vocabulary");
  return new Map(
    Object.entries(vocabulary).flatMap(([piece, id]) =>
      typeof id === "number" ? [[piece, id] as const] : [],
    ),
  );
}

function unusable(path: string, cause: unknown): McpfsError {
  return new McpfsError("FILE_FAILED", `${path} holds no static embedding model that mcpfs can read.`, {
    hint: "It needs model.safetensors with a table of floats named embeddings, and tokenizer.json of type WordPiece, as model2vec writes them.",
    cause,
  });
}
