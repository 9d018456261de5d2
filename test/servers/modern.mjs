/*
 * A server of the SDK's current line over stdio: `node modern.mjs [legacy=serve|reject]`. With `reject` it speaks revision
 * 2026-07-28 only and answers `initialize` with -32022. Tools: `list_numbers` (structured array), `add_tool` (adds
 * `added_<n>`, which the SDK announces), `echo`, `wait` (until it is cancelled), `stopped_waits` (how many were).
 */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

let stoppedWaits = 0;
const isModernOnly = process.argv[2] === "reject";

serveStdio(
  () => {
    const server = new McpServer(
      { name: "modern", version: "1.0.0" },
      { capabilities: { tools: { listChanged: true } }, instructions: "Numbers only." },
    );
    let added = 0;
    server.registerTool(
      "list_numbers",
      {
        description: "Numbers up to a count.",
        inputSchema: z.object({ count: z.number() }),
        outputSchema: z.array(z.number()),
      },
      ({ count }) => {
        const numbers = Array.from({ length: count }, (_, index) => index + 1);
        return { content: [{ type: "text", text: JSON.stringify(numbers) }], structuredContent: numbers };
      },
    );
    server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
      content: [{ type: "text", text }],
    }));
    server.registerTool("wait", { inputSchema: z.object({}) }, async (_args, ctx) => {
      await new Promise((resolve) => ctx.mcpReq.signal.addEventListener("abort", resolve));
      stoppedWaits += 1;
      return { content: [] };
    });
    server.registerTool("stopped_waits", { inputSchema: z.object({}) }, () => ({
      content: [{ type: "text", text: String(stoppedWaits) }],
    }));
    server.registerTool("add_tool", { inputSchema: z.object({}) }, () => {
      added += 1;
      server.registerTool(`added_${added}`, { inputSchema: z.object({}) }, () => ({
        content: [{ type: "text", text: "added" }],
      }));
      return { content: [{ type: "text", text: `added_${added}` }] };
    });
    return server;
  },
  { legacy: isModernOnly ? "reject" : "serve" },
);
