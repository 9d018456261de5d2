import { isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";
import { type ClientRequests, readInputRequest, shownMethod } from "./client-requests.ts";
import type { RequestOptions, RequestOutcome, Requests } from "./requests.ts";

/** As the SDK does: a server that asks more often than that is not getting anywhere. */
const MAX_ROUNDS = 10;
/** Revision 2025-11-25: the request needs a page to be visited first. */
const URL_NEEDED = -32042;

/**
 * Makes a request to its end, though the server asks for input in between. Revision 2026-07-28 answers `input_required`, and the
 * request is made again with the answers and the untouched state (`basic/patterns/mrtr.mdx`); 2025-11-25 refuses with -32042
 * until a person has visited a page. Either way the server says that it has not acted, so making it again is no second call.
 */
export async function requestInRounds(
  requests: Requests,
  answer: ClientRequests["answer"],
  method: string,
  params: JsonObject,
  options: RequestOptions,
): Promise<RequestOutcome> {
  const signal = options.signal ?? new AbortController().signal;
  let extra: JsonObject = {};
  let hasVisited = false;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const outcome = await requests.request(method, { ...params, ...extra }, options);
    if (outcome.kind === "refused" && outcome.code === URL_NEEDED && !hasVisited) {
      hasVisited = await visitAll(answer, outcome.data, signal);
      if (!hasVisited) return outcome;
      continue;
    }
    if (outcome.kind !== "result" || own(outcome.result, "resultType") !== "input_required")
      return round === 1 ? outcome : notToKeep(outcome);
    const inputs = await answerAll(answer, own(outcome.result, "inputRequests"), signal);
    if (inputs.kind === "impossible") return { kind: "refused", code: 0, message: inputs.reason };
    if (signal.aborted) return { kind: "aborted" };
    const state = own(outcome.result, "requestState");
    extra = {
      ...(Object.keys(inputs.responses).length === 0 ? {} : { inputResponses: inputs.responses }),
      ...(state === undefined ? {} : { requestState: state }),
    };
  }
  return { kind: "refused", code: 0, message: `The server asked for input more than ${MAX_ROUNDS} times.` };
}

/** An answer that a person had a part in is for this one request (`caching.mdx`). */
function notToKeep(outcome: RequestOutcome): RequestOutcome {
  if (outcome.kind !== "result" || !isJsonObject(outcome.result)) return outcome;
  return { ...outcome, result: { ...outcome.result, ttlMs: 0 } };
}

type Inputs =
  | { readonly kind: "answered"; readonly responses: JsonObject }
  | { readonly kind: "impossible"; readonly reason: string };

async function answerAll(
  answer: ClientRequests["answer"],
  asked: Json | undefined,
  signal: AbortSignal,
): Promise<Inputs> {
  const responses: [string, Json][] = [];
  for (const [key, item] of Object.entries(isJsonObject(asked) ? asked : {})) {
    const request = readInputRequest(item);
    const reply = request === undefined ? undefined : await answer(request.method, request.params, signal);
    const what = shownMethod(request?.method ?? "something unknown");
    if (reply === undefined)
      return { kind: "impossible", reason: `It asks for ${what}, which mcpfs does not know.` };
    if (reply.kind === "error")
      return { kind: "impossible", reason: `It asks for ${what}: ${reply.message}` };
    responses.push([key, reply.result]);
  }
  return { kind: "answered", responses: Object.fromEntries(responses) };
}

/** True when a person has agreed to visit every page that the refusal names. */
async function visitAll(
  answer: ClientRequests["answer"],
  data: Json | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const pages = own(data, "elicitations");
  if (!Array.isArray(pages) || pages.length === 0) return false;
  for (const page of pages as readonly Json[]) {
    const params = isJsonObject(page) ? { ...page, mode: "url" } : page;
    const reply = await answer("elicitation/create", params, signal);
    if (reply?.kind !== "result" || own(reply.result, "action") !== "accept") return false;
  }
  return true;
}
