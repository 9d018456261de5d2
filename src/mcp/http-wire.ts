import { randomUUID } from "node:crypto";
import type { FetchLike } from "@modelcontextprotocol/client";
import { joinHints, McpfsError } from "../kernel/errors.ts";
import { isJsonObject, type Json, markLongIntegers } from "../kernel/json.ts";
import { askToSignIn } from "../kernel/next-steps.ts";
import type { ServerName } from "../model/names.ts";
import type { Credentials } from "./credentials.ts";
import { createLineReader } from "./line-reader.ts";
import { createSignedFetch } from "./signed-fetch.ts";

/** How values pass a transport that parses and prints JSON itself. */
export interface Wire {
  /** Makes a value that `JSON.stringify` can print. */
  readonly encode: (value: Json) => Json;
  /** Undoes what was done to a value before `JSON.parse` saw it. */
  readonly decode: (value: Json) => Json;
  /** Why a stream broke off: a message was too long. Each is told once, since later losses have other causes. */
  readonly takeFailure: () => McpfsError | undefined;
  /** Hears from now on what becomes of the stream on which a server speaks unasked; what was before, it hears at once. */
  readonly onPush: (listener: (event: PushEvent) => void) => void;
}

/** What became of a GET for events: it stands, it ended or broke, it was refused. */
export type PushEvent = "opened" | "ended" | "failed";

/** The process transport prints and parses with our own JSON, which knows long integers. */
export const plainWire: Wire = {
  encode: (value) => value,
  decode: (value) => value,
  takeFailure: () => undefined,
  onPush: () => {},
};

/** The wire of an HTTP link, with the `fetch` that belongs to it. */
export interface HttpWire extends Wire {
  readonly fetch: FetchLike;
  /** Why the server or its authorization server let no request in: AUTH_REQUIRED and the like. */
  readonly refusal: () => McpfsError | undefined;
}

export interface HttpWireOptions {
  readonly server: ServerName;
  /** Where the server is: what is secret goes to this origin only. */
  readonly origin: string;
  /** Absent where nobody signs in: the config does, or nothing is kept. */
  readonly credentials: Credentials | undefined;
  /** Makes text of the server fit for a message: redacted, visible, on one line. */
  readonly shown: (text: string) => string;
}

/** As for stdio: the longest message that is taken from a server. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/**
 * Creates a `fetch` that keeps the digits of long integers although the SDK prints and parses the bodies: on the
 * way out a `bigint` is a marked string that the request's body shows as plain digits, on the way in an integer
 * beyond 2^53 becomes a marked string. The mark is random, so no server can write one.
 *
 * An answer of 401 or 403 to a POST is thrown from here as AUTH_REQUIRED, since the SSE transport of the SDK
 * would tell it only in the text of a message; of a GET, which that transport begins with, it keeps no trace at all.
 */
export function createHttpWire(options: HttpWireOptions): HttpWire {
  const { server, credentials } = options;
  const send = createSignedFetch(server, options.origin, credentials);
  const mark = `mcpfs-integer-${randomUUID()}:`;
  let failure: McpfsError | undefined;
  let refusal: McpfsError | undefined;
  let pushed: PushEvent[] = [];
  let tellPush = (event: PushEvent): void => void pushed.push(event);
  /** The SDK tells whoever waits for an answer on a stream that it ended, and not why. */
  const streamTooLong = (): McpfsError => {
    failure = messageTooLong(server);
    return failure;
  };
  const markedText = new RegExp(`"${mark}(-?\\d+)"`, "g");
  return {
    encode: (value) => mapScalars(value, (item) => (typeof item === "bigint" ? `${mark}${item}` : item)),
    decode: (value) =>
      mapScalars(value, (item) =>
        typeof item === "string" && item.startsWith(mark) ? BigInt(item.slice(mark.length)) : item,
      ),
    takeFailure: () => {
      const taken = failure;
      failure = undefined;
      return taken;
    },
    refusal: () => refusal,
    onPush: (listener) => {
      tellPush = listener;
      for (const event of pushed) listener(event);
      pushed = [];
    },
    fetch: async (url, init) => {
      const body = typeof init?.body === "string" ? init.body.replaceAll(markedText, "$1") : init?.body;
      const isPush = (init?.method ?? "GET") === "GET";
      const sent = { ...init, ...(body !== undefined && { body }) };
      const response = await send(new URL(url), sent).catch((error: unknown) => {
        if (error instanceof McpfsError) refusal = error;
        if (isPush && init?.signal?.aborted !== true) tellPush("failed");
        throw error;
      });
      if (isPush) tellPush(response.ok ? "opened" : "failed");
      // What broke off the one before is over.
      if (isPush && response.ok) failure = undefined;
      if (response.status === 401 || response.status === 403) {
        refusal = await authRequired(options, response);
        if (init?.method === "POST") throw refusal;
      }
      if (!response.ok || response.body === null) return response;
      const type = (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
      if (type === "application/json")
        return withBody(response, await markedBody(response.body, mark, () => messageTooLong(server)));
      if (type === "text/event-stream")
        return withBody(
          response,
          markedEvents(response.body, mark, streamTooLong, isPush ? () => tellPush("ended") : () => {}),
        );
      return response;
    },
  };
}

function mapScalars(value: Json, map: (item: Json) => Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapScalars(item, map));
  if (!isJsonObject(value)) return map(value);
  // Not an assignment: a key `__proto__` has to stay a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, item === undefined ? item : mapScalars(item, map)]),
  );
}

function withBody(response: Response, body: string | ReadableStream): Response {
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.delete("content-encoding");
  return new Response(body, { status: response.status, statusText: response.statusText, headers });
}

async function markedBody(
  body: ReadableStream<Uint8Array>,
  mark: string,
  tooLong: () => McpfsError,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_MESSAGE_BYTES) throw tooLong();
    chunks.push(chunk);
  }
  return markLongIntegers(new TextDecoder().decode(Buffer.concat(chunks, bytes)), mark);
}

/**
 * A number never crosses the end of a line, and neither does a string, so each `data:` line can be marked alone.
 * @param onEnd comes once, however the stream ends
 */
function markedEvents(
  body: ReadableStream<Uint8Array>,
  mark: string,
  tooLong: () => McpfsError,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = createLineReader(MAX_MESSAGE_BYTES);
  const encoder = new TextEncoder();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const lines = reader.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      if (lines === undefined) return controller.error(tooLong());
      // In one piece: a piece a line makes a flood of events three times as slow.
      const text = lines.map((line) => `${line.startsWith("data:") ? markLongIntegers(line, mark) : line}\n`);
      if (text.length > 0) controller.enqueue(encoder.encode(text.join("")));
    },
  });
  // An end by force reaches the reader as the error of its stream; here it is only noticed.
  void body.pipeTo(writable).then(onEnd, onEnd);
  return readable;
}

async function authRequired(
  { server, credentials, shown }: HttpWireOptions,
  response: Response,
): Promise<McpfsError> {
  const text = shown(
    await response
      .clone()
      .text()
      .catch(() => ""),
  );
  const isSignIn = response.status === 401 && (await credentials?.isOffered(response)) === true;
  const scope = missingScope(response.headers.get("www-authenticate") ?? "");
  const isAskedFor = scope !== undefined && (await credentials?.lacks(scope)) === true;
  return new McpfsError(
    "AUTH_REQUIRED",
    `Server ${server} wants ${scope === undefined ? "credentials" : `the scope ${shown(scope)}`}: it answered HTTP ${response.status}${text === "" ? "" : `: ${text}`}.`,
    {
      hint: isSignIn
        ? askToSignIn(server)
        : scope !== undefined && credentials !== undefined
          ? joinHints(
              isAskedFor ? "" : `Add it to "oauth.scopes" of ${server} in mcpfs.json.`,
              askToSignIn(server),
            )
          : `Set "headers" of ${server} in mcpfs.json, for example {"Authorization": "Bearer \${TOKEN}"}.`,
      data: { status: response.status },
    },
  );
}

/** RFC 6750, clause 3.1. */
function missingScope(challenge: string): string | undefined {
  if (!/\berror="?insufficient_scope\b/.test(challenge)) return undefined;
  return /\bscope="([^"]+)"/.exec(challenge)?.[1];
}

function messageTooLong(server: ServerName): McpfsError {
  return new McpfsError(
    "SERVER_FAILED",
    `Server ${server} sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB.`,
    { hint: "Ask the tool for less at a time.", data: { server, isTooLong: true } },
  );
}
