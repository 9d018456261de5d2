/*
 * Serves what a real server once answered: `node replay.mjs <file.json> [tools per page]`. The file holds
 * {serverInfo, capabilities, protocolVersion, instructions, tools}. `tools/call` answers with one text block that
 * holds the tool's name and its arguments as JSON. Written without the SDK, so that it starts in milliseconds.
 */
import { readFileSync } from "node:fs";

const [file = "", pageText] = process.argv.slice(2);
const captured = JSON.parse(readFileSync(file, "utf8"));
const tools = captured.tools ?? [];
const perPage = pageText === undefined ? tools.length : Number(pageText);

function answer(method, params) {
  if (method === "initialize")
    return {
      protocolVersion: captured.protocolVersion,
      capabilities: captured.capabilities ?? { tools: {} },
      serverInfo: captured.serverInfo ?? { name: "replay", version: "0" },
      ...(captured.instructions && { instructions: captured.instructions }),
    };
  if (method === "ping") return {};
  if (method === "tools/list") {
    const from = Number(params?.cursor ?? 0);
    const to = from + Math.max(1, perPage);
    return { tools: tools.slice(from, to), ...(to < tools.length && { nextCursor: String(to) }) };
  }
  if (method === "tools/call")
    return { content: [{ type: "text", text: `${params.name} ${JSON.stringify(params.arguments ?? {})}` }] };
  return undefined;
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    if (line.trim() === "") continue;
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const result = answer(method, params);
    const body = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
  }
});
process.stdin.on("end", () => process.exit(0));
