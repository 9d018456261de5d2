import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, writeFiles } from "../cli/run-cli.ts";
import { answerLegacy, type HttpExchange, type HttpTestServer, httpServer } from "../servers/http-server.ts";
import { temporaryFolder } from "../servers/servers.ts";

/**
 * A server on the network that says back what it was sent: headers, the login and the query of the URL, in each phase in which a
 * connection can fail, and in answers of its tools. Programs over stdio are in `test/cli/hostile-text.test.ts`.
 */
const LOGIN = "ann:SEKRET-000";
const SECRET = new RegExp(`SEKRET|${Buffer.from(LOGIN).toString("base64").replace(/=+$/, "")}`);
const headers = { Authorization: "Bearer SEKRET-123", "X-Api-Key": "SEKRET-456" };

const folder = temporaryFolder();
let server: HttpTestServer;
let heard = "";

/** What a careless server writes into its errors. */
function echo({ request }: HttpExchange): string {
  const sent = `got ${JSON.stringify(request.headers)} for ${request.url}`;
  heard += sent;
  return sent;
}

const FAILURES: Readonly<Record<string, (exchange: HttpExchange) => void>> = {
  broken: ({ response }) => response.destroy(),
  unauthorized: (exchange) => exchange.response.writeHead(401).end(echo(exchange)),
  failing: (exchange) => exchange.response.writeHead(500).end(echo(exchange)),
  worded: (exchange) => {
    exchange.response.writeHead(400, { "content-type": "application/json" });
    const error = { code: -32000, message: echo(exchange) };
    exchange.response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
  },
  page: (exchange) => exchange.response.writeHead(200, { "content-type": "text/html" }).end(echo(exchange)),
  moved: (exchange) => {
    const location = `http://127.0.0.1:9/elsewhere?was=${encodeURIComponent(echo(exchange))}`;
    exchange.response.writeHead(307, { location }).end();
  },
  refused: (exchange) => reply(exchange, { error: { code: -1, message: echo(exchange) } }),
  listless: (exchange) => {
    if (exchange.message?.method !== "tools/list") return answerLegacy(exchange);
    reply(exchange, { error: { code: -1, message: echo(exchange) } });
  },
  works: (exchange) => {
    const { method, params } = exchange.message ?? {};
    if (method === "tools/list")
      return reply(exchange, {
        result: {
          tools: ["text", "fail", "refuse"].map((name) => ({
            name,
            description: echo(exchange),
            inputSchema: { type: "object" },
          })),
        },
      });
    if (method !== "tools/call") return answerLegacy(exchange);
    const content = [{ type: "text", text: echo(exchange) }];
    if (params.name === "refuse") reply(exchange, { error: { code: -5, message: echo(exchange) } });
    else reply(exchange, { result: { content, isError: params.name === "fail" } });
  },
};

function reply({ response, message }: HttpExchange, answer: object): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: message?.id ?? null, ...answer }));
}

beforeAll(async () => {
  server = await httpServer((exchange) => {
    const phase = exchange.request.url?.split(/[/?]/)[1] ?? "";
    (FAILURES[phase] ?? FAILURES.works)?.(exchange);
  });
  const entry = (base: string, phase: string): object => ({
    url: `${base.replace("//", `//${LOGIN}@`)}/${phase}?key=SEKRET-111`,
    headers,
  });
  const failing = Object.keys(FAILURES).map((phase) => [phase, entry(server.url, phase)]);
  const mcpServers = { ...Object.fromEntries(failing), nobody: entry("http://127.0.0.1:9", "x") };
  writeFiles(folder.path, {
    "mcpfs.json": { policy: "open", mcpServers },
    "all.ts": `const out: unknown[] = [];
for (const name of ["works__text", "works__fail", "works__refuse", "failing__any"]) {
  try { out.push(await callMCPTool(name, {})); } catch (error: any) { out.push({ m: error.message, h: error.hint, c: error.content, s: error.stack }); }
}
console.log(out);
export default out;`,
  });
}, 60_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** All files of the workspace but the config, which holds the keys, as one text. */
function everything(): string {
  return readdirSync(folder.path, { recursive: true, encoding: "utf8" })
    .filter((path) => path !== "mcpfs.json" && statSync(join(folder.path, path)).isFile())
    .map((path) => readFileSync(join(folder.path, path), "utf8"))
    .join("\n");
}

test.each<[readonly string[], number]>([
  [["sync"], 3],
  [["--json", "sync"], 3],
  [["--json", "sync", "--check"], 3],
  [["call", "works/text"], 0],
  [["call", "works/fail"], 1],
  [["--json", "call", "works/refuse"], 1],
  [["exec", "all.ts"], 0],
  [["--json", "exec", "all.ts"], 0],
  [["trust"], 0],
])("security-secrets-in-errors over HTTP: %j", { timeout: 60_000 }, async (args, code) => {
  const ended = await runCli(folder.path, args, { env: { MCPFS_DEBUG: "1" } });
  expect(ended.stdout + ended.stderr).not.toMatch(SECRET);
  expect(ended.code, ended.stderr).toBe(code);
  expect(everything()).not.toMatch(SECRET);
  if (args.includes("sync")) {
    // The server did get them, and said them.
    for (const secret of ["SEKRET-123", "SEKRET-456", "SEKRET-111"]) expect(heard).toContain(secret);
    for (const name of ["nobody", ...Object.keys(FAILURES)].filter((phase) => phase !== "works"))
      expect(ended.stdout + ended.stderr).toContain(name);
  }
});
