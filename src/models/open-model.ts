import type { ModelPlace } from "../model/model-entry.ts";
import type { Embedder } from "../model/search.ts";
import type { TextModel } from "../model/text-model.ts";
import { createChatEndpoint, createEmbeddingsEndpoint } from "./endpoints.ts";

/** The embedder at a place of the config. @throws McpfsError FILE_FAILED for a folder without a model */
export async function openEmbedder(place: ModelPlace): Promise<Embedder> {
  switch (place.kind) {
    case "endpoint":
      return createEmbeddingsEndpoint(place);
    case "folder": {
      const { openStaticModel } = await import("./static-model.ts");
      return await openStaticModel(place.path);
    }
    case "package": {
      const { createPackageModel } = await import("./package-model.ts");
      return createPackageModel(place.name);
    }
  }
}

/** The small model at a place of the config, which is an endpoint. */
export function openTextModel(place: ModelPlace & { readonly kind: "endpoint" }): TextModel {
  return createChatEndpoint(place);
}
