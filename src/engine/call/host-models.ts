import type { Clock } from "../../kernel/clock.ts";
import { McpfsError } from "../../kernel/errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { CallerSide } from "../../model/caller-side.ts";
import type { ModelEntry, ModelPlace } from "../../model/model-entry.ts";
import type { ServerName } from "../../model/names.ts";
import type { TextModel } from "../../model/text-model.ts";

/** The language models that a host can ask. */
export interface HostModels {
  /** That of the client which asks, where it lends one. */
  readonly ofClient: (side: CallerSide | undefined) => Promise<TextModel | undefined>;
  /**
   * What a run may ask: the model of the client that wants the run, else the small one of the config.
   * @throws McpfsError MODEL_MISSING, UNTRUSTED, CONFIG_INVALID
   */
  readonly forRun: (side: CallerSide | undefined) => Promise<TextModel>;
  /** The small one of the config, for a server that may ask it; the ledger says what it cost. @throws McpfsError UNTRUSTED, CONFIG_INVALID */
  readonly lend: (server: ServerName) => Promise<TextModel | undefined>;
}

export interface HostModelParts {
  /** Where a model of the config is; `undefined` where the config names none. @throws McpfsError UNTRUSTED, CONFIG_INVALID */
  readonly places: (role: ModelEntry["role"]) => Promise<ModelPlace | undefined>;
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/** Creates the access; nothing is loaded before it is needed. */
export function createHostModels({ places, ledger, clock }: HostModelParts): HostModels {
  const ofClient: HostModels["ofClient"] = async (side) => {
    if (side?.askModel === undefined) return undefined;
    const { createClientModel } = await import("../../sampling/sampling.ts");
    return createClientModel(side.askModel);
  };
  const configured = async (): Promise<TextModel | undefined> => {
    const place = await places("small");
    if (place?.kind !== "endpoint") return undefined;
    const { openTextModel } = await import("../../models/open-model.ts");
    return openTextModel(place);
  };
  return {
    ofClient,
    forRun: async (side) => {
      const model = (await ofClient(side)) ?? (await configured());
      if (model === undefined) throw missing();
      return model;
    },
    lend: async (server) => {
      const model = await configured();
      if (model === undefined) return undefined;
      return {
        answer: async (request, signal) => {
          const answer = await model.answer(request, signal);
          await ledger.add({ kind: "model", atMs: clock.now(), server, tokens: answer.tokens });
          return answer;
        },
      };
    },
  };
}

function missing(): McpfsError {
  const message = "There is no language model to ask: mcpfs.json names none, and no client lends one.";
  return new McpfsError("MODEL_MISSING", message, {
    hint: 'Name one in mcpfs.json: "models": {"small": {"url": "http://localhost:11434/v1", "model": "…"}}; or use mcpfs serve with a client that has sampling. See docs/extract.md.',
  });
}
