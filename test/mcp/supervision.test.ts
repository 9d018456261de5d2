import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { McpfsError } from "../../src/kernel/errors.ts";
import { createExpiry } from "../../src/mcp/changes.ts";
import { createEraVerdicts } from "../../src/mcp/era-verdicts.ts";
import type { ServerEntry } from "../../src/model/server-entry.ts";
import { answerLegacy, type HttpExchange, httpServer } from "../servers/http-server.ts";
import { answerModern } from "../servers/modern-http.ts";
import { modern, received, scripted, serverEntry, temporaryFolder, until } from "../servers/servers.ts";
import { namesOf, rawName, rejection, serverName, type TestHub, testHub, testHubWith } from "./fixtures.ts";

const odd = serverName("odd");
const web = serverName("web");
const tools = [{ name: "a" }];

/** A hub that notes the servers that were lost, with the reason. */
function supervised(...entries: readonly ServerEntry[]): TestHub & { lost: McpfsError[] } {
  const lost: McpfsError[] = [];
  const hub = testHubWith({ onLost: (_server, reason) => void lost.push(reason) }, ...entries);
  return { ...hub, lost };
}

describe("a server that is gone", () => {
  test("is told of, with its exit code and last words; one that is closed by us is not", async () => {
    const spec = { tools, stderr: "disk full\n", answers: { a: { exit: 7 } } };
    await using hub = supervised(
      serverEntry("odd", scripted(spec)),
      serverEntry("calm", scripted({ tools })),
    );
    await rejection((await hub.link(odd)).callTool(rawName("a"), {}));
    await until("the loss is told", () => hub.lost.length === 1);
    expect(hub.lost[0]).toMatchObject({ code: "SERVER_FAILED", data: { server: "odd", exitCode: 7 } });
    expect(hub.lost[0]?.message).toContain("disk full");
    await (await hub.link(serverName("calm"))).close();
    await hub.close();
    expect(hub.lost).toHaveLength(1);
  });

  test("over HTTP with 2026-07-28, when the subscription breaks and cannot be opened again", async () => {
    const handler = modernWeb();
    let isGone = false;
    const subscriptions: HttpExchange[] = [];
    await using server = await httpServer((exchange) => {
      if (isGone) return void exchange.response.destroy();
      if (exchange.message?.method === "subscriptions/listen") subscriptions.push(exchange);
      return answerModern(handler, exchange).catch(() => {});
    });
    await using hub = supervised(serverEntry("web", { kind: "http", url: server.url, headers: {} }));
    await hub.link(web);
    isGone = true;
    subscriptions[0]?.response.destroy();
    await until("the loss is told", () => hub.lost.length === 1);
    expect(hub.isConnected(web)).toBe(false);
    isGone = false;
    expect(namesOf(await hub.use(web, (link) => link.listTools()))).toEqual(["a"]);
    await until("the reconnect counts as a change", () => hub.changed.length > 0);
  });

  test("over HTTP before that, when the stream of changes does not come back; one that comes back counts as a change", async () => {
    let isGone = false;
    const streams: HttpExchange[] = [];
    await using server = await httpServer((exchange) => {
      if (exchange.request.method !== "GET") return answerLegacy(exchange, { session: "s" });
      if (isGone) return void exchange.response.writeHead(404).end();
      streams.push(exchange);
      exchange.response.writeHead(200, { "content-type": "text/event-stream" });
      exchange.response.write(": open\n\n");
    });
    await using hub = supervised(serverEntry("web", { kind: "http", url: server.url, headers: {} }));
    await hub.link(web);
    await until("the stream", () => streams.length === 1);
    streams[0]?.response.end();
    await until("the second stream", () => streams.length === 2);
    await until("the gap counts as a change", () => hub.changed.length === 1);
    expect(hub.lost).toEqual([]);
    isGone = true;
    streams[1]?.response.destroy();
    await until("the loss is told", () => hub.lost.length === 1);
    expect(hub.isConnected(web)).toBe(false);
  });

  test("that fails five times in a row is down: callers are told the reason at once, and it is tried again later", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    await using hub = testHub(serverEntry("odd", scripted({ exitAtOnce: 3 }, log)));
    for (let attempt = 1; attempt <= 5; attempt += 1) await rejection(hub.link(odd));
    const startedAtMs = Date.now();
    const error = await rejection(hub.link(odd));
    expect(Date.now() - startedAtMs).toBeLessThan(100);
    expect(error).toMatchObject({ code: "SERVER_FAILED", data: { isDown: true, exitCode: 3 } });
    expect(error.message).toMatch(/is down: it failed 5 times in a row\. .*exit code 3/);
    expect(readFileSync(log, "utf8").split('"start"')).toHaveLength(6);
  }, 20_000);

  test("that wants credentials is AUTH_REQUIRED, however often it was tried: a person has to act", async () => {
    await using server = await httpServer(({ response }) => void response.writeHead(401).end("no entry"));
    await using hub = testHub(serverEntry("web", { kind: "http", url: server.url, headers: {} }));
    const errors: McpfsError[] = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) errors.push(await rejection(hub.link(web)));
    expect(errors.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => "AUTH_REQUIRED"));
    expect(errors[5]).toMatchObject({
      data: { isDown: true, status: 401 },
      hint: expect.stringMatching(/^It is tried again .* Set "headers" of web/),
    });
  }, 20_000);
});

describe("a session that the server forgot", () => {
  const forgetful = async (forgetsAlways: boolean) => {
    let session = 1;
    let calls = 0;
    const server = await httpServer((exchange) => {
      const { request, response, message } = exchange;
      if (message?.method === "initialize") return answerLegacy(exchange, { session: `s${session}` });
      if (request.method === "POST" && request.headers["mcp-session-id"] !== `s${session}`)
        return void response.writeHead(404).end();
      if (message?.method === "tools/call") calls += 1;
      answerLegacy(exchange);
      if (forgetsAlways && message?.method === "notifications/initialized") session += 1;
    });
    return { server, forget: () => (session += 1), calls: () => calls };
  };

  test("is made anew, and the call that met it is made once", async () => {
    const { server: made, forget, calls } = await forgetful(false);
    await using server = made;
    await using hub = testHub(serverEntry("web", { kind: "http", url: server.url, headers: {} }));
    await hub.link(web);
    forget();
    await hub.use(web, (link) => link.callTool(rawName("a"), {}));
    expect(calls()).toBe(1);
    expect(server.received("tools/call")).toHaveLength(2);
    expect(server.received("initialize")).toHaveLength(2);
  });

  test("twice in a row is an error, and nothing goes on for ever", async () => {
    const { server: made } = await forgetful(true);
    await using server = made;
    await using hub = testHub(serverEntry("web", { kind: "http", url: server.url, headers: {} }));
    const error = await rejection(hub.use(web, (link) => link.callTool(rawName("a"), {})));
    expect(error).toMatchObject({ code: "SERVER_FAILED", data: { isSessionGone: true } });
    expect(server.received("tools/call")).toHaveLength(2);
  });
});

describe("the generation of a server", () => {
  test("is remembered on the disk, tried first, and corrected when the server turns to the other one", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "eras.json");
    const log = join(folder.path, "log");
    const protocolOf = async (entry: ReturnType<typeof serverEntry>): Promise<string> => {
      await using hub = testHubWith({ eras: createEraVerdicts(path) }, entry);
      return (await hub.link(odd)).protocol;
    };
    const legacyOnly = serverEntry("odd", scripted({ tools }, log));
    const modernOnly = serverEntry("odd", modern(true));
    expect(await protocolOf(modernOnly)).toBe("2026-07-28");
    await until("the verdict", () => existsSync(path) && readFileSync(path, "utf8").includes("modern"));
    // The same command answers otherwise now: as if the program had been exchanged.
    const [key] = Object.keys(JSON.parse(readFileSync(path, "utf8")));
    expect(await createEraVerdicts(path).get(modernOnly)).toBe("modern");
    expect(await createEraVerdicts(path).get(legacyOnly)).toBeUndefined();
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    await createEraVerdicts(path).learn(legacyOnly, "modern");
    expect(await protocolOf(legacyOnly)).toBe("2025-11-25");
    expect(received(log, "server/discover")).toHaveLength(1);
    await until("the new verdict", () =>
      JSON.stringify(JSON.parse(readFileSync(path, "utf8"))).includes("legacy"),
    );
    expect(await protocolOf(legacyOnly)).toBe("2025-11-25");
    expect(received(log, "server/discover")).toHaveLength(1);
  });

  test("is forgotten after a week, and a damaged file is none", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "eras.json");
    const entry = serverEntry("odd", modern(true));
    await createEraVerdicts(path, () => 0).learn(entry, "modern");
    expect(await createEraVerdicts(path, () => 6 * 86_400_000).get(entry)).toBe("modern");
    expect(await createEraVerdicts(path, () => 8 * 86_400_000).get(entry)).toBeUndefined();
    expect(await createEraVerdicts(join(folder.path, "none.json")).get(entry)).toBeUndefined();
  });
});

describe("the age of a list", () => {
  test("a list past its time to live counts as changed, later each time that it is still the same", async () => {
    const told: number[] = [];
    const sleeps: number[] = [];
    const real = globalThis.setTimeout;
    // Only the clock is replaced: the waits are what is judged.
    globalThis.setTimeout = ((work: () => void, ms: number) => {
      sleeps.push(ms);
      return real(work, 0);
    }) as typeof setTimeout;
    try {
      const expiry = createExpiry(
        () => void told.push(1),
        () => 0.5,
      );
      const list = { tools, warnings: [] };
      for (const ttlMs of [10_000, 10_000, 10_000, 1, undefined, 0, -5]) expiry.listed({ ...list, ttlMs });
      expiry.listed({ tools: [{ name: "b" }], warnings: [], ttlMs: 10_000 });
      expect(sleeps).toEqual([11_000, 22_000, 44_000, 44_000, 11_000]);
      expiry.cancel();
    } finally {
      globalThis.setTimeout = real;
    }
  });
});

function modernWeb(): ReturnType<typeof createMcpHandler> {
  return createMcpHandler(
    () => {
      const server = new McpServer(
        { name: "web", version: "1" },
        { capabilities: { tools: { listChanged: true } } },
      );
      server.registerTool("a", { inputSchema: z.object({}) }, () => ({ content: [] }));
      return server;
    },
    { legacy: "reject" },
  );
}
