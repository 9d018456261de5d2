import type { ModelPlace } from "../model/model-entry.ts";
import type { Embedder } from "../model/search.ts";
import type { TextModel } from "../model/text-model.ts";
import { createChatEndpoint, createEmbeddingsEndpoint } from "./endpoints.ts";

/** The embedder at a place of the config; what is local is loaded at its first use. */
export async function openEmbedder(place: ModelPlace): Promise<Embedder> {
  switch (place.kind) {
    case "endpoint":
      return createEmbeddingsEndpoint(place);
    case "folder": {
      const { createStaticModel } = await import("./static-model.ts");
      return createStaticModel(place.path);
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
