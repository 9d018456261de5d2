import { toMcpfsError } from "../kernel/errors.ts";
import { type Json, type JsonObject, own } from "../kernel/json.ts";
import type { Log } from "../kernel/log.ts";
import type { CallerSide } from "../model/caller-side.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import type { TextModel } from "../model/text-model.ts";
import { readSampling, samplingResult } from "../sampling/sampling.ts";
import { type ClientAnswer, INVALID_PARAMS, METHOD_NOT_FOUND } from "./client-answer.ts";

/** Gives the config's small model, or `undefined` where there is none. @throws McpfsError UNTRUSTED, CONFIG_INVALID */
export type LendModel = () => Promise<TextModel | undefined>;

export interface SamplingParts {
  readonly entry: ServerEntry;
  readonly log: Log;
  readonly side: () => CallerSide;
  readonly lendModel: LendModel;
  readonly isInCall: () => boolean;
}

/** A person or the client said no (client/sampling, Error Handling). */
const DECLINED = -1;
/** Requests of one call at the same time; each costs somebody money. */
const MAX_AT_ONCE = 4;

/**
 * Answers `sampling/createMessage` of a server, as far as its entry allows: by the model of the client whose call it is, or by the
 * small one of the config. Only while a call is open, since nobody else wants the answer.
 */
export function createSampling(
  parts: SamplingParts,
): (params: Json | undefined, signal: AbortSignal) => Promise<ClientAnswer> {
  const { entry, log, side, lendModel, isInCall } = parts;
  const logged = new Set<string>();
  let open = 0;

  const declined = (reason: string, code = DECLINED, told = reason): ClientAnswer => {
    // A server may ask again and again.
    if (!logged.has(reason))
      log.warn(`Server ${entry.name} asks for a language model. It was declined: ${reason}`);
    logged.add(reason);
    return { kind: "error", code, message: told };
  };

  const answer = async (params: Json | undefined, signal: AbortSignal): Promise<ClientAnswer> => {
    const read = readSampling(params);
    if (read.kind === "invalid") return { kind: "error", code: INVALID_PARAMS, message: read.reason };
    if (entry.sampling === "client") {
      const { askModel } = side();
      if (askModel === undefined)
        return declined(
          "The client that makes the call lends no model, or calls of several clients are open.",
        );
      const result = await askModel(passedOn(entry.name, params), signal);
      return resultOf(result) ?? declined("The client did not answer for its model.");
    }
    if (read.kind === "beyond") return declined(read.reason);
    const model = await lendModel();
    if (model === undefined) return declined('mcpfs.json names no model: "models": {"small": …}.');
    return { kind: "result", result: samplingResult(await model.answer(read.request, signal)) };
  };

  return async (params, signal) => {
    if (entry.sampling === undefined)
      return declined(
        'No model may be asked: "sampling" of the server in mcpfs.json allows it.',
        METHOD_NOT_FOUND,
      );
    if (!isInCall()) return declined("A model may be asked only in the middle of a call.");
    if (open >= MAX_AT_ONCE) return declined(`${MAX_AT_ONCE} requests for a model are open already.`);
    open += 1;
    try {
      return await answer(params, signal);
    } catch (error) {
      // Where the model is and why it fails is nothing for the server.
      return declined(toMcpfsError(error).message, DECLINED, "The model could not be asked.");
    } finally {
      open -= 1;
    }
  };
}

/** What of a server's request goes to a client: what a model is asked, and who asks. Context of other servers is not given away. */
const PASSED_ON = ["messages", "modelPreferences", "maxTokens", "temperature", "stopSequences"] as const;

function passedOn(server: string, params: Json | undefined): JsonObject {
  const system = own(params, "systemPrompt");
  const whose = `This request comes from the MCP server ${server}; mcpfs passes it on.`;
  const kept = PASSED_ON.flatMap((key) => {
    const value = own(params, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    systemPrompt: typeof system === "string" ? `${whose}\n\n${system}` : whose,
  };
}

/** The client's answer without what it has besides. */
function resultOf(result: Json | undefined): ClientAnswer | undefined {
  const [role, content, model] = [own(result, "role"), own(result, "content"), own(result, "model")];
  const stopReason = own(result, "stopReason");
  if (role === undefined || content === undefined) return undefined;
  return {
    kind: "result",
    result: {
      role,
      content,
      model: model ?? "unknown",
      ...(stopReason === undefined ? {} : { stopReason }),
    },
  };
}
