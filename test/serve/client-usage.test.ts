import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { GENERATIONS, type HttpServer, httpServer, makeServed, overHttp } from "./served.ts";

const folder = temporaryFolder();
let http: HttpServer;
beforeAll(async () => {
  const live = scripted({ tools: [{ name: "ping", inputSchema: { type: "object" } }] });
  await makeServed(folder.path, { live }, { mode: "code" });
  http = await httpServer(folder.path);
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

// M11
test("what a client measured of its model, and says in _meta of a call, is in the ledger and in stats; nonsense is not", async () => {
  const reports: readonly unknown[] = [
    { firstTokenMs: 640, inputTokens: 5_000, cachedTokens: 4_000, outputTokens: 90 },
    [{ firstTokenMs: 200 }, { firstTokenMs: 900, inputTokens: 5_000, cachedTokens: 1_000 }],
    "fast",
    { firstTokenMs: "fast", inputTokens: -1, path: "/etc/passwd" },
    null,
  ];
  for (const generation of GENERATIONS) {
    await using session = await overHttp(http.url, generation);
    for (const report of reports)
      await session.client.callTool({
        name: "call_tool",
        arguments: { name: "live__ping" },
        _meta: { "mcpfs/usage": report },
      });
  }
  const { stdout } = await runCli(folder.path, ["--json", "stats"]);
  expect(JSON.parse(stdout).usage.client).toEqual({
    requests: 3 * GENERATIONS.length,
    firstTokenMs: 640,
    cachedPercent: 50,
  });
  const shown = await runCli(folder.path, ["stats"]);
  expect(shown.stdout).toContain(
    "Clients reported 9 requests: first token after 640 ms (median), 50 % of the input from the prompt cache.",
  );
});
