import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runCli, writeFiles } from "../cli/run-cli.ts";
import { temporaryFolder } from "../servers/servers.ts";
import { type HttpServer, httpServer, makeServed, overHttp, overStdio, textOf } from "./served.ts";

const TOKENS = {
  alice: "alice-token-0123456789",
  bob: "bob-token-0123456789",
  carol: "carol-token-0123456789",
};
const folder = temporaryFolder();
let http: HttpServer;

beforeAll(async () => {
  await makeServed(
    folder.path,
    { docs: { builtin: "docs" } },
    {
      mode: "code",
      hosts: ["workspace.example"],
      origins: ["https://app.example"],
      clients: {
        alice: { token: "${ALICE_TOKEN}" },
        carol: { token: TOKENS.carol, limits: { timeout: "400ms" } },
        bob: {
          token: TOKENS.bob,
          mode: "direct",
          limits: { timeout: "300ms", maxOutput: "1kb" },
          runsAtOnce: 1,
        },
      },
    },
  );
  http = await httpServer(folder.path, { env: { ALICE_TOKEN: TOKENS.alice } });
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

interface Asked {
  /** Of another server than the one that most tests ask. */
  readonly port?: number;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

async function ask({
  port = http.port,
  method = "POST",
  path = "/mcp",
  headers = {},
  body = "",
}: Asked): Promise<{ status: number; headers: any; text: string }> {
  const sent = request({
    host: "127.0.0.1",
    port,
    method,
    path,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${TOKENS.alice}`,
      ...headers,
    },
  });
  sent.on("error", () => {});
  sent.end(body);
  const [response] = await once(sent, "response");
  let text = "";
  // An answer that comes before all was sent may be cut by the reset of the connection; its head has arrived.
  response.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  await once(response, "close");
  return { status: response.statusCode, headers: response.headers, text };
}

const initialize = (protocolVersion = "2025-11-25"): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "0" } },
  });

/** A request of revision 2026-07-28. */
const discover = (version = "2026-07-28"): Asked => ({
  headers: { "mcp-protocol-version": version, "mcp-method": "server/discover" },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "server/discover",
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
      },
    },
  }),
});

describe("is answered", () => {
  test.each<[string, number, Asked]>([
    ["a handshake", 200, { body: initialize() }],
    ["a handshake of 2024", 200, { body: initialize("2024-11-05") }],
    [
      "a handshake of a revision that nobody knows, with one that we know",
      200,
      { body: initialize("2031-01-01") },
    ],
    ["discovery", 200, discover()],
    ["a name of this machine", 200, { headers: { host: `localhost:${7}` }, body: initialize() }],
    ["a name of the config", 200, { headers: { host: "workspace.example" }, body: initialize() }],
    ["a page of this machine", 200, { headers: { origin: "http://localhost:6274" }, body: initialize() }],
    ["a page of the config", 200, { headers: { origin: "https://app.example" }, body: initialize() }],
    [
      "a browser that asks first",
      204,
      { method: "OPTIONS", headers: { origin: "https://app.example", authorization: "" } },
    ],
  ])("%s", async (_what, status, asked) => {
    const answer = await ask(asked);
    expect(answer.status, answer.text).toBe(status);
  });
});

describe("is refused with the right status, and the host goes on", () => {
  test.each<[string, number, Asked]>([
    ["no token", 401, { headers: { authorization: "" }, body: initialize() }],
    ["a wrong token", 401, { headers: { authorization: "Bearer wrong" }, body: initialize() }],
    ["another scheme", 401, { headers: { authorization: "Basic YWxpY2U6eA==" }, body: initialize() }],
    ["a rebound name (DNS)", 403, { headers: { host: "evil.example" }, body: initialize() }],
    ["a name that makes no sense", 403, { headers: { host: "127.0.0.1@evil.example" }, body: initialize() }],
    ["a page of another site", 403, { headers: { origin: "https://evil.example" }, body: initialize() }],
    ["a page without an origin", 403, { headers: { origin: "null" }, body: initialize() }],
    ["a path that is not there", 404, { path: "/admin", body: initialize() }],
    ["bad JSON", 400, { body: '{"jsonrpc":' }],
    ["a body that is no message", 400, { body: '{"hello":1}' }],
    ["bytes that are no text", 400, { body: Buffer.from([0xff, 0xfe, 0x7b]) }],
    ["nothing", 400, { body: "" }],
    ["a form", 415, { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=1" }],
    ["an answer that nobody can read", 406, { headers: { accept: "text/html" }, body: initialize() }],
    ["a revision that nobody knows", 400, discover("2031-01-01")],
    [
      "a header that contradicts the body",
      400,
      { ...discover(), headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" } },
    ],
    [
      "a session that is not there",
      404,
      { headers: { "mcp-session-id": "nobody" }, body: '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' },
    ],
    ["a request before the handshake", 400, { body: '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' }],
    ["a method that is none", 405, { method: "PUT", body: initialize() }],
    [
      "a body of 100 MB",
      413,
      { headers: { "content-length": String(100 * 1024 * 1024) }, body: Buffer.alloc(1024) },
    ],
    ["headers of 64 KB", 431, { headers: { "x-long": "a".repeat(64 * 1024) }, body: initialize() }],
  ])("%s", async (_what, status, asked) => {
    const answer = await ask(asked);
    expect(answer.status, answer.text).toBe(status);
    expect((await ask({ body: initialize() })).status).toBe(200);
  });

  test("100 MB that come in pieces are cut off at the limit", async () => {
    const sent = request({
      host: "127.0.0.1",
      port: http.port,
      method: "POST",
      path: "/mcp",
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKENS.alice}` },
    });
    sent.on("error", () => {});
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    const answered = once(sent, "response");
    for (let sentMb = 0; sentMb < 100 && !sent.destroyed; sentMb += 1)
      if (!sent.write(piece)) await Promise.race([setTimeout(20), answered]);
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    response.destroy();
  });

  test("a letter a second does not hold a connection (slow loris)", async () => {
    const socket = connect(http.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    const drip = setInterval(() => socket.write("X"), 500);
    socket.on("error", () => {});
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    await once(socket, "close");
    clearInterval(drip);
    expect(text).toContain("408");
  }, 30_000);

  test("the answer to a missing token says how one is shown, and nothing of the tokens", async () => {
    const { headers, text } = await ask({ headers: { authorization: "" }, body: initialize() });
    expect(headers["www-authenticate"]).toBe('Bearer realm="mcpfs"');
    expect(text + http.stderr()).not.toContain(TOKENS.alice);
  });
});

describe("clients are told apart", () => {
  test("each has its mode and its limits", async () => {
    await using alice = await overHttp(http.url, "modern", { token: TOKENS.alice });
    await using bob = await overHttp(http.url, "modern", { token: TOKENS.bob });
    expect((await alice.client.listTools()).tools.map(({ name }) => name)).toContain("run_script");
    expect((await bob.client.listTools()).tools.map(({ name }) => name)).toContain("docs__get_document");
    const long = await textOf(bob.client, "docs__get_document", { document_id: "call-2026-09-14" });
    expect(long).toMatch(/… cut here: the answer has [\d,]+ bytes; read_file \.mcpfs\/runs\/\d{8}-/);
    expect(long.length).toBeLessThan(2_000);
  });

  test("asking for more time than the config gives is in vain", async () => {
    await using carol = await overHttp(http.url, "modern", { token: TOKENS.carol });
    const code = "await new Promise((go) => setTimeout(go, 20_000))";
    const late = await textOf(carol.client, "run_script", { code, timeoutMs: 60_000 });
    expect(late).toContain("error LIMIT_WALL");
  });

  test("a session belongs to the one who began it", async () => {
    const first = await ask({ body: initialize() });
    const session = first.headers["mcp-session-id"];
    const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}';
    const stolen = await ask({
      headers: { authorization: `Bearer ${TOKENS.bob}`, "mcp-session-id": session },
      body: list,
    });
    expect(stolen.status).toBe(404);
    expect((await ask({ headers: { "mcp-session-id": session }, body: list })).status).toBe(200);
  });

  test("what a run kept is read by who ran it, and by nobody else", async () => {
    await using alice = await overHttp(http.url, "modern", { token: TOKENS.alice });
    await using bob = await overHttp(http.url, "modern", { token: TOKENS.bob });
    const code = "for (let line = 0; line < 9000; line++) console.log('line', line)";
    const text = await textOf(alice.client, "run_script", { code });
    const uri = /\[resource_link (\S+)\]/.exec(text)?.[1] ?? "";
    const { contents }: any = await alice.client.readResource({ uri });
    expect(contents[0].text).toContain("line 8999");
    await expect(bob.client.readResource({ uri })).rejects.toThrow();
  });
});

/** A call of revision 2026-07-28, its arguments as text: no client of today could print them. */
const call = (name: string, args: string, meta = "{}"): Asked => {
  const version = "2026-07-28";
  const own = JSON.stringify({
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
  });
  return {
    headers: { "mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": name },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args},"_meta":${own.slice(0, -1)},"more":${meta}}}}`,
  };
};

describe.each([1_100, 3_000, 5_000, 200_000])("arguments that nest %i levels deep", (levels) => {
  test.each([
    ["lists", "[".repeat(levels) + "]".repeat(levels)],
    ["objects", `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`],
  ])("are refused, as %s", async (_kind, deep) => {
    for (const [name, args, token] of [
      ["call_tool", `{"name":"docs__list_documents","args":{"a":${deep}}}`, TOKENS.alice],
      ["run_script", `{"code":"1","args":${deep}}`, TOKENS.alice],
      ["docs__list_documents", `{"a":${deep}}`, TOKENS.bob],
    ] as const) {
      const { headers = {}, ...asked } = call(name, args);
      const { status, text } = await ask({
        ...asked,
        headers: { ...headers, authorization: `Bearer ${token}` },
      });
      expect({ status, text: text.slice(0, 400) }).toMatchObject({
        status: 200,
        text: expect.stringMatching(/LIMIT_ARGUMENTS: The arguments nest deeper than 1000 levels/),
      });
    }
  });
});

test("an address that others can reach wants a token", async () => {
  using open = temporaryFolder();
  await makeServed(open.path, {});
  await expect(httpServer(open.path, { args: ["--host", "0.0.0.0"] })).rejects.toThrow(
    /USAGE.*no token is set/,
  );
  await using guarded = await httpServer(open.path, {
    args: ["--host", "0.0.0.0"],
    env: { MCPFS_SERVE_TOKEN: "a-token-of-the-environment" },
  });
  expect(guarded.url).toContain("http://0.0.0.0:");
});

test.each(["", " ", "x", "a".repeat(15), " ".repeat(16)])(
  "a token of the environment that can be guessed, or is empty, is none: %j",
  async (MCPFS_SERVE_TOKEN) => {
    using open = temporaryFolder();
    for (const args of [[], ["--host", "0.0.0.0"]]) {
      const serve = ["serve", "--http", "0", ...args];
      const { code, stderr } = await runCli(open.path, serve, { env: { MCPFS_SERVE_TOKEN } });
      expect(stderr).toMatch(/USAGE: MCPFS_SERVE_TOKEN .*at least 16 characters/);
      expect(stderr).toContain("openssl rand -hex 32");
      expect(code).toBe(2);
    }
  },
);

test("tokens that are taken out, or made too short, while it serves keep everybody out", async () => {
  using edited = temporaryFolder();
  const holder = { authorization: `Bearer ${TOKENS.alice}` };
  const short = { authorization: "Bearer abc" };
  const write = (clients: object): void =>
    writeFiles(edited.path, { "mcpfs.json": { mcpServers: {}, serve: { clients } } });
  write({ alice: { token: TOKENS.alice } });
  await using guarded = await httpServer(edited.path);
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await ask({ port: guarded.port, headers, body: initialize() })).status;
  const becomes = async (headers: Record<string, string>, wanted: number): Promise<void> =>
    await vi.waitFor(async () => expect(await status(headers)).toBe(wanted), { timeout: 15_000 });
  await becomes(holder, 200);
  write({ alice: { token: "abc" } });
  await becomes(short, 503);
  expect(await status(holder)).toBe(503);
  expect(guarded.stderr()).toContain("must have at least 16 characters");
  write({});
  await becomes(holder, 401);
  expect(await status({ authorization: "" })).toBe(401);
});

test("asking for more time than the workspace gives is in vain too", async () => {
  using short = temporaryFolder();
  writeFiles(short.path, {
    "mcpfs.json": { mcpServers: {}, limits: { timeout: "400ms" }, serve: { mode: "code" } },
  });
  await using session = await overStdio(short.path, "modern");
  const code = "await new Promise((go) => setTimeout(go, 20_000))";
  const late = await textOf(session.client, "run_script", { code, timeoutMs: 60_000 });
  expect(late).toContain("error LIMIT_WALL");
});

test("a token that names a missing variable keeps serve from starting, and no other command", async () => {
  using missing = temporaryFolder();
  await makeServed(missing.path, {}, { clients: { ann: { token: "${NOT_THERE_AT_ALL}" } } });
  await expect(httpServer(missing.path)).rejects.toThrow(/CONFIG_INVALID.*NOT_THERE_AT_ALL/);
});
