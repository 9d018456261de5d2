/*
 * A server of the SDK's current line over stdio: `node modern.mjs [legacy=serve|reject]`. With `reject` it speaks revision
 * 2026-07-28 only and answers `initialize` with -32022. Tools: `list_numbers` (structured array), `add_tool` (adds
 * `added_<n>`, which the SDK announces), `echo`.
 */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

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
