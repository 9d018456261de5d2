import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { type HttpExchange, httpServer } from "../servers/http-server.ts";
import { answerModern } from "../servers/modern-http.ts";
import { serverEntry, until } from "../servers/servers.ts";
import { serverName, testHubWith } from "./fixtures.ts";

/** A server of revision 2026-07-28 with the resources `test://a` to `test://d`, which may be kept for an hour. */
function resourceHandler() {
  return createMcpHandler(() => {
    const server = new McpServer(
      { name: "web", version: "1" },
      { capabilities: { resources: { subscribe: true } } },
    );
    const options = { cacheHint: { ttlMs: 3_600_000, cacheScope: "private" as const } };
    for (const name of ["a", "b", "c", "d"])
      server.registerResource(name, `test://${name}`, options, (uri) => ({
        contents: [{ uri: uri.href, text: name }],
      }));
    return server;
  });
}

test("resources are watched by one subscription, whose changes are told, in whatever order the server acknowledges", async () => {
  const handler = resourceHandler();
  const subscriptions: HttpExchange[] = [];
  await using server = await httpServer(async (exchange) => {
    if (exchange.message?.params?.notifications?.resourceSubscriptions !== undefined) {
      subscriptions.push(exchange);
      // The second is never acknowledged, however long its client waits.
      if (subscriptions.length === 2) return;
    }
    await answerModern(handler, exchange).catch(() => {});
  });
  const stale: (string | undefined)[] = [];
  await using hub = testHubWith(
    { onStale: (_server, uri) => void stale.push(uri) },
    serverEntry("web", { kind: "http", url: server.url, headers: {} }),
  );
  const link = await hub.link(serverName("web"));
  for (const [index, name] of ["a", "b", "c", "d"].entries()) {
    await link.readResource(`test://${name}`);
    await until(`subscription ${index + 1}`, () => subscriptions.length === index + 1);
    const older = subscriptions.slice(0, index);
    if (index >= 2) await until("the older ones end", () => older.every(({ response }) => response.closed));
  }
  expect(subscriptions[3]?.response.closed).toBe(false);
  for (const name of ["a", "d"]) handler.notify.resourceUpdated(`test://${name}`);
  await until("both changes are told", () => stale.includes("test://a") && stale.includes("test://d"));
  expect(stale).toHaveLength(2);
});
