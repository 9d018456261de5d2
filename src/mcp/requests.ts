import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
} from "@modelcontextprotocol/client";
import { isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";
import { MAX_DURATION_MS } from "../model/run.ts";
import { createAnswers } from "./answers.ts";
import { METHOD_NOT_FOUND } from "./client-answer.ts";
import type { ClientRequests } from "./client-requests.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import { bodyErrorCode } from "./failures.ts";
import type { Wire } from "./http-wire.ts";

/** How one request ended. */
export type RequestOutcome =
  | { readonly kind: "result"; readonly result: Json }
  /** The server answered with a JSON-RPC error. `message` is untrusted. */
  | {
      readonly kind: "refused";
      readonly code: number;
      readonly message: string;
      readonly data?: Json | undefined;
    }
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
  /** Sees the parameters of each progress report. Untrusted. */
  readonly onProgress?: ((report: JsonObject) => void) | undefined;
  /** HTTP headers for this request alone; a pipe has none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Sends requests on a connected transport and never rejects. */
export interface Requests {
  readonly request: (method: string, params: JsonObject, options: RequestOptions) => Promise<RequestOutcome>;
  readonly notify: (method: string, params: JsonObject) => void;
}

export interface RequestsOptions {
  /** Connected by the SDK's client: its handlers are set. */
  readonly transport: Transport;
  readonly wire: Wire;
  /** The negotiated revision. */
  readonly protocol: string;
  readonly isModern: boolean;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** As declared in the handshake. */
  readonly capabilities: JsonObject;
  /** The least level of log messages that a server is to send. */
  readonly logLevel: LogLevel;
  /** Sees each notification of the server. `params` is untrusted. */
  readonly onNotification: (method: string, params: Json | undefined) => void;
  /** Answers what the server asks of its client; `undefined` leaves the request to the SDK. */
  readonly answer: ClientRequests["answer"];
}

/** Levels that mcpfs asks servers for. */
export type LogLevel = "debug" | "info";

/** Far above what the SDK's client counts from zero for its own few requests on the same pipe. */
const FIRST_ID = 1_000_000;

/** A request that has no answer yet. */
interface OpenRequest {
  readonly settle: (outcome: RequestOutcome) => void;
  readonly onProgress: (report: JsonObject) => void;
  readonly deadline: Deadline;
}

/**
 * Creates the sender of our own requests, `tools/list` and `tools/call`. They pass beside the SDK's client on the
 * transport that it connected: its typed parse refuses a whole list for one odd tool, and in revision 2026-07-28
 * does so below any result schema that a caller can give; it copies each answer several times (30 MB took more
 * than 30 s), and its limits read zero or infinity as "now". Handshake, version, streams and subscriptions stay the SDK's.
 */
export function createRequests(options: RequestsOptions): Requests {
  const { transport, wire, isModern } = options;
  const open = new Map<string, OpenRequest>();
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
    questions.close();
    closeClient?.();
  };

  const notify: Requests["notify"] = (method, params) =>
    void transport
      .send(wire.encode({ jsonrpc: "2.0", method, params }) as unknown as JSONRPCMessage)
      .catch(() => {});
  const questions = createAnswers({
    answer: options.answer,
    send: (message) => void transport.send(wire.encode(message) as unknown as JSONRPCMessage).catch(() => {}),
    // The person takes time, the server does not: no call may run out of time meanwhile.
    onOpen: () => {
      for (const request of open.values()) request.deadline.hold();
    },
    onIdle: () => {
      for (const request of open.values()) request.deadline.release();
    },
  });

  /** @returns true when the message is for us, and not for the SDK's client */
  const take = (message: JsonObject): boolean => {
    const { method, id } = message;
    if (typeof method === "string") {
      const params = message.params === undefined ? undefined : wire.decode(message.params);
      if (id !== undefined) return questions.take(id, method, params);
      if (method === "notifications/cancelled") questions.cancel(own(params, "requestId"));
      options.onNotification(method, params);
      const token = method === "notifications/progress" ? own(params, "progressToken") : undefined;
      const reported = open.get(idText(token));
      if (isJsonObject(params)) reported?.onProgress(params);
      return reported !== undefined;
    }
    // By value, whatever the type: some servers send ids back as strings.
    const waiting = open.get(idText(id));
    if (waiting === undefined) return false;
    const { error } = message;
    if (!isJsonObject(error)) waiting.settle({ kind: "result", result: wire.decode(message.result ?? null) });
    else {
      const { code, message: text, data } = error;
      waiting.settle({
        kind: "refused",
        code: typeof code === "number" ? code : 0,
        message: typeof text === "string" ? text : "",
        data: data === undefined ? undefined : wire.decode(data),
      });
    }
    return true;
  };

  return {
    notify,
    request: (method, params, { timeoutMs, signal, extendsOnProgress = false, onProgress, headers }) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve({ kind: "aborted" });
        if (isClosed) return resolve({ kind: "lost", cause: undefined });
        const id = nextId;
        nextId += 1;
        // A timer of more, or of zero, fires at once.
        const limitMs = Math.min(Math.max(Math.ceil(timeoutMs) || 1, 1), MAX_DURATION_MS);
        const stream = new AbortController();
        const settle = (outcome: RequestOutcome): void => {
          if (!open.delete(String(id))) return;
          deadline.stop();
          signal?.removeEventListener("abort", onAbort);
          resolve(outcome);
        };
        const giveUp = (outcome: RequestOutcome, reason: string): void => {
          settle(outcome);
          // In revision 2026-07-28 over HTTP closing the stream is the cancellation.
          if (!isModern || transport.hasPerRequestStream !== true)
            notify("notifications/cancelled", { requestId: id, reason });
          stream.abort();
        };
        const onAbort = (): void => giveUp({ kind: "aborted" }, "The caller stopped waiting.");
        const onTimeout = (): void => giveUp({ kind: "timeout", timeoutMs: limitMs }, "Timed out.");
        const deadline = createDeadline(limitMs, onTimeout);
        const onReport = (report: JsonObject): void => {
          onProgress?.(report);
          if (extendsOnProgress) deadline.extend();
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        open.set(String(id), { settle, onProgress: onReport, deadline });
        if (questions.isAsking()) deadline.hold();
        const message = {
          jsonrpc: "2.0",
          id,
          method,
          params: { ...params, ...metaOf(options, extendsOnProgress ? id : undefined) },
        };
        transport
          .send(wire.encode(message) as unknown as JSONRPCMessage, {
            requestSignal: stream.signal,
            headers,
            // A stream that was cut before the answer: without this the call would wait for its limit.
            onRequestStreamEnd: () => settle({ kind: "lost", cause: undefined }),
          })
          .catch((cause: unknown) =>
            // Over HTTP a server of 2026-07-28 refuses what it does not know with 404 and these words.
            settle(
              bodyErrorCode(cause) === METHOD_NOT_FOUND
                ? { kind: "refused", code: METHOD_NOT_FOUND, message: "It does not know this method." }
                : { kind: "lost", cause },
            ),
          );
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
    meta[CLIENT_CAPABILITIES_META_KEY] = options.capabilities;
    // Without it a server of this revision sends no log messages at all.
    meta[LOG_LEVEL_META_KEY] = options.logLevel;
  }
  if (progressToken !== undefined) meta.progressToken = progressToken;
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}
