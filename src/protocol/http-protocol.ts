import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
  type ServerEvent,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { isJsonObject, own } from "../kernel/json.ts";
import { createServer } from "./create-server.ts";
import { createLongIntegers, plainResponse } from "./long-integers.ts";
import type { Served, ServedChange } from "./served.ts";

/** The protocol over streamable HTTP, both generations on one address. It trusts its caller with who asks, and with Host and Origin. */
export interface HttpProtocol {
  /**
   * Answers one request. `body` is the body of a POST, as {@link HttpProtocol.parse} reads it. `release` is called when the answer has been sent or the
   * client is gone.
   */
  readonly answer: (
    request: Request,
    caller: { readonly identity: string; readonly body: unknown },
  ) => Promise<{ readonly response: Response; readonly release: () => void }>;
  /** Reads the text of a body. @throws SyntaxError */
  readonly parse: (text: string) => unknown;
  /** Ends all sessions and open requests. */
  readonly close: () => Promise<void>;
}

export interface HttpProtocolOptions {
  /** Sessions of the older generation at once; the one that was idle longest makes room. */
  readonly maxSessions: number;
  /** A session without an open request for so long is over. */
  readonly sessionIdleMs: number;
  /** Faults that no client hears of. */
  readonly onFault: (error: Error) => void;
}

/** A session of the older generation. */
interface HttpSession {
  readonly identity: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  openRequests: number;
  lastUsedMs: number;
}

const SWEEP_MS = 10_000;
const NOTHING = (): void => {};

/** Creates the protocol of what is served. */
export function createHttpProtocol(served: Served, options: HttpProtocolOptions): HttpProtocol {
  const sessions = new Map<string, HttpSession>();
  const integers = createLongIntegers();
  const modern = new Map<string, McpHttpHandler>();
  /** One for each client: whoever listens at a handler of the SDK hears all that it tells. */
  const modernOf = (identity: string): McpHttpHandler => {
    const known = modern.get(identity);
    if (known !== undefined) return known;
    // Each server is one request long: what is to last longer hangs on the client's key.
    const origin = {
      era: "modern",
      identity,
      key: `requests of ${identity}`,
      isLasting: false,
      integers,
    } as const;
    const handler = createMcpHandler(() => createServer(served, origin), {
      legacy: "reject",
      onerror: options.onFault,
      bus: changesFor(served, origin.key),
    });
    modern.set(identity, handler);
    return handler;
  };
  const sweep = setInterval(() => {
    const before = Date.now() - options.sessionIdleMs;
    for (const [id, session] of sessions)
      if (session.openRequests === 0 && session.lastUsedMs < before) end(id);
  }, SWEEP_MS).unref();

  const end = (id: string): void => {
    const session = sessions.get(id);
    sessions.delete(id);
    void session?.server.close().catch(options.onFault);
  };
  /** @returns false where every session is busy */
  const makeRoom = (): boolean => {
    if (sessions.size < options.maxSessions) return true;
    const idle = [...sessions].filter(([, session]) => session.openRequests === 0);
    const [oldest] = idle.sort(([, a], [, b]) => a.lastUsedMs - b.lastUsedMs);
    if (oldest !== undefined) end(oldest[0]);
    return oldest !== undefined;
  };

  const begin = async (identity: string): Promise<HttpSession> => {
    const server = createServer(served, { era: "legacy", identity, isLasting: true, integers });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, session);
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    const session: HttpSession = { identity, transport, server, openRequests: 0, lastUsedMs: Date.now() };
    transport.onerror = options.onFault;
    await server.connect(transport);
    return session;
  };

  const answerLegacy: HttpProtocol["answer"] = async (request, { identity, body }) => {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : sessions.get(id);
    // Another client's session is as good as none.
    if (id !== null && known?.identity !== identity) return refusal(404, -32_001, "Session not found", body);
    if (known === undefined && !makeRoom())
      return refusal(503, -32_000, "Too many sessions are open; try again later.", body);
    const session = known ?? (await begin(identity));
    session.openRequests += 1;
    let isOpen = true;
    const release = (): void => {
      if (isOpen) session.openRequests -= 1;
      isOpen = false;
      session.lastUsedMs = Date.now();
    };
    const response = await session.transport.handleRequest(request, { parsedBody: body });
    // Nothing began: a request that is no `initialize`, and names no session.
    if (session.transport.sessionId === undefined) void session.server.close().catch(options.onFault);
    return { response, release };
  };

  return {
    parse: (text) => JSON.parse(integers.markText(text)) as unknown,
    answer: async (request, caller) => {
      if (await isLegacyRequest(request, caller.body)) {
        const { response, release } = await answerLegacy(request, caller);
        return { response: plainResponse(response, integers), release };
      }
      const response = await modernOf(caller.identity).fetch(request, { parsedBody: caller.body });
      return { response: plainResponse(response, integers), release: NOTHING };
    },
    close: async () => {
      clearInterval(sweep);
      for (const id of [...sessions.keys()]) end(id);
      await Promise.all([...modern.values()].map((handler) => handler.close()));
    },
  };
}

/** What is told to the streams of one client; nothing is subscribed while there are none. */
function changesFor(served: Served, key: string): ServerEventBus {
  return {
    publish: NOTHING,
    subscribe: (listener) =>
      served.onChange?.((change) => {
        if (change.kind !== "tools" || (change.session ?? key) === key) listener(eventOf(change));
      }) ?? NOTHING,
  };
}

function eventOf(change: ServedChange): ServerEvent {
  switch (change.kind) {
    case "tools":
      return { kind: "tools_list_changed" };
    case "prompts":
      return { kind: "prompts_list_changed" };
    case "resources":
      return { kind: "resources_list_changed" };
    case "resource":
      return { kind: "resource_updated", uri: change.uri };
  }
}

function refusal(
  status: number,
  code: number,
  message: string,
  body: unknown,
): { readonly response: Response; readonly release: () => void } {
  const id = isJsonObject(body) ? (own(body, "id") ?? null) : null;
  const response = Response.json({ jsonrpc: "2.0", error: { code, message }, id }, { status });
  return { response, release: NOTHING };
}
