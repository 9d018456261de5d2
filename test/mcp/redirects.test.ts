import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/kernel/log.ts";
import type { CredentialStore } from "../../src/model/credentials.ts";
import type { HttpTransport } from "../../src/model/server-entry.ts";
import { createCredentialStore } from "../../src/trust/credential-store.ts";
import { answerLegacy, type HttpExchange, type HttpTestServer, httpServer } from "../servers/http-server.ts";
import { serverEntry, temporaryFolder } from "../servers/servers.ts";
import { namesOf, rawName, rejection, serverName, type TestHub, testHubWith } from "./fixtures.ts";

const SECRET = {
  header: "value-of-the-header",
  cookie: "session=value-of-the-cookie",
  token: "value-of-the-token",
};
const web = serverName("web");

/** A hub for one server, with configured headers and somebody who has signed in. */
async function hubFor(kind: HttpTransport["kind"], url: string, home: string): Promise<TestHub> {
  const store: CredentialStore = createCredentialStore({ MCPFS_HOME: home }, createRedactor());
  await store.exclusive({ url }, (held) =>
    held.write({
      issuer: "https://login.example",
      client: { id: "c", isRegistered: true },
      accessToken: SECRET.token,
    }),
  );
  const headers = { "X-Api-Key": SECRET.header, Cookie: SECRET.cookie };
  return testHubWith({ credentials: store }, serverEntry("web", { kind, url, headers }));
}

/** Opens the stream of the older transport and names where messages go. */
function openStream({ response }: HttpExchange, endpoint: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
}

/** All that a server was sent, as one text. */
const sent = (server: HttpTestServer): string => JSON.stringify(server.requests);

// The kind of bug bank case client-credentials-on-redirect.
describe("nothing secret goes to another origin", () => {
  test.each([301, 302, 303, 307, 308])(
    "%i with a page: no request goes there, and the error names both",
    async (status) => {
      await using other = await httpServer((exchange) => answerLegacy(exchange));
      await using server = await httpServer(({ response }) => {
        response.writeHead(status, { location: `${other.url}/mcp` }).end("<p>moved here</p>");
      });
      using home = temporaryFolder();
      for (const kind of ["http", "sse"] as const) {
        await using hub = await hubFor(kind, `${server.url}/mcp`, home.path);
        const error = await rejection(hub.link(web));
        expect(error).toMatchObject({ code: "SERVER_FAILED", data: { from: server.url, to: other.url } });
        expect(error.message).toContain(server.url);
        expect(error.message).toContain(other.url);
        for (const secret of Object.values(SECRET)) expect(JSON.stringify(error)).not.toContain(secret);
      }
      expect(other.requests).toEqual([]);
      for (const secret of Object.values(SECRET)) expect(sent(server)).toContain(secret);
    },
  );

  test("a redirect in the middle of a session costs the call, which was not carried out", async () => {
    await using other = await httpServer((exchange) => answerLegacy(exchange));
    await using server = await httpServer((exchange) => {
      if (exchange.message?.method !== "tools/call") return answerLegacy(exchange);
      exchange.response.writeHead(307, { location: other.url }).end();
    });
    using home = temporaryFolder();
    await using hub = await hubFor("http", server.url, home.path);
    const error = await rejection((await hub.link(web)).callTool(rawName("a"), {}));
    expect(error.code).toBe("SERVER_FAILED");
    expect(error.message).toContain(other.url);
    expect(other.requests).toEqual([]);
  });

  test("a stream of the older transport that names an address elsewhere gets nothing there", async () => {
    await using other = await httpServer(({ response }) => void response.writeHead(202).end());
    await using server = await httpServer((exchange) => openStream(exchange, `${other.url}/messages`));
    using home = temporaryFolder();
    await using hub = await hubFor("sse", server.url, home.path);
    const error = await rejection(hub.link(web));
    expect(error.code).toBe("SERVER_FAILED");
    expect(error.message).toContain(server.url);
    expect(error.message).toContain(other.url);
    expect(other.requests).toEqual([]);
  });

  test("a redirect that stays is followed, with headers, credentials and body", async () => {
    await using server = await httpServer((exchange) => {
      if (exchange.request.url !== "/mcp") answerLegacy(exchange);
      else exchange.response.writeHead(308, { location: "/mcp/" }).end();
    });
    using home = temporaryFolder();
    await using hub = await hubFor("http", `${server.url}/mcp`, home.path);
    expect(namesOf(await (await hub.link(web)).listTools())).toEqual(["a"]);
    const followed = server.requests.filter(({ path, method }) => path === "/mcp/" && method === "POST");
    expect(followed.map(({ message }) => message.method)).toContain("tools/list");
    for (const { headers } of followed) {
      expect(headers).toMatchObject({ "x-api-key": SECRET.header, authorization: `Bearer ${SECRET.token}` });
    }
  });
});

/** The older transport behind a check of the access token: answers of POSTs go out on the stream. */
function guardedSse(accepts: () => string): (exchange: HttpExchange) => void {
  let stream: HttpExchange | undefined;
  return (exchange) => {
    const { request, response, message } = exchange;
    if (request.headers.authorization !== `Bearer ${accepts()}`) {
      response
        .writeHead(401, { "www-authenticate": 'Bearer resource_metadata="http://127.0.0.1:1/x"' })
        .end();
    } else if (request.method === "GET") {
      stream = exchange;
      openStream(exchange, "/messages");
    } else {
      response.writeHead(202).end();
      const results: Readonly<Record<string, unknown>> = {
        initialize: {
          protocolVersion: "2024-11-05",
          capabilities: { tools: {} },
          serverInfo: { name: "old", version: "1" },
        },
        "tools/list": { tools: [{ name: "a", description: `You are ${request.headers.authorization}` }] },
      };
      const result = results[message.method];
      if (result !== undefined)
        stream?.response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n\n`);
    }
  };
}

describe("requests of the older transport are signed too", () => {
  test("stream and messages carry the access token; what the server repeats of it is hidden", async () => {
    await using server = await httpServer(guardedSse(() => SECRET.token));
    using home = temporaryFolder();
    await using hub = await hubFor("sse", `${server.url}/sse`, home.path);
    const { tools } = await (await hub.link(web)).listTools();
    expect(tools).toEqual([{ name: "a", description: "You are Bearer [hidden]" }]);
  });

  test("a stream that is refused asks for a sign-in", async () => {
    await using server = await httpServer(guardedSse(() => "another"));
    using home = temporaryFolder();
    await using hub = await hubFor("sse", `${server.url}/sse`, home.path);
    expect(await rejection(hub.link(web))).toMatchObject({
      code: "AUTH_REQUIRED",
      hint: 'Run "mcpfs auth web" to sign in.',
    });
  });
});
