import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
} from "@modelcontextprotocol/client";
import { isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";
import type { Wire } from "./http-wire.ts";

/** How one request ended. */
export type RequestOutcome =
  | { readonly kind: "result"; readonly result: Json }
  /** The server answered with a JSON-RPC error. `message` is untrusted. */
  | { readonly kind: "refused"; readonly code: number; readonly message: string }
  /** Nothing came in time; `timeoutMs` is the limit that counted. */
  | { readonly kind: "timeout"; readonly timeoutMs: number }
  | { readonly kind: "aborted" }
  /** The answer can no longer come; `cause` is `undefined` where the connection closed. */
  | { readonly kind: "lost"; readonly cause: unknown };

export interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** A progress report starts `timeoutMs` anew, until ten times that much has passed in all. */
  readonly extendsOnProgress?: boolean;
}

/** Sends requests on a connected transport and never rejects. */
export interface Requests {
  readonly request: (method: string, params: JsonObject, options: RequestOptions) => Promise<RequestOutcome>;
}

export interface RequestsOptions {
  /** Connected by the SDK's client: its handlers are set. */
  readonly transport: Transport;
  readonly wire: Wire;
  /** The negotiated revision. */
  readonly protocol: string;
  readonly isModern: boolean;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Sends `notifications/cancelled`. */
  readonly cancel: (requestId: number, reason: string) => void;
  /** Sees each notification of the server, by its method. */
  readonly onNotification: (method: string) => void;
}

/** Far above what the SDK's client counts from zero for its own few requests on the same pipe. */
const FIRST_ID = 1_000_000;
/** A timer of more, or of zero, fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_EXTENSIONS = 10;

/**
 * Creates the sender of our own requests, `tools/list` and `tools/call`. They pass beside the SDK's client on the
 * transport that it connected: its typed parse refuses a whole list for one odd tool, and in revision 2026-07-28
 * does so below any result schema that a caller can give; it copies each answer several times (30 MB took more
 * than 30 s), and its limits read zero or infinity as "now". Handshake, version, streams and subscriptions stay the SDK's.
 */
export function createRequests(options: RequestsOptions): Requests {
  const { transport, wire, isModern } = options;
  const open = new Map<string, { settle: (outcome: RequestOutcome) => void; onProgress: () => void }>();
  let nextId = FIRST_ID;
  let isClosed = false;

  const toClient = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if (!take(message as unknown as JsonObject)) toClient?.(message, extra);
  };
  const closeClient = transport.onclose;
  transport.onclose = () => {
    isClosed = true;
    for (const { settle } of open.values()) settle({ kind: "lost", cause: undefined });
    closeClient?.();
  };

  /** @returns true when the message is an answer to us */
  const take = (message: JsonObject): boolean => {
    const { method, id } = message;
    if (typeof method === "string") {
      if (id === undefined) options.onNotification(method);
      const token = method === "notifications/progress" ? own(message.params, "progressToken") : undefined;
      const reported = open.get(idText(token));
      reported?.onProgress();
      return reported !== undefined;
    }
    // By value, whatever the type: some servers send ids back as strings.
    const waiting = open.get(idText(id));
    if (waiting === undefined) return false;
    const { error } = message;
    if (!isJsonObject(error)) waiting.settle({ kind: "result", result: wire.decode(message.result ?? null) });
    else {
      const { code, message: text } = error;
      waiting.settle({
        kind: "refused",
        code: typeof code === "number" ? code : 0,
        message: typeof text === "string" ? text : "",
      });
    }
    return true;
  };

  return {
    request: (method, params, { timeoutMs, signal, extendsOnProgress = false }) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve({ kind: "aborted" });
        if (isClosed) return resolve({ kind: "lost", cause: undefined });
        const id = nextId;
        nextId += 1;
        const limitMs = Math.min(Math.max(Math.ceil(timeoutMs) || 1, 1), MAX_TIMER_MS);
        const stopBy = Date.now() + limitMs * MAX_EXTENSIONS;
        const stream = new AbortController();
        const settle = (outcome: RequestOutcome): void => {
          if (!open.delete(String(id))) return;
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          resolve(outcome);
        };
        const giveUp = (outcome: RequestOutcome, reason: string): void => {
          settle(outcome);
          // In revision 2026-07-28 over HTTP closing the stream is the cancellation.
          if (!isModern || transport.hasPerRequestStream !== true) options.cancel(id, reason);
          stream.abort();
        };
        const onAbort = (): void => giveUp({ kind: "aborted" }, "The caller stopped waiting.");
        const onTimeout = (): void => giveUp({ kind: "timeout", timeoutMs: limitMs }, "Timed out.");
        let timer = setTimeout(onTimeout, limitMs);
        const onProgress = (): void => {
          if (!extendsOnProgress || Date.now() > stopBy) return;
          clearTimeout(timer);
          timer = setTimeout(onTimeout, Math.min(limitMs, Math.max(1, stopBy - Date.now())));
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        open.set(String(id), { settle, onProgress });
        const message = {
          jsonrpc: "2.0",
          id,
          method,
          params: { ...params, ...metaOf(options, extendsOnProgress ? id : undefined) },
        };
        transport
          .send(wire.encode(message) as unknown as JSONRPCMessage, {
            requestSignal: stream.signal,
            // A stream that was cut before the answer: without this the call would wait for its limit.
            onRequestStreamEnd: () => settle({ kind: "lost", cause: undefined }),
          })
          .catch((cause: unknown) => settle({ kind: "lost", cause }));
      }),
  };
}

/** Not `String(id)`, which throws for `{"toString":1}`. */
function idText(id: Json | undefined): string {
  return typeof id === "string" || typeof id === "number" ? String(id) : "";
}

/** What revision 2026-07-28 wants in each request (`basic/index.mdx`, Statelessness), and the token that asks for progress. */
function metaOf(
  options: RequestsOptions,
  progressToken: number | undefined,
): { readonly _meta?: JsonObject } {
  const meta: Record<string, Json> = {};
  if (options.isModern) {
    meta[PROTOCOL_VERSION_META_KEY] = options.protocol;
    meta[CLIENT_INFO_META_KEY] = { ...options.clientInfo };
    meta[CLIENT_CAPABILITIES_META_KEY] = {};
  }
  if (progressToken !== undefined) meta.progressToken = progressToken;
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}
