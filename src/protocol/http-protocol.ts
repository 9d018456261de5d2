import { randomUUID } from "node:crypto";
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { isJsonObject, own } from "../kernel/json.ts";
import { createServer } from "./create-server.ts";
import { createLongIntegers, type LongIntegers, plainResponse } from "./long-integers.ts";
import type { Served } from "./served.ts";

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
  const modern = createMcpHandler((context) => modernServer(served, context, integers), {
    legacy: "reject",
    onerror: options.onFault,
  });
  const unsubscribe = served.onChange?.((change) => {
    if (change.kind === "tools") modern.notify.toolsChanged();
    else if (change.kind === "prompts") modern.notify.promptsChanged();
    else if (change.kind === "resources") modern.notify.resourcesChanged();
    else modern.notify.resourceUpdated(change.uri);
  });
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
      const { identity, body: parsedBody } = caller;
      const authInfo: AuthInfo = { token: "", clientId: identity, scopes: [] };
      const response = await modern.fetch(request, { authInfo, parsedBody });
      return { response: plainResponse(response, integers), release: NOTHING };
    },
    close: async () => {
      clearInterval(sweep);
      unsubscribe?.();
      for (const id of [...sessions.keys()]) end(id);
      await modern.close();
    },
  };
}

/** One request long: what is to last longer hangs on the client's key. */
function modernServer(served: Served, { authInfo }: McpRequestContext, integers: LongIntegers): Server {
  const identity = authInfo?.clientId ?? "";
  const key = `requests of ${identity}`;
  return createServer(served, { era: "modern", identity, key, isLasting: false, integers });
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
