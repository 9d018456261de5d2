import { pathToFileURL } from "node:url";
import { toMcpfsError } from "../kernel/errors.ts";
import { isJsonObject, type Json, own } from "../kernel/json.ts";
import type { Log } from "../kernel/log.ts";
import { oneLine } from "../kernel/text.ts";
import type { CallerSide, Root } from "../model/caller-side.ts";
import type { Reply } from "../model/question.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import { type ClientAnswer, INVALID_PARAMS, METHOD_NOT_FOUND } from "./client-answer.ts";
import { createSampling, type LendModel } from "./lend-model.ts";
import { readQuestion } from "./read-question.ts";

/** Answers what a server asks of its client: questions for a person, roots, a model. Both generations ask the same. */
export interface ClientRequests {
  /** Never rejects; `undefined` for a method that mcpfs does not know. `params` is untrusted. */
  readonly answer: (
    method: string,
    params: Json | undefined,
    signal: AbortSignal,
  ) => Promise<ClientAnswer> | undefined;
}

/** Creates the answerer of one server. */
export function createClientRequests(options: {
  readonly entry: ServerEntry;
  readonly log: Log;
  /** Who can be asked at this moment. A side without `askPerson` declines every question. */
  readonly side: () => CallerSide;
  /** The files folder, absolute: the one root. */
  readonly filesFolder: string;
  /** The config's small model, for this server; absent where the config names none. */
  readonly lendModel: LendModel;
  /** False where the server asks outside of any call: nobody then wants what a model would cost. */
  readonly isInCall: () => boolean;
  /** Text of the server for a message: redacted, visible, one line. */
  readonly shown: (text: string, maxLength?: number) => string;
}): ClientRequests {
  const { entry, log, side, shown } = options;
  const sample = createSampling(options);

  const elicit = async (params: Json | undefined, signal: AbortSignal): Promise<ClientAnswer> => {
    const read = readQuestion(entry.name, params);
    if (read.kind === "invalid") return { kind: "error", code: INVALID_PARAMS, message: read.reason };
    const { question } = read;
    const { askPerson } = side();
    const asked = `Server ${entry.name} asks: ${shown(question.message, 300)}`;
    if (askPerson === undefined) {
      const page =
        question.kind === "url" ? ` It wants this page to be visited: ${shown(question.url, 2_000)}` : "";
      log.warn(`${asked}${page} There is nobody who can answer, so the question was declined.`);
      return replied({ kind: "decline" });
    }
    try {
      return replied(await askPerson(question, signal));
    } catch (error) {
      log.warn(`${asked} It was declined: ${toMcpfsError(error).message}`);
      return replied({ kind: "decline" });
    }
  };

  return {
    answer: (method, params, signal) => {
      switch (method) {
        case "elicitation/create":
          return elicit(params, signal);
        case "roots/list":
          return rootsOf(entry, options.filesFolder, side(), signal);
        case "sampling/createMessage":
          return sample(params, signal);
        default:
          return undefined;
      }
    },
  };
}

async function rootsOf(
  entry: ServerEntry,
  filesFolder: string,
  { listRoots }: CallerSide,
  signal: AbortSignal,
): Promise<ClientAnswer> {
  if (!entry.sharesRoots)
    return {
      kind: "error",
      code: METHOD_NOT_FOUND,
      message: 'mcpfs declares no roots: "roots": true in mcpfs.json allows them.',
    };
  const own: Root = { uri: pathToFileURL(filesFolder).href, name: "workspace" };
  const others = (await listRoots?.(signal).catch(() => [])) ?? [];
  return { kind: "result", result: { roots: [own, ...others].map(({ uri, name }) => ({ uri, name })) } };
}

function replied(reply: Reply): ClientAnswer {
  const content =
    reply.kind === "accept" && Object.keys(reply.content).length > 0 ? reply.content : undefined;
  return { kind: "result", result: { action: reply.kind, ...(content === undefined ? {} : { content }) } };
}

/** One request of a list of them, as revision 2026-07-28 carries them in a result. */
export function readInputRequest(
  request: Json | undefined,
): { readonly method: string; readonly params: Json | undefined } | undefined {
  const method = own(request, "method");
  return isJsonObject(request) && typeof method === "string"
    ? { method, params: own(request, "params") }
    : undefined;
}

/** A method for a sentence. */
export function shownMethod(method: string): string {
  return oneLine(method, 60);
}
