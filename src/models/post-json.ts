import { McpfsError } from "../kernel/errors.ts";
import { type Json, parseJson, stringifyJson } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";

/** An endpoint as the config says it. */
export interface Endpoint {
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
}

/** Vectors of a batch are a few megabytes. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Sends JSON to an endpoint and gives its JSON answer. Redirects are refused, since they would carry the key elsewhere; nothing that is thrown
 * holds the key, or what the endpoint wrote.
 * @throws McpfsError SERVER_FAILED, SERVER_TIMEOUT, AUTH_REQUIRED
 */
export async function postJson(
  endpoint: Endpoint,
  path: string,
  body: Json,
  signal: AbortSignal,
): Promise<Json> {
  const where = shownUrl(`${endpoint.url}${path}`);
  const timeout = AbortSignal.timeout(endpoint.timeoutMs);
  try {
    const response = await fetch(`${endpoint.url}${path}`, {
      method: "POST",
      redirect: "error",
      headers: {
        "content-type": "application/json",
        ...(endpoint.apiKey === undefined ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
      },
      body: stringifyJson(body),
      signal: AbortSignal.any([signal, timeout]),
    });
    if (!response.ok) throw refusal(where, response.status);
    return parseJson(await textOf(response, where));
  } catch (error) {
    if (error instanceof McpfsError) throw error;
    if (timeout.aborted)
      throw new McpfsError("SERVER_TIMEOUT", `${where} did not answer within ${endpoint.timeoutMs} ms.`, {
        hint: 'Raise "timeoutMs" of the model in mcpfs.json, or use a faster one.',
      });
    throw new McpfsError("SERVER_FAILED", `${where} cannot be used: ${reasonOf(error)}.`, {
      hint: 'Start what serves the model, or correct "models" in mcpfs.json.',
      cause: error,
    });
  }
}

function refusal(where: string, status: number): McpfsError {
  return status === 401 || status === 403
    ? new McpfsError("AUTH_REQUIRED", `${where} refuses the key (HTTP ${status}).`, {
        hint: 'Set the variable that "apiKey" of the model names in mcpfs.json.',
      })
    : new McpfsError("SERVER_FAILED", `${where} answered with HTTP ${status}.`, {
        hint: 'Look whether "url" ends in /v1 and "model" is a name that it knows.',
        data: { status },
      });
}

async function textOf(response: Response, where: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw new McpfsError("SERVER_FAILED", `${where} answers with more than ${MAX_ANSWER_BYTES} bytes.`, {
        hint: "This is no endpoint for models.",
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Without credentials and query: both may be keys. */
function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return oneLine(`${origin}${pathname}`);
}

/** The system's word for what went wrong; never a text of the endpoint. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string")
    return cause.code;
  return error instanceof SyntaxError ? "its answer is not JSON" : "the connection failed";
}
