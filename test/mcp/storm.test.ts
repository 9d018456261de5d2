import { expect, test } from "vitest";
import { answerLegacy, type HttpExchange, httpServer } from "../servers/http-server.ts";
import { scripted, serverEntry, until } from "../servers/servers.ts";
import { rawName, serverName, testHub } from "./fixtures.ts";

const CHANGED = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });

test("a storm of 10,000 notifications over HTTP is told a few times, and told to its end", async () => {
  let stream: HttpExchange["response"] | undefined;
  await using server = await httpServer((exchange) => {
    if (exchange.request.method !== "GET") return answerLegacy(exchange);
    stream = exchange.response;
    stream.writeHead(200, { "content-type": "text/event-stream" });
    stream.write(": open\n\n");
  });
  await using hub = testHub(serverEntry("web", { kind: "http", url: server.url, headers: {} }));
  await hub.link(serverName("web"));
  await until("the stream", () => stream !== undefined);
  for (let count = 0; count < 10_000; count += 1) stream?.write(`data: ${CHANGED}\n\n`);
  await until("the change", () => hub.changed.length > 0, 20_000);
  let seen = 0;
  await until(
    "the end of the storm",
    () => {
      const isQuiet = seen === hub.changed.length;
      seen = hub.changed.length;
      return isQuiet;
    },
    20_000,
  );
  expect(hub.changed.length).toBeLessThan(200);
});

test("a storm over stdio is told a few times", async () => {
  const spec = { tools: [{ name: "a" }], answers: { a: { notifyTimes: 10_000 } } };
  await using hub = testHub(serverEntry("odd", scripted(spec)));
  await (await hub.link(serverName("odd"))).callTool(rawName("a"), {});
  await until("the change", () => hub.changed.length > 0);
  expect(hub.changed.length).toBeLessThan(200);
});
