import { McpfsError } from "../kernel/errors.ts";
import { type Json, type JsonObject, own } from "../kernel/json.ts";
import type { Log } from "../kernel/log.ts";
import type { ToolAnswer } from "../model/call.ts";
import type { CallProgress } from "../model/call-progress.ts";
import type { CallerSide } from "../model/caller-side.ts";
import type { RawToolName, ServerName } from "../model/names.ts";
import type { AskPerson } from "../model/question.ts";
import { connectionKey, type ServerEntry } from "../model/server-entry.ts";
import { declaredCapabilities } from "./capabilities.ts";
import { keepPush, subscribeToChanges } from "./changes.ts";
import { type ClientRequests, createClientRequests } from "./client-requests.ts";
import type { Connection } from "./connect.ts";
import type { LendModel } from "./lend-model.ts";
import type { ToolList } from "./list-all.ts";
import { type ListKind, listAll, RESOURCES, TOOLS } from "./list-all.ts";
import { type ListedItems, listParts, type OfferLists } from "./list-offers.ts";
import { unansweredError } from "./lost-requests.ts";
import { createOpenCallers } from "./open-callers.ts";
import { type ParamMark, paramHeaders, readMarks } from "./param-headers.ts";
import { readProgress } from "./read-progress.ts";
import { createRequests, type LogLevel, type RequestOutcome } from "./requests.ts";
import { createResourceWatch } from "./resource-watch.ts";
import { requestInRounds } from "./rounds.ts";
import { createServerLog } from "./server-log.ts";
import { promptAnswer, type ResourceAnswer, resourceAnswer, toolAnswer } from "./to-answer.ts";

interface CallOptions {
  readonly signal?: AbortSignal;
  /** The entry's limit where nothing is said. A progress report starts it anew, up to ten times as long in all. */
  readonly timeoutMs?: number;
  /** Who called; default: the host's own person. */
  readonly side?: CallerSide | undefined;
}

/** A connected server. */
export interface ServerLink {
  readonly server: ServerName;
  /** {@link connectionKey} of the entry that it was made by: credentials among it, so never to be shown. */
  readonly key: string;
  /** The negotiated revision: `2025-11-25`. */
  readonly protocol: string;
  /** What the server says of its use: untrusted, may be empty. */
  readonly instructions: string;
  /**
   * Lists all tools, elements as received.
   * @throws McpfsError SERVER_FAILED, SERVER_TIMEOUT, AUTH_REQUIRED
   */
  readonly listTools: (signal?: AbortSignal) => Promise<ToolList>;
  /** Lists resources, templates and prompts, where the server says that it has some. Never rejects. */
  readonly listOffers: (signal?: AbortSignal) => Promise<OfferLists>;
  /**
   * Calls a tool once; never sends a call twice.
   * @throws McpfsError TOOL_ERROR (the server refused it), SERVER_TIMEOUT, OUTCOME_UNKNOWN (the connection was lost
   * after it was sent), SERVER_FAILED and AUTH_REQUIRED (it did not take effect)
   */
  readonly callTool: (raw: RawToolName, args: JsonObject, options?: CallOptions) => Promise<ToolAnswer>;
  /** Reads a resource; the value is the list of its contents. @throws McpfsError as {@link ServerLink.callTool} does */
  readonly readResource: (uri: string, options?: CallOptions) => Promise<ResourceAnswer>;
  /** The resources that the server lists at this moment, as a list. @throws McpfsError as {@link ServerLink.callTool} does */
  readonly listResources: (options?: CallOptions) => Promise<ToolAnswer>;
  /** Gets a prompt; the value holds its messages. @throws McpfsError as {@link ServerLink.callTool} does */
  readonly getPrompt: (raw: string, args: JsonObject, options?: CallOptions) => Promise<ToolAnswer>;
  readonly close: () => Promise<void>;
}

export interface ServerLinkOptions {
  readonly entry: ServerEntry;
  readonly connection: Connection;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly log: Log;
  readonly logLevel: LogLevel;
  readonly askPerson: AskPerson | undefined;
  readonly filesFolder: string;
  readonly lendModel: LendModel;
  readonly onProgress: ((progress: CallProgress) => void) | undefined;
  /** The server's lists may differ from now on. */
  readonly onChanged: () => void;
  /** A resource may hold something else from now on. The URI is untrusted. */
  readonly onResourceChanged: (uri: string) => void;
  /** A list of tools came in. */
  readonly onListed: (list: ToolList) => void;
  /** The link is of no use any more: its connection closed, or its session is gone. */
  readonly onLost: (reason: McpfsError) => void;
  /** Everything below the link has ended. */
  readonly onClosed: () => void;
}

/** Notifications that say that a list may differ. */
const LIST_CHANGES: ReadonlySet<string> = new Set([
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
]);

/** Creates the link of a connection and waits until the server tells of changes, where it does. */
export async function createServerLink(options: ServerLinkOptions): Promise<ServerLink> {
  const { entry, connection, clientInfo } = options;
  const { client, transport, wire, process, failures } = connection;
  const server = entry.name;
  const protocol = client.getNegotiatedProtocolVersion() ?? "";
  const isModern = client.getProtocolEra() === "modern";
  const closing = new AbortController();
  const serverLog = createServerLog(server, options.log, failures.shown);
  const { askPerson, onProgress } = options;
  const callers = createOpenCallers({ askPerson, onProgress });
  const clientRequests = (side: () => CallerSide, isInCall: () => boolean): ClientRequests =>
    createClientRequests({ ...options, side, isInCall, shown: failures.shown });
  const { answer } = clientRequests(callers.current, callers.isAnyOpen);
  const requests = createRequests({
    transport,
    wire,
    protocol,
    isModern,
    clientInfo,
    capabilities: declaredCapabilities(entry),
    logLevel: options.logLevel,
    answer,
    onNotification: (method, params) => {
      if (LIST_CHANGES.has(method)) options.onChanged();
      else if (method === "notifications/message") serverLog(params);
      else if (method === "notifications/resources/updated") {
        const uri = own(params, "uri");
        if (typeof uri === "string") options.onResourceChanged(uri);
      }
    },
  });
  let openRequests = 0;
  let isLost = false;
  /** Of tools with marked parameters, where these go out as headers: revision 2026-07-28 over HTTP. */
  let marks: ReadonlyMap<string, readonly ParamMark[]> | undefined;
  const sendsMarks = isModern && process === undefined;

  const close = async (): Promise<void> => {
    closing.abort();
    await connection.close();
    options.onClosed();
  };
  /** Calls that are still open on a lost HTTP link may be answered yet, so it is closed after the last of them. */
  const closeWhenIdle = (): void => {
    if (isLost && openRequests === 0) void close();
  };
  const lose = (words = failures.ended(process)): void => {
    if (isLost) return;
    isLost = true;
    if (!closing.signal.aborted)
      options.onLost(
        failures.withLastWords(
          "SERVER_FAILED",
          `Server ${server} ${words}.`,
          "The next call connects anew.",
          process,
        ),
      );
    closeWhenIdle();
  };
  client.onclose = () => {
    lose();
    closing.abort();
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
  const unanswered = (
    outcome: Exclude<RequestOutcome, { kind: "result" | "refused" }>,
    what: string,
    isCall: boolean,
    signal: AbortSignal | undefined,
  ): McpfsError =>
    unansweredError(outcome, { ...connection, server }, what, isCall, signal, () => lose("is gone"));

  const list = async (kind: ListKind, signal: AbortSignal | undefined): Promise<ListedItems> => {
    const outcome = await tracked(listAll(requests, kind, { timeoutMs: entry.timeoutMs, signal }));
    switch (outcome.kind) {
      case "listed":
        return { ...outcome, items: outcome.items.map((item) => failures.withoutSecrets(item)) };
      case "no-list":
      case "refused":
        throw failures.withLastWords(
          "SERVER_FAILED",
          outcome.kind === "refused"
            ? `Server ${server} refused to list its ${kind.noun}: ${failures.shown(outcome.message) || `error ${outcome.code}`}.`
            : `Server ${server} answered ${kind.method} without a list of ${kind.noun}.`,
          `Report this to the makers of ${server}.`,
          process,
        );
      default:
        throw unanswered(outcome, `listing of ${kind.noun}`, false, signal);
    }
  };

  const listTools: ServerLink["listTools"] = async (signal) => {
    const { items, warnings, ttlMs } = await list(TOOLS, signal);
    const checked = sendsMarks ? readMarks(items, (text) => failures.shown(text, 80)) : undefined;
    marks = checked?.marks;
    const result = {
      tools: checked?.tools ?? items,
      warnings: [...warnings, ...(checked?.warnings ?? [])],
      ttlMs,
    };
    options.onListed(result);
    return result;
  };

  const listOffers: ServerLink["listOffers"] = async (signal) =>
    await listParts(client.getServerCapabilities() ?? {}, async (kind) => await list(kind, signal));

  const answerInCall = (side: CallerSide): ClientRequests["answer"] =>
    clientRequests(
      () => side,
      () => true,
    ).answer;

  /** Makes one request that counts as a call. @param what `call of echo`, for messages */
  const perform = async (
    method: string,
    params: JsonObject,
    name: string,
    what: string,
    { signal, timeoutMs = entry.timeoutMs, side }: CallOptions,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Json> => {
    let hasReported = false;
    const caller = callers.open(side);
    const report = (progress: JsonObject, isOver: boolean): void => {
      hasReported = true;
      caller.side.onProgress?.(readProgress(server, name, progress, isOver, failures.shown));
    };
    const outcome = await tracked(
      requestInRounds(requests, answerInCall(caller.side), method, params, {
        timeoutMs,
        signal,
        headers,
        extendsOnProgress: true,
        onProgress: (progress) => report(progress, false),
      }),
    ).finally(caller.close);
    if (hasReported) report({}, true);
    if (outcome.kind === "result") return outcome.result;
    if (outcome.kind !== "refused") throw unanswered(outcome, what, true, signal);
    throw new McpfsError("TOOL_ERROR", failures.shown(outcome.message) || `The ${what} failed.`, {
      hint: `Server ${server} refused the ${what} with error ${outcome.code}: check its name and arguments.`,
      data: { server, tool: name, rpcCode: outcome.code },
    });
  };

  const callTool: ServerLink["callTool"] = async (raw, args, callOptions = {}) => {
    const tool = failures.shown(raw, 80);
    // What was not listed on this link has no known marks; a server that wants headers would refuse the call.
    if (sendsMarks && marks === undefined) await listTools(callOptions.signal).catch(() => {});
    const headers = paramHeaders(marks?.get(raw) ?? [], args);
    const params = { name: raw, arguments: args };
    const result = await perform("tools/call", params, raw, `call of ${tool}`, callOptions, headers);
    return toolAnswer(result, isModern, server, tool);
  };

  const shownUri = (uri: string): string => failures.shown(uri, 200);
  if (!isModern && client.getServerCapabilities()?.logging !== undefined)
    void requests.request("logging/setLevel", { level: options.logLevel }, { timeoutMs: entry.timeoutMs });
  wire.onPush(keepPush({ kind: connection.kind, onChanged: options.onChanged, onLost: lose }));
  await subscribeToChanges(client, {
    onChanged: options.onChanged,
    onLost: () => lose("closed the subscription and does not take another"),
    signal: closing.signal,
  });
  const watchResource = createResourceWatch(client, {
    onChanged: options.onResourceChanged,
    signal: closing.signal,
  });
  return {
    server,
    key: connectionKey(entry),
    protocol,
    instructions: client.getInstructions() ?? "",
    listTools,
    listOffers,
    callTool,
    readResource: async (uri, callOptions = {}) => {
      const what = `reading of ${shownUri(uri)}`;
      const answer = resourceAnswer(await perform("resources/read", { uri }, uri, what, callOptions), server);
      if (answer.ttlMs > 0) watchResource(uri);
      return answer;
    },
    listResources: async ({ signal } = {}) => ({
      content: [],
      structured: (await list(RESOURCES, signal)).items,
      isError: false,
    }),
    getPrompt: async (raw, args, callOptions = {}) =>
      promptAnswer(
        await perform(
          "prompts/get",
          { name: raw, arguments: args },
          raw,
          `request for the prompt ${failures.shown(raw, 80)}`,
          callOptions,
        ),
        server,
      ),
    close,
  };
}
