import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** One request that an HTTP test server got; `message` is the parsed body of a POST, `body` its text. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
  readonly message: any;
}

/** A server on loopback that notes every request. Goes with `await using`. */
export interface HttpTestServer {
  readonly url: string;
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: any;
    readonly body: string;
    readonly message: any;
  }[];
  /** The messages received with this JSON-RPC method. */
  readonly received: (method: string) => readonly any[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server that answers each request by `handle`. */
export async function httpServer(
  handle: (exchange: HttpExchange) => void | Promise<void>,
): Promise<HttpTestServer> {
  const requests: HttpTestServer["requests"] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const message = body === "" ? undefined : JSON.parse(body);
      requests.push({
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body,
        message,
      });
      void handle({ request, response, body, message });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    received: (method) =>
      requests.map((request) => request.message).filter((message) => message?.method === method),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers as a server of revision 2025-11-25 does; `call` writes the result of tools/call as JSON text. */
export function answerLegacy(
  { request, response, message }: HttpExchange,
  options: { readonly session?: string; readonly call?: (message: any) => string } = {},
): void {
  const json = (result: string): void => {
    response.writeHead(200, {
      "content-type": "application/json",
      ...(message.method === "initialize" &&
        options.session !== undefined && { "mcp-session-id": options.session }),
    });
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`);
  };
  const refuse = (code: number, text: string): void => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error: { code, message: text } }));
  };
  if (request.method === "GET") response.writeHead(405).end();
  else if (request.method !== "POST") response.writeHead(200).end();
  else if (message.id === undefined) response.writeHead(202).end();
  else if (message.method === "initialize")
    json(
      JSON.stringify({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "http", version: "1" },
      }),
    );
  else if (message.method === "tools/list") json('{"tools":[{"name":"a"}]}');
  else if (message.method === "tools/call") json(options.call?.(message) ?? '{"content":[]}');
  else refuse(-32601, "Method not found");
}
