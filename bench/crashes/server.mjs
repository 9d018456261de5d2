/*
 * A stdio MCP server whose effects can be counted: `node server.mjs <log file>`. Written without the SDK, so that it starts in
 * milliseconds. Each effect is a line of the log, written at once with one call to the system: `<tool> <run> <key>`.
 *
 *   add   changes something each time     {run, key, ms, late}: the effect comes after `ms` when `late`, else before
 *   put   the same, says that it is idempotent
 *   get   only reads
 *   fail  says isError, having done nothing
 *
 * The answer is a function of the key alone, so that two runs of one script have the same values.
 */
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";

const [log = ""] = process.argv.slice(2);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const inputSchema = {
  type: "object",
  properties: {
    run: { type: "string" },
    key: { type: "string" },
    ms: { type: "number" },
    late: { type: "boolean" },
  },
  required: ["run", "key"],
};
const tools = [
  { name: "add", annotations: { readOnlyHint: false, destructiveHint: false } },
  { name: "put", annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true } },
  { name: "get", annotations: { readOnlyHint: true } },
  { name: "fail", annotations: { readOnlyHint: false, destructiveHint: false } },
].map((tool) => ({ ...tool, inputSchema }));

async function call(name, { run, key, ms = 0, late = false }) {
  const act = () => {
    if (name !== "fail") appendFileSync(log, `${name} ${run} ${key}\n`);
  };
  if (!late) act();
  if (ms > 0) await pause(ms);
  if (late) act();
  const text = createHash("sha256").update(`${name} ${key}`).digest("hex").slice(0, 12);
  return { content: [{ type: "text", text }], ...(name === "fail" && { isError: true }) };
}

async function answer(method, params) {
  if (method === "initialize")
    return {
      protocolVersion: params?.protocolVersion ?? "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "crashes", version: "1.0.0" },
    };
  if (method === "ping") return {};
  if (method === "tools/list") return { tools };
  if (method === "tools/call") return await call(params.name, params.arguments ?? {});
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
    void answer(method, params).then((result) => {
      const body =
        result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
      process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
    });
  }
});
process.stdin.on("end", () => process.exit(0));
