import { symlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli, writeFiles } from "../cli/run-cli.ts";
import { real, received, scripted, temporaryFolder } from "../servers/servers.ts";
import {
  type AnyClient,
  type Connected,
  GENERATIONS,
  type HttpServer,
  httpServer,
  makeServed,
  overHttp,
  overStdio,
  textOf,
} from "./served.ts";

/*
 * Two tools, a prompt, the resources of a server and a whole server are denied to one client and not to another. Every way in which a
 * client could learn of them is walked, for both: the one must find no trace, the other must (else the way was none).
 */
const folder = temporaryFolder();
const logFile = `${folder.path}/server.log`;
const object = { type: "object" };
const bank = scripted(
  {
    tools: [
      { name: "balance", description: "Says what there is.", inputSchema: object },
      { name: "pay", description: "Pays.", inputSchema: object },
      { name: "liquidate", description: "Sells all on zanzibar.", inputSchema: object },
    ],
    answers: { balance: { text: "100" }, liquidate: { text: "sold on zanzibar" } },
  },
  logFile,
);
const vault = scripted({
  tools: [{ name: "open_safe", description: "Opens the strongroom.", inputSchema: object }],
});
const mcpServers = { bank, vault, every: real.everything() };
/** What only somebody who sees the denied things can say. */
const TRACE = /liquidate|zanzibar|vault|open_?safe|strongroom|simple-?prompt|readResource|resources\.ts/i;

const DENIED = ["serve:ann*", "serve:local"];
const policy = {
  preset: "open",
  rules: [
    { server: "bank", tool: "liquidate", caller: DENIED, permission: "deny", reason: "Not on zanzibar." },
    { server: "vault", caller: DENIED, permission: "deny" },
    { server: "every", tool: ["*prompt*", "*_resource*"], caller: DENIED, permission: "deny" },
  ],
};
const token = (name: string): string => `token-of-${name}-0123456789`;
const serve = {
  mode: "code",
  clients: Object.fromEntries(
    [
      ["ann", "code"],
      ["ann-direct", "direct"],
      ["ann-discover", "discover"],
      ["bob", "code"],
      ["bob-direct", "direct"],
    ].map(([name = "", mode]) => [name, { token: token(name), mode }]),
  ),
};
let http: HttpServer;
let resumable = "";

beforeAll(async () => {
  await makeServed(folder.path, mcpServers);
  writeFiles(folder.path, {
    "mcpfs.json": { mcpServers, policy, serve },
    "skills/drain.ts":
      'import * as bank from "../servers/bank";\nexport const drain = () => bank.liquidate({});\n',
    "skills/sum/SKILL.md": "---\nname: sum\ndescription: Says what there is\n---\nCall it.\n",
    "skills/sum/index.ts":
      'import * as bank from "../../servers/bank";\nexport const sum = () => bank.balance({});\n',
    "skills/rob/SKILL.md": "---\nname: rob\ndescription: Takes it\n---\nCalls vault__open_safe.\n",
    ...Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`skills/heap/0${at}.txt`, "data"])),
    "skills/heap/index.ts":
      'import * as bank from "../../servers/bank";\nexport const all = bank.liquidate;\n',
    "workspace/a.ts": "export default 1;\n",
    "suspends.ts": 'throw new Error("later");\n',
  });
  symlinkSync("../servers/bank/liquidate.ts", `${folder.path}/workspace/link.ts`);
  await runCli(folder.path, ["sync", "--offline"]);
  const failed = await runCli(folder.path, ["--json", "exec", "suspends.ts"]);
  resumable = JSON.parse(failed.stdout).runId;
  http = await httpServer(folder.path);
}, 60_000);
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const run = (code: string) => async (client: AnyClient) => await textOf(client, "run_script", { code });
const ask =
  (name: string, args: object = {}) =>
  async (client: AnyClient) =>
    await textOf(client, name, args);
const read = (path: string) => ask("read_file", { path });

/** All resources, with all that they hold. */
async function everything(client: AnyClient): Promise<string> {
  const texts: string[] = [];
  let cursor: string | undefined;
  do {
    const page: any = await client.listResources(cursor === undefined ? undefined : { cursor });
    for (const { uri, name } of page.resources) {
      // What the agent is told of the built-in server is the same for all.
      const { contents }: any = await client.readResource({ uri });
      if (!uri.includes("servers/mcpfs/")) texts.push(uri, name, contents[0].text ?? "");
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return texts.join("\n");
}

/** Ways that show what there is, to who may see it. */
const LISTS: readonly (readonly [string, (client: AnyClient) => Promise<string>])[] = [
  ["search by words", ask("search_tools", { query: "sell all on zanzibar", limit: 50 })],
  [
    "search by words of a denied server",
    ask("search_tools", { query: "open the strongroom safe", limit: 50 }),
  ],
  ["search for nothing, in full", ask("search_tools", { query: "", detail: "full", limit: 50 })],
  ["search by a pattern", ask("search_tools", { query: "zan.ibar|safe", strategy: "regex", limit: 50 })],
  ["search in a server", ask("search_tools", { query: "", server: "bank", detail: "name" })],
  ["near misses of a search", ask("search_tools", { query: "bank_liquidat" })],
  ["near misses of a namespace", ask("search_tools", { query: "", server: "vaul" })],
  ["near misses of details", ask("get_tool_details", { name: "bank__liquidat" })],
  ["near misses of a call", ask("call_tool", { name: "bank__liquidat" })],
  ["servers", ask("list_servers")],
  ["servers by words", ask("list_servers", { query: "strongroom" })],
  ["near misses of a server", ask("set_server", { name: "vaul", enabled: true })],
  ["the folder of servers", ask("list_files", { path: "servers" })],
  ["the folder of a server", ask("list_files", { path: "servers/bank" })],
  ["the folder of a server with more than tools", ask("list_files", { path: "servers/every" })],
  ["the list of servers", read("servers/README.md")],
  ["the index of a server", read("servers/bank/index.ts")],
  ["the index of a server with prompts", read("servers/every/index.ts")],
  ["near misses of a file", read("servers/bank/liquidat.ts")],
  ["a wrapper through a link", read("workspace/link.ts")],
  ["skills that use it", async (client) => (await read("skills/drain.ts")(client)).replaceAll("drain", "")],
  ["a skill that uses it behind many files", read("skills/heap/index.ts")],
  ["resources", everything],
  [
    "the members of a namespace",
    run('import * as bank from "./servers/bank"; export default Object.keys(bank)'),
  ],
  [
    "what a script searches",
    run(
      'import { searchTools } from "./servers/mcpfs"; export default await searchTools({ query: "zanzibar strongroom", limit: 50 })',
    ),
  ],
  ["near misses of a script's call", run('await callMCPTool("bank__liquidat", {})')],
  ["near misses of a script's import", run('import { liquidat } from "./servers/bank"; await liquidat({})')],
  ["near misses of a wrapper", run('import "./servers/bank/liquidat"')],
  ["near misses of a folder", run('import "./servers/vaul"')],
  [
    "a skill that a script imports",
    run('import { drain } from "./skills/drain"; export default await drain()'),
  ],
];

/** Ways in which somebody who has guessed a name might hear that he is right. The name stands in for one that is no tool's. */
const GUESSES: readonly (readonly [string, (client: AnyClient, name: string) => Promise<string>])[] = [
  ["details", (client, name) => ask("get_tool_details", { name: `bank__${name}` })(client)],
  ["a call", (client, name) => ask("call_tool", { name: `bank__${name}` })(client)],
  [
    "a call by its own name",
    (client, name) => client.callTool({ name: `bank__${name}` }).then(JSON.stringify, String),
  ],
  ["a file", (client, name) => read(`servers/bank/${name}.ts`)(client)],
  [
    "a resource",
    (client, name) =>
      client.readResource({ uri: `mcpfs:///servers/bank/${name}.ts` }).then(JSON.stringify, String),
  ],
  [
    "a script's call",
    (client, name) =>
      run(
        `try { await callMCPTool("bank__${name}", {}) } catch (error) { console.log(error.code, error.message, error.hint) }`,
      )(client),
  ],
  [
    "a script's import",
    (client, name) => run(`import { ${name} } from "./servers/bank"; await ${name}({})`)(client),
  ],
  ["a script's import of the file", (client, name) => run(`import "./servers/bank/${name}"`)(client)],
  ["a script's free name", (client, name) => run(`await bank_${name}({})`)(client)],
  [
    "a skill",
    (client, name) =>
      ask("save_skill", {
        name: "probe",
        description: "Probe",
        code: `import { ${name} } from "./servers/bank"; export default () => ${name}({})`,
        overwrite: true,
      })(client),
  ],
];

/** As like to the tools that are there as the denied one is. */
const NO_TOOL = "liquibate";
const named = (text: string, name: string): string =>
  text
    .replaceAll(name, "NAME")
    .replace(/\(\d+ calls?: [^)]*\)/g, "")
    .replace(/resume_run \{[^}]*\}/g, "");

const sessions: Record<string, () => Promise<Connected>> = {};
for (const generation of GENERATIONS) {
  sessions[`${generation} over HTTP`] = () => overHttp(http.url, generation, { token: token("ann") });
  sessions[`${generation} over stdio`] = () => overStdio(folder.path, generation);
}

// M6
describe.each(Object.keys(sessions))("a client to whom tools are denied, %s,", (kind) => {
  let session: Connected;
  beforeAll(async () => {
    session = await (sessions[kind] as () => Promise<Connected>)();
  });
  afterAll(async () => await session[Symbol.asyncDispose]());

  test.each(LISTS)("finds no trace of them in: %s", async (_way, look) => {
    const text = await look(session.client).catch(String);
    expect(text.replaceAll(/servers\/every\/index\.ts/g, "")).not.toMatch(TRACE);
  });

  test.each(GUESSES)("hears the same of their names as of any: %s", async (_way, guess) => {
    const denied = named(await guess(session.client, "liquidate"), "liquidate");
    expect(denied).not.toMatch(TRACE);
    expect(denied).toBe(named(await guess(session.client, NO_TOOL), NO_TOOL));
  });

  test("is told nothing of them at its beginning, in the lists of tools and prompts", async () => {
    const { client } = session;
    const told = [client.getInstructions(), await client.listTools(), await client.listPrompts()];
    expect(JSON.stringify(told)).not.toMatch(TRACE);
    expect(JSON.stringify(await client.listPrompts())).toContain("sum");
  });

  test("does not get at them through a run of somebody else", async () => {
    const code = 'await callMCPTool("bank__liquidate", {})';
    expect(await textOf(session.client, "resume_run", { id: resumable, code })).toMatch(
      /^USAGE: There is no run/,
    );
  });
});

describe.each(GENERATIONS)("in mode direct and discover, %s,", (generation) => {
  const names = async (client: string): Promise<string> => {
    await using session = await overHttp(http.url, generation, { token: token(client) });
    return JSON.stringify(await session.client.listTools());
  };
  test("the tools of a client are those that it may call", async () => {
    expect(await names("bob-direct")).toMatch(/bank__liquidate.*vault__open_safe/);
    expect(await names("ann-direct")).toContain("bank__pay");
    expect(await names("ann-direct")).not.toMatch(TRACE);
    await using session = await overHttp(http.url, generation, { token: token("ann-discover") });
    await textOf(session.client, "get_tool_details", { names: ["bank__liquidate", "vault__open_safe"] });
    expect(JSON.stringify(await session.client.listTools())).not.toMatch(TRACE);
  });
});

describe("a client to whom they are not denied", () => {
  let session: Connected;
  beforeAll(async () => {
    session = await overHttp(http.url, "modern", { token: token("bob") });
  });
  afterAll(async () => await session[Symbol.asyncDispose]());

  test.each(LISTS)("finds them in: %s", async (_way, look) => {
    expect(await look(session.client).catch(String)).toMatch(TRACE);
  });

  test("calls them", async () => {
    expect(await textOf(session.client, "call_tool", { name: "bank__liquidate" })).toBe("sold on zanzibar");
  });
});

test("none of their calls has reached a server but the one that was allowed", () => {
  const sold = received(logFile, "tools/call").filter(({ params }) => params.name === "liquidate");
  expect(sold).toHaveLength(2);
});
