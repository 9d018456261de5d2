import { once } from "node:events";
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { stringifyJson } from "../kernel/json.ts";
import type { DemoTool, Reply } from "./demo-tool.ts";

/** A demo server: what it says of itself, and its tools in the order in which it lists them. */
export interface DemoServer {
  readonly name: string;
  readonly instructions: string;
  readonly tools: readonly DemoTool[];
}

/** The tools never change while the server runs, so a client may keep the list for an hour. */
const LIST_TTL_MS = 3_600_000;

/**
 * Serves `demo` on stdin and stdout in both generations of the protocol, until the client goes away. Calls that
 * are open then are aborted. stdout carries the protocol and nothing else.
 */
export async function serveTools(demo: DemoServer): Promise<void> {
  const tools = new Map(demo.tools.map((tool) => [tool.definition.name, tool]));
  const gone = clientIsGone();
  const connection = serveStdio(() => createServer(demo, tools));
  await gone;
  await connection.close();
}

/** The SDK asks for a server more than once while it finds out the generation; what tools remember lies outside. */
function createServer(demo: DemoServer, tools: ReadonlyMap<string, DemoTool>): Server {
  const server = new Server(
    { name: demo.name, version: "1.0.0" },
    {
      capabilities: { tools: {} },
      instructions: demo.instructions,
      cacheHints: { "tools/list": { ttlMs: LIST_TTL_MS, cacheScope: "public" } },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: demo.tools.map((tool) => tool.definition) }));
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name, arguments: args = {} } = request.params;
    const tool = tools.get(name);
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
    const { signal, notify, _meta } = context.mcpReq;
    const progressToken = _meta?.progressToken;
    const reportProgress = async (progress: number, total: number, message: string): Promise<void> => {
      if (progressToken === undefined || signal.aborted) return;
      const params = { progressToken, progress, total, message };
      await notify({ method: "notifications/progress", params });
    };
    return resultOf(await tool.call(args, { signal, reportProgress }));
  });
  return server;
}

function resultOf(reply: Reply): CallToolResult {
  switch (reply.kind) {
    case "value":
      return {
        content: [{ type: "text", text: reply.text ?? stringifyJson(reply.value) }],
        structuredContent: reply.value,
      };
    case "text":
      return { content: [{ type: "text", text: reply.text }] };
    case "failure":
      return { content: [{ type: "text", text: reply.text }], isError: true };
  }
}

/** stdin ends when a client closes; stdout breaks when it died. */
async function clientIsGone(): Promise<void> {
  await Promise.race([
    once(process.stdin, "end"),
    once(process.stdin, "close"),
    once(process.stdout, "error"),
    once(process.stdout, "close"),
  ]).catch(() => {});
}
