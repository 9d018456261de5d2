import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { AuthorizationServer } from "./authorization-server.ts";
import { type HttpTestServer, httpServer } from "./http-server.ts";
import { answerModern } from "./modern-http.ts";

/** An MCP server that lets nobody in without an access token of its authorization server. */
export interface ProtectedServer extends HttpTestServer {
  /** The server's address. */
  readonly mcp: string;
  /** Calls of its tool that were carried out. */
  readonly calls: string[];
  /** Statuses of what was refused. */
  readonly refused: number[];
}

export interface ProtectedServerOptions {
  /** How it tells where to sign in: in its answer of 401 (default), only at the well-known address, or not at all. */
  readonly tells?: "answer" | "well-known" | "nothing";
  /** True wants the scope `mcp:greet` for calls. */
  readonly wantsScope?: boolean;
}

/** Starts it: the SDK's server, one tool `greet`, behind a check of the bearer token. */
export async function protectedServer(
  authority: AuthorizationServer,
  { tells = "answer", wantsScope = false }: ProtectedServerOptions = {},
): Promise<ProtectedServer> {
  const calls: string[] = [];
  const refused: number[] = [];
  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: "protected", version: "1" });
    mcp.registerTool(
      "greet",
      {
        description: "Greets somebody.",
        inputSchema: z.object({ name: z.string() }),
        annotations: { readOnlyHint: true },
      },
      ({ name }) => {
        calls.push(name);
        return { content: [{ type: "text", text: `Hello ${name}` }] };
      },
    );
    return mcp;
  });
  const server = await httpServer(async (exchange) => {
    const { request, response } = exchange;
    const resource = `${server.url}/mcp`;
    const metadata = "/.well-known/oauth-protected-resource/mcp";
    if (request.url === metadata && tells !== "nothing") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ resource, authorization_servers: [authority.issuer], scopes_supported: ["mcp"] }),
      );
      return;
    }
    if (request.url !== "/mcp") {
      response.writeHead(404).end();
      return;
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (token === undefined || !(await authority.isValid(token, resource))) {
      refused.push(401);
      const hint = tells === "answer" ? ` resource_metadata="${server.url}${metadata}"` : ' realm="mcp"';
      response.writeHead(401, { "www-authenticate": `Bearer${hint}` }).end("no entry");
      return;
    }
    const isCall = exchange.message?.method === "tools/call";
    if (wantsScope && isCall && !(await authority.isValid(token, resource, "mcp:greet"))) {
      refused.push(403);
      const challenge = 'Bearer scope="mcp:greet", error="insufficient_scope"';
      response.writeHead(403, { "www-authenticate": challenge }).end();
      return;
    }
    await answerModern(handler, exchange).catch(() => {});
  });
  return { ...server, mcp: `${server.url}/mcp`, calls, refused };
}
