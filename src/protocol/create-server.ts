import { randomUUID } from "node:crypto";
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type GetPromptResult,
  type InputRequiredResult,
  type ListPromptsResult,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ListToolsResult,
  type ReadResourceResult,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isDeeperThan, isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";
import type { LongIntegers } from "./long-integers.ts";
import { missingResource, protocolError } from "./outgoing.ts";
import type { CallReply, ClientAbilities, Exchange, Served, ServedChange, ServedSession } from "./served.ts";

/** For whom a server of the SDK is made. */
export interface Origin {
  readonly era: "legacy" | "modern";
  readonly identity: string;
  /** Absent for a session of its own. */
  readonly key?: string;
  /** False where the server answers one request only. */
  readonly isLasting: boolean;
  /** Those of its transport. */
  readonly integers: LongIntegers;
}

/** Makes the SDK's server of what we serve, for one session or one request. It ends with its transport. */
export function createServer(served: Served, origin: Origin): Server {
  const key = origin.key ?? randomUUID();
  const { identity, isLasting, integers } = origin;
  const session = served.open({ identity, key, isLasting });
  const { resources, prompts, instructions } = session;
  const listChanged = served.onChange !== undefined;
  const list = { ttlMs: served.listTtlMs, cacheScope: "private" as const };
  const server = new Server(
    { ...served.identity },
    {
      capabilities: {
        tools: { listChanged },
        ...(resources === undefined ? {} : { resources: { listChanged, subscribe: listChanged } }),
        ...(prompts === undefined ? {} : { prompts: { listChanged } }),
      },
      ...(instructions === "" ? {} : { instructions }),
      cacheHints: { "tools/list": list, "prompts/list": list, "resources/list": list },
    },
  );
  const exchangeOf = (context: ServerContext): Exchange => {
    const { meta, answers, ...exchange } = readExchange(server, context);
    return {
      ...exchange,
      meta: integers.unmark(meta) as JsonObject,
      answers: integers.unmark(answers) as JsonObject & Exchange["answers"],
      ask: origin.era === "legacy" ? askThrough(context, integers) : undefined,
    };
  };
  serveTools(server, session, { exchangeOf, integers });
  if (resources !== undefined) serveResources(server, resources);
  if (prompts !== undefined) servePrompts(server, prompts);
  const subscribed = new Set<string>();
  if (resources !== undefined && listChanged) serveSubscriptions(server, subscribed);
  const unsubscribe = isLasting
    ? served.onChange?.((change) => void announce(server, change, { key, era: origin.era, subscribed }))
    : undefined;
  server.onclose = () => {
    unsubscribe?.();
    session.close?.();
  };
  return server;
}

function serveTools(
  server: Server,
  session: ServedSession,
  {
    exchangeOf,
    integers,
  }: { readonly exchangeOf: (context: ServerContext) => Exchange; readonly integers: LongIntegers },
): void {
  server.setRequestHandler("tools/list", async (_request, context) => {
    const tools = await session.tools(exchangeOf(context)).catch(protocolError);
    return { tools: integers.mark(tools) } as unknown as ListToolsResult;
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const given = (params.arguments ?? {}) as JsonObject;
    if (isDeeperThan(given, MAX_DEPTH)) return TOO_DEEP;
    const args = integers.unmark(given) as JsonObject;
    const exchange = exchangeOf(context);
    const listed = await session.tools(exchange).catch(protocolError);
    const outputSchema = listed.find(({ name }) => name === params.name)?.outputSchema;
    const reply = await session.call(params.name, args, exchange).catch(protocolError);
    if (reply.kind === "input") return inputRequired(reply, integers);
    // Earlier revisions know objects alone: where a listed schema allows more, the SDK wraps it, and by it the value.
    return server.projectCallToolResult(
      integers.mark(reply.result) as unknown as CallToolResult,
      outputSchema,
    );
  });
}

/** All that follows walks arguments by recursion, which overflows the stack at some thousand levels. */
const MAX_DEPTH = 1_000;
const TOO_DEEP: CallToolResult = {
  content: [
    {
      type: "text",
      text: `LIMIT_ARGUMENTS: The arguments nest deeper than ${MAX_DEPTH} levels.\nSend flatter data.`,
    },
  ],
  isError: true,
};

function inputRequired(
  { requests, state }: Extract<CallReply, { readonly kind: "input" }>,
  integers: LongIntegers,
): InputRequiredResult {
  return {
    resultType: "input_required",
    inputRequests: integers.mark(requests as unknown as JsonObject),
    requestState: state,
  } as unknown as InputRequiredResult;
}

function serveResources(server: Server, resources: NonNullable<ServedSession["resources"]>): void {
  server.setRequestHandler("resources/list", async ({ params }) => {
    const { items, nextCursor } = await resources.list(params?.cursor).catch(protocolError);
    const next = nextCursor === undefined ? {} : { nextCursor };
    return { resources: items, ...next } as unknown as ListResourcesResult;
  });
  server.setRequestHandler(
    "resources/templates/list",
    () => ({ resourceTemplates: resources.templates }) as unknown as ListResourceTemplatesResult,
  );
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const contents = await resources.read(uri).catch((error) => missingResource(error, uri));
    return { contents } as unknown as ReadResourceResult;
  });
}

function servePrompts(server: Server, prompts: NonNullable<ServedSession["prompts"]>): void {
  server.setRequestHandler("prompts/list", async () => {
    const list = await prompts.list().catch(protocolError);
    return { prompts: list } as unknown as ListPromptsResult;
  });
  server.setRequestHandler("prompts/get", async ({ params }) => {
    const prompt = await prompts.get(params.name, params.arguments ?? {}).catch(protocolError);
    return prompt as unknown as GetPromptResult;
  });
}

/** A client subscribes to no more than this many resources: each costs memory of ours. */
const MAX_SUBSCRIBED = 1_000;

/** The two requests of the older generation; in the newer one the SDK's entry keeps the subscriptions. */
function serveSubscriptions(server: Server, subscribed: Set<string>): void {
  server.setRequestHandler("resources/subscribe", ({ params }) => {
    if (subscribed.size < MAX_SUBSCRIBED) subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
}

interface Listener {
  readonly key: string;
  readonly era: Origin["era"];
  readonly subscribed: ReadonlySet<string>;
}

/** A client that is not there yet, or not any more, misses nothing: it lists anew. */
async function announce(server: Server, change: ServedChange, listener: Listener): Promise<void> {
  try {
    if (change.kind === "tools" && (change.session ?? listener.key) === listener.key)
      await server.sendToolListChanged();
    else if (change.kind === "prompts") await server.sendPromptListChanged();
    else if (change.kind === "resources") await server.sendResourceListChanged();
    else if (change.kind === "resource") {
      // In the newer generation the SDK knows who has subscribed.
      const isWanted = listener.era === "modern" || listener.subscribed.has(change.uri);
      if (isWanted) await server.sendResourceUpdated({ uri: change.uri });
    }
  } catch {
    // Not connected: see above.
  }
}

/** A person who has not answered after so long will not. */
const ANSWER_MS = 10 * 60_000;

function askThrough({ mcpReq }: ServerContext, integers: LongIntegers): Exchange["ask"] {
  return async ({ method, params }, signal) => {
    // The SDK knows the results of three methods by their names; ours are these.
    const request = {
      method: method as "roots/list",
      ...(params === undefined ? {} : { params: integers.mark(params) as JsonObject }),
    };
    return integers.unmark((await mcpReq.send(request, { signal, timeout: ANSWER_MS })) as Json);
  };
}

function readExchange(server: Server, { mcpReq }: ServerContext): Omit<Exchange, "ask"> {
  const envelope = mcpReq.envelope as JsonObject | undefined;
  const capabilities = own(envelope, CLIENT_CAPABILITIES_META_KEY) ?? server.getClientCapabilities();
  const info = own(envelope, CLIENT_INFO_META_KEY) ?? server.getClientVersion();
  const { signal, notify } = mcpReq;
  const progressToken = mcpReq._meta?.progressToken;
  let last = Number.NEGATIVE_INFINITY;
  return {
    client: { name: textOf(own(info, "name")), version: textOf(own(info, "version")) },
    meta: (mcpReq._meta ?? {}) as JsonObject,
    can: abilitiesOf(capabilities as Json | undefined),
    signal,
    state: mcpReq.requestState(),
    answers: (mcpReq.inputResponses ?? {}) as Readonly<Record<string, Json>>,
    reportProgress:
      progressToken === undefined
        ? undefined
        : async ({ done, total, message }) => {
            if (signal.aborted || done <= last) return;
            last = done;
            const params = {
              progressToken,
              progress: done,
              ...(total === undefined ? {} : { total }),
              ...(message === undefined ? {} : { message }),
            };
            await notify({ method: "notifications/progress", params }).catch(() => {});
          },
  };
}

/** `elicitation: {}` of revision 2025-06-18 means forms. */
function abilitiesOf(capabilities: Json | undefined): ClientAbilities {
  const elicitation = own(capabilities, "elicitation");
  const asks = isJsonObject(elicitation);
  const page = own(elicitation, "url") !== undefined;
  return {
    form: asks && (own(elicitation, "form") !== undefined || !page),
    page,
    roots: own(capabilities, "roots") !== undefined,
    model: own(capabilities, "sampling") !== undefined,
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
