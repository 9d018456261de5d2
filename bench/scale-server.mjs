// One of the servers of scale.mjs: node scale-server.mjs <number> <tools> <log>. Its tools follow from its number. It
// notes when it starts and when it has listed, so that the bench can count how many start at the same time.
import { appendFileSync } from "node:fs";

const [number, count, log] = process.argv.slice(2);
const note = (event) => appendFileSync(log, `${Date.now()} ${event} ${process.pid}\n`);
note("start");

const NOUNS = ["invoice", "contact", "ticket", "branch", "page", "order", "event", "deployment"];
const VERBS = ["get", "list", "create", "update", "delete", "search", "assign", "export"];

function tool(at) {
  const noun = NOUNS[(at + Number(number)) % NOUNS.length];
  const verb = VERBS[Math.floor(at / NOUNS.length) % VERBS.length];
  return {
    name: `${verb}_${noun}_${at}`,
    title: `${verb} ${noun}`,
    description: `${verb} one ${noun} of area ${number}. Needs the id that list_${noun} gives.\n\nFails when the ${noun} is locked; then wait and call again.`,
    inputSchema: {
      type: "object",
      properties: {
        id: { type: "string", description: `Id of the ${noun}, as listed.` },
        state: { type: "string", enum: ["open", "pending", "closed"], description: "Only those." },
        limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
        labels: { type: "array", items: { type: "string" }, description: "All of these." },
        fields: {
          type: "object",
          properties: { [`${noun}Name`]: { type: "string" }, amount: { type: "number" } },
          additionalProperties: false,
        },
      },
      required: ["id"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: verb === "get" || verb === "list" || verb === "search" },
  };
}

const tools = Array.from({ length: Number(count) }, (_, at) => tool(at));
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: `scale-${number}`, version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => {
    note("listed");
    return { tools };
  },
};

let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const answer = answers[method]?.(params);
    const body =
      answer === undefined ? { error: { code: -32601, message: "Method not found" } } : { result: answer };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
  }
});
process.stdin.on("end", () => process.exit(0));
