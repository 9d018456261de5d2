import { McpfsError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";
import type { ToolAnswer } from "../model/call.ts";
import type { RawToolName, ServerName } from "../model/names.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import { subscribeToChanges } from "./changes.ts";
import type { Connection } from "./connect.ts";
import { findMcpfsError, networkCode, statusOf } from "./failures.ts";
import { listAllTools, type ToolList } from "./list-tools.ts";
import { createRequests, type RequestOutcome } from "./requests.ts";

interface CallOptions {
  readonly signal?: AbortSignal;
  /** The entry's limit where nothing is said. A progress report starts it anew, up to ten times as long in all. */
  readonly timeoutMs?: number;
}

/** A connected server. */
export interface ServerLink {
  readonly server: ServerName;
  /** The negotiated revision: `2025-11-25`. */
  readonly protocol: string;
  /** What the server says of its use: untrusted, may be empty. */
  readonly instructions: string;
  /**
   * Lists all tools, elements as received.
   * @throws McpfsError SERVER_FAILED, SERVER_TIMEOUT, AUTH_REQUIRED
   */
  readonly listTools: (signal?: AbortSignal) => Promise<ToolList>;
  /**
   * Calls a tool once; never sends a call twice.
   * @throws McpfsError TOOL_ERROR (the server refused it), SERVER_TIMEOUT, OUTCOME_UNKNOWN (the connection was lost
   * after it was sent), SERVER_FAILED and AUTH_REQUIRED (it did not take effect)
   */
  readonly callTool: (raw: RawToolName, args: JsonObject, options?: CallOptions) => Promise<ToolAnswer>;
  readonly close: () => Promise<void>;
}

export interface ServerLinkOptions {
  readonly entry: ServerEntry;
  readonly connection: Connection;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** The server's list may differ from now on. */
  readonly onToolsChanged: () => void;
  /** The link is of no use any more: its connection closed, or its session is gone. */
  readonly onLost: () => void;
  /** Everything below the link has ended. */
  readonly onClosed: () => void;
}

/** Creates the link of a connection and waits until the server tells of changes, where it does. */
export async function createServerLink(options: ServerLinkOptions): Promise<ServerLink> {
  const { entry, connection, clientInfo } = options;
  const { client, transport, wire, process, failures } = connection;
  const server = entry.name;
  const protocol = client.getNegotiatedProtocolVersion() ?? "";
  const isModern = client.getProtocolEra() === "modern";
  const closing = new AbortController();
  const requests = createRequests({
    transport,
    wire,
    protocol,
    isModern,
    clientInfo,
    cancel: (requestId, reason) =>
      void client
        .notification({ method: "notifications/cancelled", params: { requestId, reason } })
        .catch(() => {}),
    onNotification: (method) => {
      if (method === "notifications/tools/list_changed") options.onToolsChanged();
    },
  });
  let openRequests = 0;
  let isLost = false;

  const close = async (): Promise<void> => {
    closing.abort();
    await connection.close();
    options.onClosed();
  };
  /** Calls that are still open on a lost HTTP link may be answered yet, so it is closed after the last of them. */
  const closeWhenIdle = (): void => {
    if (isLost && openRequests === 0) void close();
  };
  const lose = (): void => {
    if (isLost) return;
    isLost = true;
    options.onLost();
    closeWhenIdle();
  };
  client.onclose = () => {
    closing.abort();
    lose();
  };
  const tracked = async <T>(work: Promise<T>): Promise<T> => {
    openRequests += 1;
    try {
      return await work;
    } finally {
      openRequests -= 1;
      closeWhenIdle();
    }
  };

  /** Makes the error of a request that got no answer. @param what `tools/call of echo` */
  const toError = (
    outcome: Exclude<RequestOutcome, { kind: "result" | "refused" }>,
    what: string,
    isCall: boolean,
    signal: AbortSignal | undefined,
  ): McpfsError => {
    switch (outcome.kind) {
      case "aborted":
        if (signal?.reason instanceof McpfsError) return signal.reason;
        return new McpfsError("SERVER_FAILED", `The ${what} of server ${server} was stopped by its caller.`, {
          hint: isCall ? "Whether it took effect is not known." : "Ask again.",
        });
      case "timeout":
        return new McpfsError(
          "SERVER_TIMEOUT",
          `Server ${server} did not answer the ${what} within ${outcome.timeoutMs} ms.`,
          {
            hint: `${isCall ? "Whether it took effect is not known. " : ""}Raise "timeoutMs" of ${server} in mcpfs.json if it needs longer.`,
            data: { server, timeoutMs: outcome.timeoutMs },
          },
        );
      case "lost":
        return lostError(outcome.cause, what, isCall);
    }
  };

  const lostError = (cause: unknown, what: string, isCall: boolean): McpfsError => {
    const ours = process?.failure() ?? wire.failure() ?? findMcpfsError(cause);
    const isRefused = isNeverSent(cause);
    if (isLinkLost(cause, transport.sessionId)) lose();
    if (ours?.code === "AUTH_REQUIRED") return ours;
    const reason =
      ours !== undefined
        ? failures.shown(ours.message)
        : cause === undefined
          ? `It ${failures.ended(process)}.`
          : `${failures.reason(cause)}.`;
    if (isCall && !isRefused)
      return failures.withLastWords(
        "OUTCOME_UNKNOWN",
        `Server ${server} was lost while the ${what} was open. ${reason}`,
        "Check whether it took effect before you make the call again; the next call connects anew.",
        process,
      );
    return failures.withLastWords(
      "SERVER_FAILED",
      `The ${what} did not reach server ${server}. ${reason}`,
      "Try again: the next call connects anew.",
      process,
    );
  };

  const listTools: ServerLink["listTools"] = async (signal) => {
    const outcome = await tracked(listAllTools(requests, { timeoutMs: entry.timeoutMs, signal }));
    switch (outcome.kind) {
      case "listed":
        return { ...outcome.list, tools: outcome.list.tools.map((tool) => failures.withoutSecrets(tool)) };
      case "no-list":
      case "refused":
        throw failures.withLastWords(
          "SERVER_FAILED",
          outcome.kind === "refused"
            ? `Server ${server} refused to list its tools: ${failures.shown(outcome.message) || `error ${outcome.code}`}.`
            : `Server ${server} answered tools/list without a list of tools.`,
          `Report this to the makers of ${server}.`,
          process,
        );
      default:
        throw toError(outcome, "listing of tools", false, signal);
    }
  };

  const callTool: ServerLink["callTool"] = async (
    raw,
    args,
    { signal, timeoutMs = entry.timeoutMs } = {},
  ) => {
    const params = { name: raw, arguments: args };
    const outcome = await tracked(
      requests.request("tools/call", params, { timeoutMs, signal, extendsOnProgress: true }),
    );
    const tool = failures.shown(raw, 80);
    switch (outcome.kind) {
      case "result":
        return toAnswer(outcome.result, isModern, server, tool);
      case "refused":
        throw new McpfsError("TOOL_ERROR", failures.shown(outcome.message) || `The tool ${tool} failed.`, {
          hint: `Server ${server} refused the call of ${tool} with error ${outcome.code}: check the tool's name and arguments.`,
          data: { server, tool: raw, rpcCode: outcome.code },
        });
      default:
        throw toError(outcome, `call of ${tool}`, true, signal);
    }
  };

  await subscribeToChanges(client, options.onToolsChanged, closing.signal);
  return { server, protocol, instructions: client.getInstructions() ?? "", listTools, callTool, close };
}

/** Takes what is there: an answer without content, blocks of unknown types and structured values of any kind pass. */
function toAnswer(result: Json, isModern: boolean, server: ServerName, tool: string): ToolAnswer {
  if (!isJsonObject(result) && result !== null)
    throw new McpfsError("SERVER_FAILED", `Server ${server} answered the call of ${tool} with no object.`, {
      hint: "Whether it took effect is not known. Report this to the makers of the server.",
    });
  if (own(result, "resultType") === "input_required")
    throw new McpfsError(
      "TOOL_ERROR",
      `The tool ${tool} of ${server} asks for input that mcpfs cannot give.`,
      {
        hint: "Call another tool, or give this one all it needs as arguments.",
      },
    );
  const content = own(result, "content");
  const structured = own(result, "structuredContent");
  return {
    content: Array.isArray(content) ? (content as readonly Json[]) : [],
    // Before 2026-07-28 it was an object; a `null` there is an empty field that a server printed.
    structured: structured === null && !isModern ? undefined : structured,
    isError: own(result, "isError") === true,
  };
}

/** Errors of the network that come before a byte is sent, and answers of 4xx, which refuse a request unread. */
function isNeverSent(cause: unknown): boolean {
  if (cause === undefined) return false;
  if (findMcpfsError(cause)?.code === "AUTH_REQUIRED" || findMcpfsError(cause)?.code === "SERVER_FAILED")
    return true;
  const status = statusOf(cause);
  if (status !== undefined) return status >= 300 && status < 500;
  return /^(?:ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EPIPE|CERT_|DEPTH_|SELF_|UNABLE_|ERR_TLS|UND_ERR_CONNECT)/.test(
    networkCode(cause),
  );
}

/** A session that the server forgot (404), or a server that is not there: the next call has to shake hands again. */
function isLinkLost(cause: unknown, sessionId: string | undefined): boolean {
  if (cause === undefined) return false;
  const status = statusOf(cause);
  return status === undefined ? networkCode(cause) !== "" : status === 404 && sessionId !== undefined;
}
