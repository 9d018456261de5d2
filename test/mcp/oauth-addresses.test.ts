import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/kernel/log.ts";
import { isSafeAddress } from "../../src/mcp/oauth-fetch.ts";
import { signIn } from "../../src/mcp/sign-in.ts";
import type { HttpTransport } from "../../src/model/server-entry.ts";
import { createCredentialStore } from "../../src/trust/credential-store.ts";
import { type HttpTestServer, httpServer } from "../servers/http-server.ts";
import { serverEntry, temporaryFolder } from "../servers/servers.ts";
import { rejection } from "./fixtures.ts";

test.each([
  ["https://mcp.example/mcp", "https://login.example/x", true],
  ["https://mcp.example/mcp", "http://login.example/x", false],
  ["https://mcp.example/mcp", "http://127.0.0.1:8080/x", false],
  ["https://mcp.example/mcp", "https://localhost/x", false],
  ["https://mcp.example/mcp", "http://a.localhost:1/x", false],
  ["https://mcp.example/mcp", "http://[::1]:1/x", false],
  ["http://mcp.example/mcp", "http://mcp.example/x", true],
  ["http://mcp.example/mcp", "http://mcp.example:81/x", false],
  ["http://127.0.0.1:3000/mcp", "http://localhost:4000/x", true],
  ["http://127.0.0.1:3000/mcp", "https://login.example/x", true],
  ["http://127.0.0.1:3000/mcp", "http://127.0.0.1.example/x", false],
  ["http://127.0.0.1:3000/mcp", "file:///x", false],
  ["https://mcp.example/mcp", "file:///x", false],
])("a server at %s may name %s for signing in: %s", (server, address, want) => {
  expect(isSafeAddress(new URL(address), new URL(server))).toBe(want);
});

/** A server that says of itself, and of the authorization server that it is too, what it likes. */
async function lyingServer(
  about: (url: string) => { readonly resource?: object; readonly server?: object },
): Promise<HttpTestServer> {
  const server = await httpServer(({ request, response, message }) => {
    const { url } = server;
    const json = (value: unknown): void => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    if (request.url === "/.well-known/oauth-protected-resource/mcp")
      json({ resource: `${url}/mcp`, authorization_servers: [url], ...about(url).resource });
    else if (request.url === "/.well-known/oauth-authorization-server")
      json({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        registration_endpoint: `${url}/register`,
        response_types_supported: ["code"],
        ...about(url).server,
      });
    else if (request.url === "/register")
      response
        .writeHead(201, { "content-type": "application/json" })
        .end(JSON.stringify({ ...message, client_id: "c" }));
    else response.writeHead(request.url === "/mcp" ? 401 : 404).end();
  });
  return server;
}

describe("a server cannot make mcpfs go where it should not", () => {
  test.each<[what: string, about: Parameters<typeof lyingServer>[0], words: string]>([
    [
      "an authorization server without https",
      () => ({ resource: { authorization_servers: ["http://login.example"] } }),
      "http://login.example",
    ],
    ["a page of another kind", () => ({ server: { authorization_endpoint: "file:///etc/passwd" } }), "file:"],
    [
      "a page without https",
      () => ({ server: { authorization_endpoint: "http://login.example/authorize" } }),
      "http:",
    ],
    [
      "another resource",
      () => ({ resource: { resource: "https://bank.example/mcp" } }),
      "https://bank.example/mcp",
    ],
    ["another issuer", () => ({ server: { issuer: "https://bank.example" } }), "https://bank.example"],
  ])("%s is refused, and no address is shown", async (_what, about, words) => {
    await using server = await lyingServer(about);
    using home = temporaryFolder();
    const transport: HttpTransport = { kind: "http", url: `${server.url}/mcp`, headers: {} };
    const shown: string[] = [];
    const error = await rejection(
      signIn({
        entry: { ...serverEntry("web", transport), transport },
        store: createCredentialStore({ MCPFS_HOME: home.path }, createRedactor()),
        signal: new AbortController().signal,
        onAddress: (address) => void shown.push(address),
      }),
    );
    expect(error).toMatchObject({ code: "SERVER_FAILED" });
    expect(error.message).toContain(words);
    expect(shown).toEqual([]);
  });

  test("the code goes to no address without https", async () => {
    await using server = await lyingServer(() => ({
      server: { token_endpoint: "http://login.example/token" },
    }));
    using home = temporaryFolder();
    const transport: HttpTransport = { kind: "http", url: `${server.url}/mcp`, headers: {} };
    const comeBack = async (address: string): Promise<void> => {
      const { searchParams } = new URL(address);
      const state = searchParams.get("state") ?? "";
      await fetch(`${searchParams.get("redirect_uri")}?${new URLSearchParams({ code: "the-code", state })}`);
    };
    const error = await rejection(
      signIn({
        entry: { ...serverEntry("web", transport), transport },
        store: createCredentialStore({ MCPFS_HOME: home.path }, createRedactor()),
        signal: new AbortController().signal,
        onAddress: (address) => void comeBack(address),
      }),
    );
    expect(error).toMatchObject({ code: "SERVER_FAILED" });
    expect(error.message).toContain("login.example");
    expect(error.message).not.toContain("the-code");
  });
});
