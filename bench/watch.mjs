/*
 * How long a change at a server takes until it is in the tree, in the search and in what `show` shows: `npm run bench:watch`.
 * Both generations over stdio and HTTP, beside quiet servers with 400 tools, none of whose files may get another modification
 * time. Ends with exit code 1 when the slowest change takes more than 300 ms.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { openHost } from "../dist/engine/open-host.js";
import { createChangeFeed, watchWorkspace } from "../dist/engine/watch/watch.js";
import { createRedactor, silentLog } from "../dist/kernel/log.js";

const LIMIT_MS = 300;
const ROUNDS = 12;
const QUIET_SERVERS = 10;
const TOOLS_EACH = 40;

const file = (path) => fileURLToPath(new URL(`../test/servers/${path}`, import.meta.url));
const tool = (name) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { a: { type: "string" } } },
});
const tools = (count) => Array.from({ length: count }, (_, index) => tool(`tool_${index}`));

async function listen(handle) {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on(
      "end",
      () => void handle({ request, response, body, message: body === "" ? undefined : JSON.parse(body) }),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A server before 2026-07-28: tells of changes on the stream that the client opened with GET. */
async function legacyHttp(listed, tellsChanges) {
  let stream;
  const server = await listen(({ request, response, message }) => {
    if (request.method === "GET") {
      if (!tellsChanges) return response.writeHead(405).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": open\n\n");
      stream = response;
      return;
    }
    if (message?.id === undefined) return response.writeHead(202).end();
    const results = {
      initialize: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: tellsChanges } },
        serverInfo: { name: "http", version: "1" },
      },
      "tools/list": { tools: listed },
    };
    const result = results[message.method];
    const answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer }));
  });
  const notify = () =>
    stream?.write(
      `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })}\n\n`,
    );
  const add = (name) => {
    listed.push(tool(name));
    notify();
  };
  return { ...server, notify, add };
}

async function modernHttp(names) {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(
        { name: "web", version: "1" },
        { capabilities: { tools: { listChanged: true } } },
      );
      for (const name of names)
        server.registerTool(name, { description: `Does ${name}.`, inputSchema: z.object({}) }, () => ({
          content: [],
        }));
      return server;
    },
    { legacy: "reject" },
  );
  const server = await listen(async ({ request, response, body }) => {
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method,
        headers: request.headers,
        ...(body && { body }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  const add = (name) => {
    names.push(name);
    handler.notify.toolsChanged();
  };
  return { ...server, add };
}

function modificationTimes(root) {
  const names = readdirSync(root, { recursive: true });
  const files = names.filter((name) => !name.startsWith(".mcpfs") && statSync(join(root, name)).isFile());
  return new Map(files.map((name) => [name, statSync(join(root, name)).mtimeMs]));
}

const root = mkdtempSync(join(tmpdir(), "mcpfs-bench-"));
const stop = new AbortController();
const closers = [() => rmSync(root, { recursive: true, force: true })];
try {
  const grown = Array.from({ length: ROUNDS }, (_, index) => ({ addTool: tool(`grown_${index + 1}`) }));
  const spec = { tools: [...tools(5), tool("grow")], answers: { grow: grown } };
  const [legacyWeb, modernWeb] = [await legacyHttp(tools(5), true), await modernHttp(["tool_0", "tool_1"])];
  const quiet = await Promise.all(
    Array.from({ length: QUIET_SERVERS }, () => legacyHttp(tools(TOOLS_EACH), false)),
  );
  closers.push(...[legacyWeb, modernWeb, ...quiet].map(({ close }) => close));
  const mcpServers = {
    stdioLegacy: {
      command: process.execPath,
      args: [file("scripted.mjs"), JSON.stringify(spec)],
      learn: false,
    },
    stdioModern: { command: process.execPath, args: [file("modern.mjs"), "reject"], learn: false },
    httpLegacy: { url: legacyWeb.url },
    httpModern: { url: modernWeb.url },
    ...Object.fromEntries(quiet.map(({ url }, index) => [`quiet${index}`, { url }])),
  };
  writeFileSync(join(root, "mcpfs.json"), JSON.stringify({ policy: "open", mcpServers }));

  const feed = createChangeFeed();
  const host = await openHost({
    root,
    env: process.env,
    platform: process.platform,
    homeDir: root,
    version: "bench",
    log: silentLog,
    redactor: createRedactor(),
    askTrust: async () => true,
    onToolsChanged: feed.push,
    onServerLost: feed.lost,
  });
  closers.unshift(() => host.close());
  let isReady = false;
  let syncs = 0;
  const watching = watchWorkspace(host, feed, {
    signal: stop.signal,
    onEvent: (event) => {
      if (event.kind === "failed" || event.kind === "lost") throw event.error;
      isReady = true;
      syncs += 1;
    },
  });
  closers.unshift(() => watching);
  while (!isReady) await pause(20);
  await pause(1_000);

  /** Where a tool is added, by what, and how the n-th is called. */
  const kinds = [
    ["stdio, earlier revisions", "stdioLegacy", (_name) => void host.call("stdioLegacy/grow", {}), "grown"],
    ["stdio, 2026-07-28", "stdioModern", (_name) => void host.call("stdioModern/add_tool", {}), "added"],
    ["HTTP, earlier revisions", "httpLegacy", legacyWeb.add, "grown"],
    ["HTTP, 2026-07-28", "httpModern", modernWeb.add, "grown"],
  ];
  const median = (values) => Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]);
  let slowest = 0;
  let touched = 0;
  for (const [kind, server, change, stem] of kinds) {
    const [inTree, everywhere] = [[], []];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const before = modificationTimes(root);
      const name = `${stem}_${round}`;
      const startMs = performance.now();
      change(name);
      const wrapper = join(
        root,
        "servers",
        server,
        `${name.replace(/_(\w)/, (_, letter) => letter.toUpperCase())}.ts`,
      );
      // Without the suggestions that a name costs which is not there yet: looking is not to slow down what is looked at.
      const shows = async () => {
        if ((await host.lookup()).byWire(`${server}__${name}`) === undefined) return false;
        const { hits } = await host.searchTools({ query: name.replace("_", " "), limit: 20 });
        return hits.some((hit) => hit.tool.raw === name);
      };
      while (!existsSync(wrapper)) await pause(1);
      inTree.push(performance.now() - startMs);
      while (!(await shows())) await pause(1);
      everywhere.push(performance.now() - startMs);
      await pause(1_700);
      for (const [path, mtimeMs] of modificationTimes(root))
        if (
          before.get(path) !== mtimeMs &&
          !path.startsWith(`servers/${server}/`) &&
          path !== "mcpfs.lock.json" &&
          path !== "servers/README.md"
        ) {
          touched += 1;
          console.log(`touched without need: ${path}`);
        }
    }
    slowest = Math.max(slowest, ...everywhere);
    const line = (values) => `median ${median(values)} ms, slowest ${Math.round(Math.max(...values))} ms`;
    console.log(`${kind.padEnd(26)} tree ${line(inTree)} · with search and show ${line(everywhere)}`);
  }
  const before = syncs;
  for (let count = 0; count < 10_000; count += 1) legacyWeb.notify();
  legacyWeb.add("after_the_storm");
  while (!existsSync(join(root, "servers/httpLegacy/afterTheStorm.ts"))) await pause(20);
  await pause(3_000);
  console.log(`10,000 notifications in a row: ${syncs - before} syncs, the last change is in the tree`);
  const load = (loadavg()[0] / availableParallelism()).toFixed(1);
  console.log(`load of the machine: ${load} processes that want to run for each core`);
  if (slowest > LIMIT_MS || touched > 0) process.exitCode = 1;
} finally {
  stop.abort();
  for (const close of closers) await close();
}
process.exit();
