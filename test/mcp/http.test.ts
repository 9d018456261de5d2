import { gzipSync } from "node:zlib";
import { createMcpHandler, type McpHttpHandler, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ServerEntry } from "../../src/model/server-entry.ts";
import { answerLegacy, type HttpExchange, httpServer } from "../servers/http-server.ts";
import { answerModern } from "../servers/modern-http.ts";
import { serverEntry, until } from "../servers/servers.ts";
import { namesOf, rawName, rejection, serverName, testHub } from "./fixtures.ts";

const web = serverName("web");
const entry = (
  url: string,
  headers: Record<string, string> = {},
  changes: Partial<ServerEntry> = {},
): ServerEntry => serverEntry("web", { kind: "http", url, headers }, changes);
const sse = (url: string, headers: Record<string, string> = {}): ServerEntry =>
  serverEntry("web", { kind: "sse", url, headers });

/** A handler of revision 2026-07-28 by the SDK's server. */
function modernHandler(): McpHttpHandler {
  return createMcpHandler(
    () => {
      const server = new McpServer(
        { name: "modern", version: "1" },
        { capabilities: { tools: { listChanged: true } } },
      );
      const schemas = { inputSchema: z.object({ n: z.number() }), outputSchema: z.array(z.number()) };
      server.registerTool("double", schemas, ({ n }) => ({ content: [], structuredContent: [n, n] }));
      return server;
    },
    { legacy: "reject" },
  );
}

// M1, M8
describe("streamable HTTP", () => {
  test("a server of revision 2026-07-28 is found by auto", async () => {
    const handler = modernHandler();
    await using server = await httpServer((exchange) => answerModern(handler, exchange).catch(() => {}));
    await using hub = testHub(entry(server.url));
    const link = await hub.link(web);
    expect(link.protocol).toBe("2026-07-28");
    expect(namesOf(await link.listTools())).toEqual(["double"]);
    expect((await link.callTool(rawName("double"), { n: 4 })).structured).toEqual([4, 4]);
  });

  test("changes are told by a subscription, which is opened again when it breaks, and that counts as a change", async () => {
    const handler = modernHandler();
    const subscriptions: HttpExchange[] = [];
    await using server = await httpServer((exchange) => {
      if (exchange.message?.method === "subscriptions/listen") subscriptions.push(exchange);
      return answerModern(handler, exchange).catch(() => {});
    });
    await using hub = testHub(entry(server.url));
    await hub.link(web);
    handler.notify.toolsChanged();
    await until("the change is told", () => hub.changed.length === 1);
    subscriptions[0]?.response.destroy();
    await until("the second subscription", () => subscriptions.length === 2);
    await until("the gap counts as a change", () => hub.changed.length === 2);
    handler.notify.toolsChanged();
    await until("the next change is told", () => hub.changed.length === 3);
    expect(hub.isConnected(web)).toBe(true);
  });

  test("integers of any length keep their digits, in JSON and in events, and go out as digits", async () => {
    const result =
      '{"content":[],"structuredContent":{"id":12345678901234567890,"text":"12345678901234567890"}}';
    await using server = await httpServer((exchange) => {
      const { message, response } = exchange;
      if (message?.params?.name !== "events") return answerLegacy(exchange, { call: () => result });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        `event: message\ndata: {"jsonrpc":"2.0","id":${message.id},\ndata: "result":${result}}\n\n`,
      );
    });
    await using hub = testHub(entry(server.url));
    const link = await hub.link(web);
    for (const tool of ["json", "events"]) {
      const answer = await link.callTool(rawName(tool), { big: [98765432109876543210n] });
      expect(answer.structured).toEqual({ id: 12345678901234567890n, text: "12345678901234567890" });
      expect(server.requests.at(-1)?.body).toContain('"big":[98765432109876543210]');
    }
  });

  test("headers go out with each request, credentials of the URL as Basic, and a session is ended on close", async () => {
    await using server = await httpServer((exchange) => answerLegacy(exchange, { session: "s1" }));
    const url = server.url.replace("//", "//ann:p%40ss@");
    const hub = testHub(entry(url, { "X-Api-Key": "k" }));
    await (await hub.link(web)).listTools();
    await hub.close();
    const basic = `Basic ${Buffer.from("ann:p@ss").toString("base64")}`;
    for (const { headers } of server.requests)
      expect([headers["x-api-key"], headers.authorization]).toEqual(["k", basic]);
    expect(server.requests.at(-1)?.method).toBe("DELETE");
  });

  test("a redirect to another origin is not followed, and the error names both", async () => {
    await using other = await httpServer((exchange) => answerLegacy(exchange));
    await using server = await httpServer(({ response }) => {
      response.writeHead(307, { location: `${other.url}/mcp` }).end();
    });
    await using hub = testHub(
      entry(`${server.url}/mcp`, { Authorization: "Bearer secret-token", Cookie: "a=b" }),
    );
    const error = await rejection(hub.link(web));
    expect(error.code).toBe("SERVER_FAILED");
    expect(error.message).toContain(server.url);
    expect(error.message).toContain(other.url);
    expect(error.message).not.toContain("secret-token");
    expect(other.requests).toEqual([]);
  });

  test("a redirect within the origin is followed with its body", async () => {
    await using server = await httpServer((exchange) => {
      if (exchange.request.url === "/mcp") exchange.response.writeHead(307, { location: "/mcp/" }).end();
      else answerLegacy(exchange);
    });
    await using hub = testHub(entry(`${server.url}/mcp`));
    expect(namesOf(await (await hub.link(web)).listTools())).toEqual(["a"]);
  });

  test.each([401, 403])(
    "%i is AUTH_REQUIRED, at the start and in a call, over HTTP and SSE",
    async (status) => {
      await using server = await httpServer((exchange) => {
        const isCall = exchange.message?.method === "tools/call";
        if (isCall || exchange.request.url === "/closed") exchange.response.writeHead(status).end("no token");
        else answerLegacy(exchange);
      });
      await using hub = testHub(entry(server.url));
      const called = await rejection((await hub.link(web)).callTool(rawName("a"), {}));
      expect([called.code, called.data.status]).toEqual(["AUTH_REQUIRED", status]);
      expect(called.message).toContain("no token");
      for (const closed of [entry(`${server.url}/closed`), sse(`${server.url}/closed`)]) {
        await using other = testHub(closed);
        const error = await rejection(other.link(web));
        expect(error.code).toBe("AUTH_REQUIRED");
        expect(error.hint).toContain("headers");
      }
    },
  );

  test("a refusal with words shows them, and the second attempt over SSE too", async () => {
    await using server = await httpServer(({ request, response, message }) => {
      if (request.method === "GET") return void response.writeHead(405).end();
      const error = { code: -32000, message: "Workspace has not enabled this app" };
      response.writeHead(400, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          jsonrpc: "2.0",
          id: message?.method === "server/discover" ? message.id : null,
          error,
        }),
      );
    });
    await using hub = testHub(entry(server.url));
    const error = await rejection(hub.link(web));
    expect(error.message).toMatch(
      /Streamable HTTP: HTTP 400: Workspace has not enabled this app\. SSE: .*405/,
    );
  });

  test("a refusal in words of the modern revision is no reason to try SSE", async () => {
    await using server = await httpServer(({ response }) => {
      response.writeHead(400, { "content-type": "application/json" });
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32021,"message":"Needs elicitation"}}');
    });
    await using hub = testHub(entry(server.url));
    expect((await rejection(hub.link(web))).message).toContain("Needs elicitation");
    expect(server.requests.every((request) => request.method === "POST")).toBe(true);
  });

  test.each(["not a url", "http://a:%zz@127.0.0.1:9/"])("%s is SERVER_FAILED", async (url) => {
    await using hub = testHub(entry(url));
    const error = await rejection(hub.link(web));
    expect([error.code, error.hint.includes('"url"')]).toEqual(["SERVER_FAILED", true]);
  });

  test("nobody there is SERVER_FAILED with the network's reason, without the URL's secrets", async () => {
    await using hub = testHub(
      entry("http://127.0.0.1:9/mcp?token=hunter2-secret", {}, { secrets: ["hunter2-secret"] }),
    );
    const error = await rejection(hub.link(web));
    expect(error.code).toBe("SERVER_FAILED");
    expect(error.message).toContain("http://127.0.0.1:9/mcp");
    expect(error.message).not.toContain("hunter2");
  });
});

describe("a call over HTTP that gets no answer", () => {
  test("an answer that breaks off is OUTCOME_UNKNOWN at once", async () => {
    await using server = await httpServer((exchange) => {
      if (exchange.message?.method !== "tools/call") return answerLegacy(exchange);
      exchange.response.writeHead(200, { "content-type": "text/event-stream" });
      exchange.response.write(": hello\n\n");
      setTimeout(() => exchange.response.destroy(), 50);
    });
    await using hub = testHub(entry(server.url));
    const startedMs = Date.now();
    const error = await rejection((await hub.link(web)).callTool(rawName("a"), {}));
    expect(error.code).toBe("OUTCOME_UNKNOWN");
    expect(Date.now() - startedMs).toBeLessThan(5_000);
    expect(server.received("tools/call")).toHaveLength(1);
  });

  test.each([
    [500, "OUTCOME_UNKNOWN"],
    [503, "OUTCOME_UNKNOWN"],
    [413, "SERVER_FAILED"],
  ])("HTTP %i is %s", async (status, code) => {
    await using server = await httpServer((exchange) => {
      if (exchange.message?.method === "tools/call") exchange.response.writeHead(status).end("bad");
      else answerLegacy(exchange);
    });
    await using hub = testHub(entry(server.url));
    const error = await rejection((await hub.link(web)).callTool(rawName("a"), {}));
    expect(error.code).toBe(code);
    expect(error.message).toContain(`HTTP ${status}: bad`);
    expect(hub.isConnected(web)).toBe(true);
  });

  test("an answer that is too long to be read is OUTCOME_UNKNOWN for that reason, and a later loss is not", async () => {
    // Of 257 MB, and small on the way.
    const tooLong = Buffer.concat(Array.from({ length: 257 }, () => gzipSync(Buffer.alloc(1024 * 1024, 32))));
    await using server = await httpServer((exchange) => {
      const { message, response } = exchange;
      if (message?.method !== "tools/call") return answerLegacy(exchange);
      const type = message.params.name === "json" ? "application/json" : "text/event-stream";
      if (message.params.name !== "cut")
        return void response
          .writeHead(200, { "content-type": type, "content-encoding": "gzip" })
          .end(tooLong);
      response.writeHead(200, { "content-type": type });
      response.write(": so far\n\n");
      setTimeout(() => response.destroy(), 50);
    });
    await using hub = testHub(entry(server.url));
    const link = await hub.link(web);
    const messages: string[] = [];
    for (const name of ["json", "cut", "events", "cut"]) {
      const error = await rejection(link.callTool(rawName(name), {}));
      expect(error.code).toBe("OUTCOME_UNKNOWN");
      messages.push(error.message);
    }
    expect(messages.map((message) => message.includes("more than 256 MB"))).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  test("a session that the server forgot is SERVER_FAILED, and the next link starts another", async () => {
    let session = 1;
    await using server = await httpServer((exchange) => {
      const { request, response, message } = exchange;
      const has = request.headers["mcp-session-id"];
      if (message?.method !== "initialize" && has !== undefined && has !== `s${session}`)
        return void response.writeHead(404).end("Session not found");
      answerLegacy(exchange, { session: `s${session}` });
    });
    await using hub = testHub(entry(server.url, {}, { protocol: "legacy" }));
    const link = await hub.link(web);
    await link.callTool(rawName("a"), {});
    session = 2;
    const error = await rejection(link.callTool(rawName("a"), {}));
    expect(error.code).toBe("SERVER_FAILED");
    expect(hub.isConnected(web)).toBe(false);
    expect((await (await hub.link(web)).callTool(rawName("a"), {})).isError).toBe(false);
    expect(server.received("tools/call")).toHaveLength(3);
    await until("the reconnect is told", () => hub.changed.length === 1);
  });

  test("a silent server is SERVER_TIMEOUT and is told", async () => {
    await using server = await httpServer((exchange) => {
      if (exchange.message?.method !== "tools/call") answerLegacy(exchange);
    });
    await using hub = testHub(entry(server.url));
    const error = await rejection((await hub.link(web)).callTool(rawName("a"), {}, { timeoutMs: 100 }));
    expect(error.code).toBe("SERVER_TIMEOUT");
    await until("the server is told", () => server.received("notifications/cancelled").length === 1);
  });

  test("a start that hangs ends by the entry's limit", async () => {
    await using server = await httpServer(() => {});
    for (const slow of [entry(server.url), sse(server.url)]) {
      await using hub = testHub({ ...slow, timeoutMs: 200 });
      expect((await rejection(hub.link(web))).code).toBe("SERVER_TIMEOUT");
    }
  });
});

test("an SSE server that sends its endpoint to another origin gets nothing there", async () => {
  await using other = await httpServer((exchange) => answerLegacy(exchange));
  await using server = await httpServer(({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: endpoint\ndata: ${other.url}/message\n\n`);
  });
  await using hub = testHub(sse(server.url, { Authorization: "Bearer t" }));
  const error = await rejection(hub.link(web));
  expect(error.code).toBe("SERVER_FAILED");
  expect(error.message).toContain(other.url);
  expect(other.requests).toEqual([]);
});
