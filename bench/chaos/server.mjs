// One server of the chaos run: node server.mjs <name> <kind> <list file> <log file> [port]. Kinds: stdio and http of the earlier
// revisions, written by hand so that they can misbehave; stdio-modern and http-modern of the SDK, revision 2026-07-28 only.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { createTools, DO, plainAnswer } from "./tools.mjs";

const [server = "", kind = "", listFile = "", logFile = "", port = "0"] = process.argv.slice(2);
const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
let tell = () => {};
const tools = createTools({ server, listFile, logFile, tell: () => tell() });
const kinds = {
  stdio: serveOldStdio,
  "stdio-modern": serveModernStdio,
  http: serveOldHttp,
  "http-modern": serveModernHttp,
};
kinds[kind]();

/** Answers what the earlier revisions ask, except calls. @returns the result, or undefined where there is no such method */
function answerOf(method, params) {
  if (method === "initialize")
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: server, version: "1" },
    };
  if (method === "ping") return {};
  if (method === "tools/list") return { tools: tools.listed() };
  return undefined;
}

function serveOldStdio() {
  // A process of its own below it, as a browser would be: it ignores SIGTERM and has to be found.
  if (server.endsWith("0"))
    spawn("/bin/sh", ["-c", `trap '' TERM; while :; do sleep 0.2; done # ${listFile}`], { stdio: "ignore" });
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  tell = () => send(CHANGED);
  const receive = async ({ id, method, params }) => {
    if (id === undefined) return;
    const result =
      method === "tools/call" ? await tools.call(params.name, params.arguments) : answerOf(method, params);
    if (result === undefined) return send({ id, error: { code: -32601, message: "Method not found" } });
    if (result === "unknown") return send({ id, error: { code: -32602, message: "Unknown tool" } });
    if (result === "refuse") return send({ id, error: { code: -32000, message: "Not today" } });
    if (result === "never") return;
    if (result === "half")
      return process.stdout.write(`{"jsonrpc":"2.0","id":${id},"res`, () => process.exit(1));
    if (result === "noise") process.stdout.write("a line that is no message\n");
    send({ id, result: typeof result === "string" ? plainAnswer(params.arguments.id) : result });
  };
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) void receive(JSON.parse(line));
  });
  process.stdin.on("end", () => process.exit(0));
}

/** A server of the SDK with the tools of this moment. */
function modernServer() {
  const made = new McpServer(
    { name: server, version: "1" },
    { capabilities: { tools: { listChanged: true } } },
  );
  const listed = new Map();
  const update = () => {
    const wanted = new Map(tools.listed().map((tool) => [tool.description + tool.name, tool]));
    for (const [key, registered] of listed)
      if (!wanted.has(key)) {
        registered.remove();
        listed.delete(key);
      }
    for (const [key, { name, description, inputSchema }] of wanted) {
      if (listed.has(key)) continue;
      const shape = Object.fromEntries(
        Object.keys(inputSchema.properties).map((field) => [
          field,
          inputSchema.required.includes(field) ? z.string() : z.string().optional(),
        ]),
      );
      listed.set(
        key,
        made.registerTool(name, { description, inputSchema: z.object(shape) }, async (given, context) => {
          const result = await tools.call(name, given);
          if (result === "refuse" || result === "unknown") throw new Error("Not today");
          if (result === "never")
            await new Promise((resolve) => context.mcpReq.signal.addEventListener("abort", resolve));
          if (result === "half") process.exit(1);
          return typeof result === "string" ? plainAnswer(given.id) : result;
        }),
      );
    }
  };
  update();
  return { made, update };
}

function serveModernStdio() {
  serveStdio(
    () => {
      const { made, update } = modernServer();
      tell = () => {
        update();
        made.sendToolListChanged();
      };
      return made;
    },
    { legacy: "reject" },
  );
}

function listen(handle) {
  const web = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const message = body === "" ? undefined : JSON.parse(body);
      Promise.resolve(handle({ request, response, body, message })).catch(() => response.destroy());
    });
  });
  web.listen(Number(port), "127.0.0.1", () => process.send?.("ready"));
  process.on("disconnect", () => process.exit(0));
}

/** Begins an answer and cuts the connection. */
function cut(response, id) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`data: {"jsonrpc":"2.0","id":${id},"res`);
  setTimeout(() => response.destroy(), 20);
}

function serveOldHttp() {
  const sessions = new Set();
  const streams = new Set();
  tell = () => {
    for (const stream of streams) stream.write(`data: ${JSON.stringify(CHANGED)}\n\n`);
  };
  listen(async ({ request, response, message }) => {
    const session = request.headers["mcp-session-id"];
    if (message?.method !== "initialize" && !sessions.has(session)) return response.writeHead(404).end();
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n");
      streams.add(response);
      return response.on("close", () => streams.delete(response));
    }
    if (request.method === "DELETE") {
      sessions.delete(session);
      return response.writeHead(200).end();
    }
    const { id, method, params } = message;
    if (id === undefined) return response.writeHead(202).end();
    const isNew = method === "initialize" ? randomUUID() : undefined;
    if (isNew !== undefined) sessions.add(isNew);
    const result =
      method === "tools/call" ? await tools.call(params.name, params.arguments) : answerOf(method, params);
    if (result === "never") return;
    if (result === "half") return cut(response, id);
    const refusals = {
      unknown: { code: -32602, message: "Unknown tool" },
      refuse: { code: -32000, message: "Not today" },
    };
    const error = result === undefined ? { code: -32601, message: "Method not found" } : refusals[result];
    const answered = typeof result === "string" ? plainAnswer(params.arguments.id) : result;
    const answer = JSON.stringify({ jsonrpc: "2.0", id, ...(error ? { error } : { result: answered }) });
    const head = isNew === undefined ? {} : { "mcp-session-id": isNew };
    // Servers answer in either form.
    if (id % 2 === 0) response.writeHead(200, { ...head, "content-type": "application/json" }).end(answer);
    else response.writeHead(200, { ...head, "content-type": "text/event-stream" }).end(`data: ${answer}\n\n`);
    if (result === "forget") sessions.clear();
  });
}

function serveModernHttp() {
  const handler = createMcpHandler(() => modernServer().made, { legacy: "reject" });
  tell = () => handler.notify.toolsChanged();
  listen(async ({ request, response, body, message }) => {
    const asked = message?.method === "tools/call" ? message.params : undefined;
    if (asked?.name === DO.name && asked.arguments.act === "half") {
      await tools.call(DO.name, asked.arguments);
      return cut(response, message.id);
    }
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method,
        headers: request.headers,
        signal: gone.signal,
        ...(body && { body }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.on("close", () => void answer.body?.cancel().catch(() => {}));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
}
