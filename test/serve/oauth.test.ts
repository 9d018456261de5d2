import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../servers/servers.ts";
import { type HttpServer, httpServer, makeServed, overHttp } from "./served.ts";

const RESOURCE = "https://workspace.example/mcp";
const inAnHour = Math.floor(Date.now() / 1_000) + 3_600;
/** What the authorization server knows of tokens. */
const TOKENS: Readonly<Record<string, object>> = {
  good: { active: true, sub: "ann", aud: RESOURCE, scope: "tools more", exp: inAnHour },
  "good-in-a-list": {
    active: true,
    client_id: "ci",
    aud: ["https://other.example", `${RESOURCE}/`],
    scope: "tools",
  },
  withdrawn: { active: false },
  "of-yesterday": { active: true, sub: "ann", aud: RESOURCE, scope: "tools", exp: 1 },
  "for-another": {
    active: true,
    sub: "ann",
    aud: "https://other.example/mcp",
    scope: "tools",
    exp: inAnHour,
  },
  "for-nobody": { active: true, sub: "ann", scope: "tools", exp: inAnHour },
  "without-scope": { active: true, sub: "ann", aud: RESOURCE, scope: "other", exp: inAnHour },
};
const folder = temporaryFolder();
const asked: string[] = [];
let authorization: Server;
let http: HttpServer;

beforeAll(async () => {
  authorization = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += String(chunk);
    });
    request.on("end", () => {
      const token = new URLSearchParams(body).get("token") ?? "";
      asked.push(token);
      const isUs =
        request.headers.authorization === `Basic ${Buffer.from("mcpfs:s%3Acret").toString("base64")}`;
      response.writeHead(isUs ? 200 : 401, { "content-type": "application/json" });
      response.end(JSON.stringify(TOKENS[token] ?? { active: false }));
    });
  });
  await new Promise<void>((resolve) => authorization.listen(0, "127.0.0.1", resolve));
  const { port } = authorization.address() as AddressInfo;
  const oauth = {
    issuer: "https://auth.example",
    introspection: `http://127.0.0.1:${port}/introspect`,
    clientId: "mcpfs",
    clientSecret: "${OAUTH_SECRET}",
    resource: RESOURCE,
    scopes: ["tools"],
  };
  await makeServed(folder.path, {}, { mode: "code", oauth });
  http = await httpServer(folder.path, { env: { OAUTH_SECRET: "s:cret" } });
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  authorization.close();
  folder[Symbol.dispose]();
});

const METADATA = "https://workspace.example/.well-known/oauth-protected-resource/mcp";

async function ask(token: string): Promise<Response> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "0" },
  };
  return await fetch(http.url, {
    method: "POST",
    headers: token === "" ? headers : { ...headers, authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
}

test.each([
  ["no token", "", 401, `Bearer realm="mcpfs", resource_metadata="${METADATA}"`],
  [
    "one that nobody knows",
    "unknown",
    401,
    `Bearer realm="mcpfs", error="invalid_token", resource_metadata="${METADATA}"`,
  ],
  ["one that was withdrawn", "withdrawn", 401, undefined],
  ["one that is too old", "of-yesterday", 401, undefined],
  ["one for another server", "for-another", 401, undefined],
  ["one that says not for whom", "for-nobody", 401, undefined],
  [
    "one without the scope",
    "without-scope",
    403,
    `Bearer realm="mcpfs", error="insufficient_scope", scope="tools", resource_metadata="${METADATA}"`,
  ],
])("%s is refused, and the answer says where to get one", async (_what, token, status, challenge) => {
  const response = await ask(token);
  expect(response.status).toBe(status);
  expect(response.headers.get("www-authenticate")).toContain(`resource_metadata="${METADATA}"`);
  if (challenge !== undefined) expect(response.headers.get("www-authenticate")).toBe(challenge);
});

test("a good token is accepted, and its server is not asked about it in every request", async () => {
  expect((await ask("good")).status).toBe(200);
  expect((await ask("good")).status).toBe(200);
  expect((await ask("good-in-a-list")).status).toBe(200);
  await using session = await overHttp(http.url, "modern", { token: "good" });
  expect((await session.client.listTools()).tools.length).toBeGreaterThan(0);
  expect(asked.filter((token) => token === "good")).toHaveLength(1);
});

test("the metadata of RFC 9728 needs no token", async () => {
  const origin = new URL(http.url).origin;
  for (const path of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"])
    expect(await (await fetch(origin + path)).json()).toEqual({
      resource: RESOURCE,
      authorization_servers: ["https://auth.example"],
      bearer_methods_supported: ["header"],
      scopes_supported: ["tools"],
      resource_name: "mcpfs",
    });
});
