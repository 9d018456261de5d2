import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServeConfig } from "../config/parse-serve.ts";
import { McpfsError, systemCode } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { createHttpProtocol } from "../protocol/http-protocol.ts";
import type { Served } from "../protocol/served.ts";
import { createHttpGuard, isLoopback, urlHost } from "./http-guard.ts";
import { createHttpIdentity } from "./http-identity.ts";
import { jsonRpcError, readBody, sendResponse, webRequest } from "./http-messages.ts";

export interface HttpListenerOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly config: () => ServeConfig;
  /** From the environment: whoever has it is `local`. */
  readonly token: string | undefined;
  readonly log: Log;
}

/** A workspace that can be reached over HTTP. */
export interface HttpListener {
  /** `http://127.0.0.1:7090/mcp` */
  readonly url: string;
  readonly close: () => Promise<void>;
}

const PATH = "/mcp";
const METADATA = "/.well-known/oauth-protected-resource";
/** A script with its data fits. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** Who sends a letter a second holds a connection that another client may need. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const KEEP_ALIVE_MS = 30_000;
const MAX_CONNECTIONS = 1_024;
const MAX_SESSIONS = 1_024;
const SESSION_IDLE_MS = 30 * 60_000;

/**
 * Serves over streamable HTTP until it is closed.
 * @throws McpfsError USAGE for an address that others can reach without a token, or that cannot be taken
 */
export async function listenOnHttp(served: Served, options: HttpListenerOptions): Promise<HttpListener> {
  const { host, port, config, log } = options;
  const identities = createHttpIdentity(config, options.token);
  if (!isLoopback(host) && identities.isOpen()) throw openToAll(host);
  const protocol = createHttpProtocol(served, {
    maxSessions: MAX_SESSIONS,
    sessionIdleMs: SESSION_IDLE_MS,
    onFault: (error) => log.debug(`http: ${error.message}`),
  });

  /** What was wrong with the tokens of the config when a client was last refused for it. */
  let lastProblem: McpfsError | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { hosts, origins, oauth, problem } = config();
    const guard = createHttpGuard([host, ...hosts], origins);
    const cors = guard.corsHeaders(request.headers);
    const end = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): void => {
      // What is left of a body is not waited for.
      const close = request.complete ? {} : { connection: "close" };
      response.writeHead(status, { "content-type": "application/json", ...cors, ...close, ...headers });
      response.end(body, () => {
        if (!request.complete) request.destroy();
      });
    };
    const refusal = guard.refuse(request.headers);
    if (refusal !== undefined) return end(403, jsonRpcError(-32_000, refusal));
    const path = (request.url ?? "/").split("?", 1)[0];
    if (request.method === "OPTIONS") return end(204, "");
    if (oauth !== undefined && (path === METADATA || path === `${METADATA}${PATH}`))
      return end(200, JSON.stringify(resourceMetadata(oauth)));
    if (path !== PATH)
      return end(404, jsonRpcError(-32_000, `There is nothing here; the address ends in ${PATH}.`));
    if (problem !== undefined) {
      if (problem !== lastProblem) log.warn(`All clients are refused: ${problem.message}`);
      lastProblem = problem;
      return end(503, jsonRpcError(-32_000, "The config of this server is being mended; try again later."));
    }
    const caller = await identities.of(request.headers.authorization);
    if (caller.kind === "refused") {
      const challenge = challengeOf(caller.error, oauth, request.headers.host);
      return end(caller.status, jsonRpcError(-32_000, "A valid bearer token is needed."), challenge);
    }
    const body =
      request.method === "POST" ? await readBody(request, MAX_BODY_BYTES, protocol.parse) : NO_BODY;
    if (body.kind === "refused") return end(body.status, jsonRpcError(body.code, body.message));
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const asked = webRequest(request, gone.signal);
    const { response: found, release } = await protocol.answer(asked, {
      identity: caller.identity,
      body: body.json,
    });
    await sendResponse(found, response, cors).finally(release);
  };

  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      answer(request, response).catch((error: unknown) => {
        log.debug(`http: ${error instanceof Error ? error.message : String(error)}`);
        if (response.headersSent) return response.destroy();
        response.writeHead(500, { "content-type": "application/json" });
        response.end(jsonRpcError(-32_603, "Internal error"));
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    await protocol.close();
    throw new McpfsError(
      "USAGE",
      `${host}:${port} cannot be taken (${systemCode(error) || String(error)}).`,
      {
        hint: "Choose another port; 0 takes any free one.",
        cause: error,
      },
    );
  }
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${urlHost(host)}:${taken}${PATH}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      await protocol.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const NO_BODY = { kind: "read", json: undefined } as const;

/** RFC 9728: where a client gets a token for this server. */
function resourceMetadata(oauth: NonNullable<ServeConfig["oauth"]>): object {
  const { resource, issuer, scopes } = oauth;
  return {
    resource,
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"],
    ...(scopes === undefined ? {} : { scopes_supported: scopes }),
    resource_name: "mcpfs",
  };
}

/** RFC 6750 and 9728: what is wrong with the token, and where to get one. */
function challengeOf(
  error: string,
  oauth: ServeConfig["oauth"],
  host: string | undefined,
): Readonly<Record<string, string>> {
  const parts = [
    ...(error === "" ? [] : [`error="${error}"`]),
    ...(error === "insufficient_scope" ? [`scope="${(oauth?.scopes ?? []).join(" ")}"`] : []),
    ...(oauth === undefined ? [] : [`resource_metadata="${metadataUrl(oauth, host)}"`]),
  ];
  return { "www-authenticate": `Bearer ${['realm="mcpfs"', ...parts].join(", ")}` };
}

function metadataUrl({ resource }: NonNullable<ServeConfig["oauth"]>, host: string | undefined): string {
  const origin = URL.canParse(resource) ? new URL(resource).origin : `http://${host ?? "127.0.0.1"}`;
  return `${origin}${METADATA}${PATH}`;
}

function openToAll(host: string): McpfsError {
  return new McpfsError("USAGE", `Everybody who reaches ${host} could use this workspace: no token is set.`, {
    hint: "Set MCPFS_SERVE_TOKEN, or name clients with tokens in serve.clients of mcpfs.json.",
  });
}
