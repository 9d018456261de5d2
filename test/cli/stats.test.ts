import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { jsonOf, makeWorkspace, runCli, writeFiles } from "./run-cli.ts";

const input = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const rows = Array.from({ length: 2_000 }, (_, at) => ({ id: at, name: `Contact number ${at}` }));
const tools = [
  { name: "get_contact", description: "Gets a contact by its id.", inputSchema: input },
  { name: "list_contacts", description: "Lists all contacts.", inputSchema: { type: "object" } },
  { name: "send_mail", description: "Sends a mail to somebody.", inputSchema: input },
];
const answers = { list_contacts: { text: JSON.stringify(rows) } };

// M11, M27
describe("stats", () => {
  const folder = temporaryFolder();
  const root = folder.path;
  const server = scripted({ tools, answers });
  beforeAll(async () => await makeWorkspace(root, { crm: server }));
  afterAll(() => folder[Symbol.dispose]());

  test("counts definitions with a real tokenizer, once, and recommends by the share of the window alone", async () => {
    const first = await jsonOf(root, ["stats"]);
    expect(first.encoding).toBe("o200k_base");
    expect(first.servers).toEqual([
      { name: "crm", tools: 3, definitions: expect.any(Number), listing: expect.any(Number) },
    ]);
    expect(first.total.definitions).toBeGreaterThan(90);
    expect(first.total.definitions).toBeLessThan(200);
    expect(first.total.search).toBeGreaterThan(10);
    expect(first.recommendation.mode).toBe("direct");
    const cache = readFileSync(join(root, ".mcpfs/tokens.json"), "utf8");
    const again = await jsonOf(root, ["stats"]);
    expect(again.total.definitions).toBe(first.total.definitions);
    expect(readFileSync(join(root, ".mcpfs/tokens.json"), "utf8")).toBe(cache);

    const window = (more: object): void =>
      writeFiles(root, {
        "mcpfs.json": { mcpServers: { crm: server }, context: { windowTokens: 5_000, ...more } },
      });
    window({});
    expect((await jsonOf(root, ["stats"])).recommendation.mode).toBe("discover");
    window({ discoverPercent: 1.5 });
    expect((await jsonOf(root, ["stats"])).recommendation.mode).toBe("code");
    const { stdout } = await runCli(root, ["stats"]);
    expect(stdout).toContain("Recommended: code mode.");
    expect(stdout).toContain("of a context window of 5,000");
    writeFiles(root, { "mcpfs.json": { mcpServers: { crm: server } } });
  });

  test("exec says on one line what a run cost, when asked", async () => {
    const script = "export default (await crm_listContacts()).length";
    const silent = await runCli(root, ["exec", "-"], { stdin: script });
    expect(silent).toMatchObject({ code: 0, stdout: "2000\n", stderr: "" });
    const told = await runCli(root, ["exec", "-", "--tokens"], { stdin: script });
    expect(told.stdout).toBe("2000\n");
    expect(told.stderr).toMatch(
      /^tokens: \d+ passed through the model \(script \d+, answer \d+\); with direct calls [\d,]+ \(definitions \d+, arguments \d+, results [\d,]+\)\n$/,
    );
    const { tokens } = await jsonOf(root, ["exec", "-", "--tokens"], { stdin: script });
    expect(tokens.results).toBeGreaterThan(20_000);
    expect(tokens.script + tokens.answer).toBeLessThan(40);
  });

  test("sums up runs, searches, hits and unknown names", async () => {
    const before = (await jsonOf(root, ["stats"])).usage;
    await runCli(root, ["search", "get a contact"]);
    await runCli(root, ["show", "crm/get_contact"]);
    await runCli(root, ["exec", "-"], { stdin: 'await crm_getContact({ id: "1" })' });
    await runCli(root, ["search", "contact", "-k", "1"]);
    await runCli(root, ["call", "crm/get_contct", "id=1"]);
    await runCli(root, ["show", "crm/get_contct"]);
    await runCli(root, ["exec", "-"], {
      stdin: 'import { callMCPTool } from "./client"; try { await callMCPTool("crm__nothing", {}) } catch {}',
    });
    const { usage } = await jsonOf(root, ["stats"]);
    expect(usage.runs - before.runs).toBe(2);
    expect(usage.tokens.discovery - before.tokens.discovery).toBeGreaterThan(20);
    expect(usage.search.searches - before.search.searches).toBe(2);
    expect(usage.search).toMatchObject({ empty: 0, calledAfter: 1, shownBefore: 1 });
    expect(usage.unknown).toEqual([
      { name: "crm/get_contct", times: 2 },
      { name: "crm__nothing", times: 1 },
    ]);
    expect(usage.latest.at(-1)).toMatchObject({ called: [], unknown: ["crm__nothing"] });
  });

  test("what a client reports is kept", async () => {
    await using workspace = await openWorkspace(root);
    await workspace.usage.reported({ firstTokenMs: 640, inputTokens: 2_000, cachedTokens: 1_500 });
    expect((await workspace.stats()).usage.client).toEqual({
      requests: 1,
      firstTokenMs: 640,
      cachedPercent: 75,
    });
  });

  test("the page has two charts, no script, and nothing from elsewhere", async () => {
    await runCli(root, ["exec", "-"], { stdin: "export default 1" });
    const { stdout } = await runCli(root, ["stats", "--html"]);
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout.match(/<svg /g)).toHaveLength(2);
    expect(stdout).not.toMatch(/<script|https?:|src=|@import/);
    // The name of a script from standard input is <stdin>.
    expect(stdout).toContain("&#60;stdin&#62;");
    expect(stdout).toContain("default-src 'none'; style-src 'unsafe-inline'");
    expect(stdout).not.toContain("<stdin>");
  });

  test("what policy hides from the agent is not counted, since it is offered in no way", async () => {
    const rules = [{ name: "no-mail", tool: "send_*", permission: "deny" }];
    writeFiles(root, { "mcpfs.json": { mcpServers: { crm: server }, policy: { rules } } });
    const hidden = await jsonOf(root, ["stats"]);
    expect(hidden.total.tools).toBe(2);
    writeFiles(root, { "mcpfs.json": { mcpServers: { crm: server } } });
    expect(hidden.total.definitions).toBeLessThan((await jsonOf(root, ["stats"])).total.definitions);
  });

  test("a changed tool list is counted, its first listing is not", async () => {
    const before = (await jsonOf(root, ["stats"])).usage.lists;
    expect(before.changes).toBe(0);
    writeFiles(root, {
      "mcpfs.json": { mcpServers: { crm: scripted({ tools: tools.slice(0, 2), answers }) } },
    });
    await runCli(root, ["trust", "--yes"]);
    await runCli(root, ["sync"]);
    expect((await jsonOf(root, ["stats"])).usage.lists).toEqual({
      changes: 1,
      added: 0,
      changed: 0,
      removed: 1,
    });
  });
});
