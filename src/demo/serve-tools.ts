import { McpfsError } from "../kernel/errors.ts";
import { stringifyJson } from "../kernel/json.ts";
import { serveOnStdio } from "../protocol/serve-stdio.ts";
import type { CallReply, Served, ToolResult } from "../protocol/served.ts";
import type { DemoTool, Reply } from "./demo-tool.ts";

/** A demo server: what it says of itself, and its tools in the order in which it lists them. */
export interface DemoServer {
  readonly name: string;
  readonly instructions: string;
  readonly tools: readonly DemoTool[];
}

/** The tools never change while the server runs, so a client may keep the list for an hour. */
const LIST_TTL_MS = 3_600_000;

/** Serves `demo` on stdin and stdout in both generations of the protocol, until the client goes away. */
export async function serveTools(demo: DemoServer): Promise<void> {
  const { stdin, stdout } = process;
  await serveOnStdio(servedDemo(demo), { stdin, stdout });
}

function servedDemo(demo: DemoServer): Served {
  const tools = new Map(demo.tools.map((tool) => [tool.definition.name, tool]));
  return {
    identity: { name: demo.name, version: "1.0.0" },
    listTtlMs: LIST_TTL_MS,
    open: () => ({
      instructions: demo.instructions,
      tools: async () => demo.tools.map((tool) => tool.definition),
      call: async (name, args, { signal, reportProgress }): Promise<CallReply> => {
        const tool = tools.get(name);
        if (tool === undefined) throw new McpfsError("TOOL_UNKNOWN", `Unknown tool: ${name}`);
        const report = async (done: number, total: number, message: string): Promise<void> =>
          await reportProgress?.({ done, total, message });
        return {
          kind: "result",
          result: resultOf(await tool.call(args, { signal, reportProgress: report })),
        };
      },
    }),
  };
}

function resultOf(reply: Reply): ToolResult {
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
