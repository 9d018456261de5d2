import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, writeFiles } from "../cli/run-cli.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { type AnyClient, type Connected, makeServed, overStdio, SWITCHES, textOf } from "./served.ts";

const folder = temporaryFolder();
const object = { type: "object" };
const bank = scripted({
  tools: [
    { name: "balance", inputSchema: object, annotations: { readOnlyHint: true } },
    { name: "pay", inputSchema: object, annotations: { destructiveHint: true } },
    { name: "wait", inputSchema: object, annotations: { readOnlyHint: true } },
  ],
  answers: { wait: { delayMs: 60_000, text: "late" } },
});
const off = { ...scripted({ tools: [{ name: "hidden_away", inputSchema: object }] }), disabled: true };
const fresh = scripted({ tools: [{ name: "hello", inputSchema: object }] });
const rule = { tool: "balance", arguments: { properties: { of: { const: "others" } }, required: ["of"] } };
const policy = { preset: "balanced", rules: [...SWITCHES.rules, { ...rule, permission: "deny" }] };
let session: Connected;

beforeAll(async () => {
  await makeServed(folder.path, { bank, off: { ...off, disabled: false } });
  writeFiles(folder.path, {
    "mcpfs.json": {
      mcpServers: { bank, off, fresh },
      policy,
      limits: { maxCalls: 3 },
      serve: { mode: "code" },
    },
  });
  // What `fresh` starts was never approved.
  await runCli(folder.path, ["sync", "--offline"], { trusts: false });
  session = await overStdio(folder.path, "modern");
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const ask =
  (name: string, args: object = {}) =>
  async (client: AnyClient) =>
    await textOf(client, name, args);
const run = (code: string, more: object = {}) => ask("run_script", { code, ...more });

/** What goes wrong, the code, and a tool of `serve` or a way out that the hint names. */
const FAULTS: readonly (readonly [string, (client: AnyClient) => Promise<string>, RegExp])[] = [
  ["a name like no other", ask("call_tool", { name: "qqqqqq" }), /TOOL_UNKNOWN.*\n.*search_tools/],
  [
    "a name like another",
    ask("call_tool", { name: "bank__pya" }),
    /TOOL_UNKNOWN.*\n.*bank__pay.*search_tools/,
  ],
  [
    "a tool of a server that is off",
    ask("call_tool", { name: "off__hidden_away" }),
    /TOOL_UNAVAILABLE[\s\S]*search_tools/,
  ],
  [
    "the same in a script",
    run('import * as off from "./servers/off"; await off.hiddenAway()'),
    /TOOL_UNAVAILABLE[\s\S]*set_server/,
  ],
  [
    "a name like no other in a script",
    run('await callMCPTool("qqqqqq", {})'),
    /TOOL_UNKNOWN[\s\S]*search_tools/,
  ],
  [
    "a caught error of a script",
    run('try { await callMCPTool("qqqqqq", {}) } catch (error) { console.log(error.hint) }'),
    /search_tools/,
  ],
  ["a server that is none", ask("search_tools", { query: "", server: "zzzzzz" }), /USAGE.*\n.*list_servers/],
  [
    "a call that a rule denies",
    ask("call_tool", { name: "bank__balance", args: { of: "others" } }),
    /POLICY_DENIED.*\n.*Ask the person/,
  ],
  [
    "a call that needs a person",
    ask("call_tool", { name: "bank__pay" }),
    /APPROVAL_NEEDED.*\n.*on the host with "mcpfs runs approve .*the same call again/,
  ],
  [
    "a run that needs a person",
    run('import * as bank from "./servers/bank"; await bank.pay({})'),
    /on the host with "mcpfs runs approve .*resume_run/,
  ],
  ["a run that is not there", ask("resume_run", { id: "20200101-000000-abcd" }), /USAGE.*\n.*run_script/],
  [
    "a model that approves",
    async (client) => {
      const waits = await run('import * as bank from "./servers/bank"; await bank.pay({})')(client);
      const id = /"id":"([^"]+)"/.exec(waits)?.[1];
      return await ask("resume_run", { id, decision: "approve" })(client);
    },
    /POLICY_DENIED.*\n.*on the host/,
  ],
  [
    "too many calls",
    run('import * as bank from "./servers/bank"; for (;;) await bank.balance({})'),
    /LIMIT_CALLS[\s\S]*On the host, "limits"/,
  ],
  [
    "too little time",
    run("await new Promise((go) => setTimeout(go, 60_000))", { timeoutMs: 200 }),
    /LIMIT_WALL[\s\S]*timeoutMs/,
  ],
  [
    "a model that is not there",
    ask("search_tools", { query: "pay", strategy: "semantic" }),
    /note: .*docs\/search\.md/,
  ],
  [
    "too much to say",
    run('console.log("x".repeat(30).concat("\\n").repeat(3_000))'),
    /cut here[\s\S]*On the host, "limits"/,
  ],
];

// M26
test.each(FAULTS)("who has no shell is told what to do: %s", async (_what, fail, want) => {
  const text = await fail(session.client);
  expect(text).toMatch(want);
  for (const line of text.split("\n")) {
    // A command may be named where a person has to act, and then it says where.
    if (/on the host/i.test(line)) continue;
    expect(line).not.toMatch(/mcpfs [a-z]+\b(?! workspace)|(?<![\w-])--[a-z]/);
  }
});

test("a server whose start nobody has approved is one for a person on the host", async () => {
  await runCli(folder.path, ["sync"], { trusts: false });
  const text = await textOf(session.client, "set_server", { name: "fresh", enabled: true });
  expect(text).toMatch(/SERVER_FAILED.*\n.*on the host: "mcpfs trust"/);
});
