import { McpfsError } from "../../kernel/errors.ts";
import type { CallerSide } from "../../model/caller-side.ts";
import type { ModelEntry, ModelPlace } from "../../model/model-entry.ts";
import type { TextModel } from "../../model/text-model.ts";

/** Where a model of the config is; `undefined` where the config names none. @throws McpfsError UNTRUSTED, CONFIG_INVALID */
export type ModelPlaces = (role: ModelEntry["role"]) => Promise<ModelPlace | undefined>;

/** The model of the client that asked, where it lends one. */
export async function clientModel(side: CallerSide | undefined): Promise<TextModel | undefined> {
  if (side?.askModel === undefined) return undefined;
  const { createClientModel } = await import("../../sampling/sampling.ts");
  return createClientModel(side.askModel);
}

/** The small model of the config. @throws McpfsError UNTRUSTED, CONFIG_INVALID */
export async function configuredModel(places: ModelPlaces): Promise<TextModel | undefined> {
  const place = await places("small");
  if (place?.kind !== "endpoint") return undefined;
  const { openTextModel } = await import("../../models/open-model.ts");
  return openTextModel(place);
}

/**
 * The model that a run may ask: that of the client which asked for the run, else the small one of the config.
 * @throws McpfsError MODEL_MISSING, UNTRUSTED, CONFIG_INVALID
 */
export async function modelForRun(side: CallerSide | undefined, places: ModelPlaces): Promise<TextModel> {
  const model = (await clientModel(side)) ?? (await configuredModel(places));
  if (model !== undefined) return model;
  throw new McpfsError(
    "MODEL_MISSING",
    "There is no language model to ask: mcpfs.json names none, and no client lends one.",
    {
      hint: 'Name one in mcpfs.json: "models": {"small": {"url": "http://localhost:11434/v1", "model": "…"}}; or use mcpfs serve with a client that has sampling. See docs/extract.md.',
    },
  );
}
