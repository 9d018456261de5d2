import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ServerCommand, scripted, temporaryFolder } from "../servers/servers.ts";
import { jsonOf, makeWorkspace, readTree, runCli, writeFiles } from "./run-cli.ts";
import { runMain } from "./run-main.ts";

let folder: ReturnType<typeof temporaryFolder>;
let root: string;
beforeEach(() => {
  folder = temporaryFolder();
  root = folder.path;
});
afterEach(() => folder[Symbol.dispose]());

const has = (path: string): boolean => existsSync(join(root, path));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const config = (mcpServers: unknown): void => writeFiles(root, { "mcpfs.json": { mcpServers } });

/** A server with these tools, none of which takes arguments. */
function server(...names: readonly string[]): ServerCommand {
  const tools = names.map((name) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object" },
  }));
  return scripted({ tools });
}

// M1, M6, M9
describe("files that are not as mcpfs wrote them", () => {
  test("a wrapper that was edited by hand is reported, then replaced; a check only reports", async () => {
    await makeWorkspace(root, { crm: server("one", "two") });
    const before = readTree(root);
    appendFileSync(join(root, "servers/crm/one.ts"), "// mine\n");
    const check = await runMain(root, ["sync", "--check"]);
    expect(check.code).toBe(1);
    expect(check.stderr).toContain("servers/crm/one.ts was edited by hand.");
    expect(read("servers/crm/one.ts")).toContain("// mine");
    const sync = await runMain(root, ["sync"]);
    expect(sync.code).toBe(0);
    expect(sync.stderr).toContain("servers/crm/one.ts was edited by hand and has been replaced.");
    expect(readTree(root)).toEqual(before);
    expect((await runMain(root, ["sync"])).stderr).toBe("");
  });

  test("a wrapper that was deleted comes back", async () => {
    await makeWorkspace(root, { crm: server("one", "two") });
    const before = readTree(root);
    rmSync(join(root, "servers/crm/one.ts"));
    expect((await runMain(root, ["sync", "--check"])).code).toBe(1);
    expect((await runMain(root, ["sync"])).code).toBe(0);
    expect(readTree(root)).toEqual(before);
  });

  test("foreign files in servers/ are left alone, whatever becomes of the server", async () => {
    await makeWorkspace(root, { crm: server("one") });
    const foreign = {
      "servers/crm/notes.md": "notes",
      "servers/crm/helper.ts": "export const help = 1;",
      "servers/own/index.ts": "export const own = 2;",
    };
    writeFiles(root, foreign);
    const isThere = (): void => {
      for (const [path, text] of Object.entries(foreign)) expect(read(path)).toBe(text);
    };
    expect(await runMain(root, ["sync"])).toMatchObject({ code: 0, stderr: "" });
    isThere();
    const script =
      'import { help } from "./servers/crm/helper"; import { own } from "./servers/own"; return [help, own]';
    expect((await runMain(root, ["exec", "-"], { stdin: script })).stdout).toBe("[1,2]\n");
    expect((await runMain(root, ["rm", "crm"])).code).toBe(0);
    isThere();
    expect(has("servers/crm/one.ts") || has("servers/crm/index.ts")).toBe(false);
  });

  test("a foreign file where a wrapper belongs is named and left alone, and no sync passes while it is there", async () => {
    await makeWorkspace(root, { crm: server("one") });
    const foreign = { "servers/crm/two.ts": "// somebody's" };
    writeFiles(root, foreign);
    config({ crm: server("one", "two") });
    for (const words of [["sync"], ["sync"], ["sync", "--check"], ["sync", "--offline"]]) {
      const { code, stderr } = await runMain(root, words);
      expect([words, code]).toEqual([words, 1]);
      expect(stderr).toContain("servers/crm/two.ts was not written by mcpfs and is left alone");
    }
    for (const [path, text] of Object.entries(foreign)) {
      expect(read(path)).toBe(text);
      rmSync(join(root, path));
    }
    expect((await runMain(root, ["sync"])).code).toBe(0);
    expect(read("servers/crm/two.ts")).toContain("crm__two");
  });

  test("an AGENTS.md of the user keeps its text around the part that is ours, through every command", async () => {
    writeFiles(root, { "AGENTS.md": "# Our rules\n\nBe kind.\n", ".gitignore": "node_modules\n" });
    await makeWorkspace(root, { crm: server("one") });
    expect(read("AGENTS.md")).toMatch(/^# Our rules\n\nBe kind\.\n\n<!-- mcpfs:begin -->/);
    expect(read(".gitignore")).toMatch(/^node_modules\n/);
    appendFileSync(join(root, "AGENTS.md"), "\nAfter it.\n");
    await runMain(root, ["add", "docs", "--builtin", "docs"]);
    await runMain(root, ["rm", "crm"]);
    const text = read("AGENTS.md");
    expect(text).toMatch(/^# Our rules\n\nBe kind\.\n\n<!-- mcpfs:begin -->/);
    expect(text).toMatch(/<!-- mcpfs:end -->\n\nAfter it\.\n$/);
    expect(text.match(/mcpfs:begin/g)).toHaveLength(1);
    expect((await runMain(root, ["sync", "--check"])).code).toBe(0);
  });
});

test("ls says which servers are off, and which have no definitions although they are on", async () => {
  await makeWorkspace(root, { crm: server("one"), off: server("two") });
  config({
    crm: server("one"),
    off: { ...server("two"), enabled: false },
    never: { ...server("x"), enabled: false },
    fresh: server("y"),
  });
  rmSync(join(root, "servers/crm/.definitions.json"));
  const { stdout, stderr } = await runMain(root, ["ls"]);
  expect(stdout).toContain("off (disabled)\n");
  expect(stdout).toContain("never (disabled)\n");
  expect(stderr).toContain('crm: not synced yet; run "mcpfs sync"');
  expect(stderr).toContain('fresh: not synced yet; run "mcpfs sync"');
});

describe("servers and tools that go", () => {
  const SCRIPT = `import * as crm from "./servers/crm";
import { one } from "./servers/crm/one";
const ends = [];
for (const call of [one, crm.one, crm_one, () => callMCPTool("crm__one", {})])
  await call().then((value) => ends.push(value), (e) => ends.push([e.name, e.code, e.retry, e.hint]));
return ends;`;

  const ends = async (): Promise<readonly unknown[]> => {
    const { stdout, stderr } = await runMain(root, ["exec", "-"], { stdin: SCRIPT });
    expect(stderr).toBe("");
    return JSON.parse(stdout);
  };

  test("a removed tool's wrapper goes, and every way to call it throws TOOL_UNAVAILABLE with the nearest names", async () => {
    await makeWorkspace(root, { crm: server("one", "one_more", "other") });
    expect(await ends()).toEqual(Array(4).fill("one {}"));
    config({ crm: server("one_more", "other") });
    // Before a sync the server itself says so.
    for (const end of await ends())
      expect(end).toEqual([
        "MCPToolError",
        "TOOL_UNAVAILABLE",
        "safe",
        expect.stringContaining("mcpfs sync"),
      ]);
    const report = await jsonOf(root, ["sync"]);
    expect(report.servers).toMatchObject([{ tools: 2, removed: ["one"], added: [] }]);
    expect(has("servers/crm/one.ts")).toBe(false);
    for (const end of await ends())
      expect(end).toEqual(["MCPToolError", "TOOL_UNAVAILABLE", "safe", expect.stringMatching(/one_?more/i)]);
    const call = await runMain(root, ["call", "crm/one"]);
    expect(call.code).toBe(1);
    expect(call.stderr).toMatch(/TOOL_UNAVAILABLE[\s\S]*crm__one_more/);
  });

  test("it comes back under its old name", async () => {
    await makeWorkspace(root, { crm: server("one", "other") });
    const before = readTree(root);
    config({ crm: server("other") });
    await runMain(root, ["sync"]);
    config({ crm: server("one", "other") });
    await runMain(root, ["sync"]);
    expect(readTree(root)).toEqual(before);
  });

  test("a disabled server's wrappers go, its names stay known, and enabling it brings all back", async () => {
    const crm = server("one", "other");
    await makeWorkspace(root, { crm, still: server("calm") });
    const before = readTree(root);
    config({ crm: { ...crm, enabled: false }, still: server("calm") });
    const report = await jsonOf(root, ["sync"]);
    expect(report.servers[0]).toMatchObject({ name: "crm", status: "disabled", tools: 0 });
    expect(has("servers/crm/one.ts") || has("servers/crm/index.ts")).toBe(false);
    expect(has("servers/still/calm.ts")).toBe(true);
    for (const end of await ends())
      expect(end).toEqual([
        "MCPToolError",
        "TOOL_UNAVAILABLE",
        "safe",
        expect.not.stringContaining("Nearest"),
      ]);
    expect(await jsonOf(root, ["ls", "crm"])).toEqual([]);
    expect(await jsonOf(root, ["search", "other"])).toEqual([]);
    config({ crm, still: server("calm") });
    await runMain(root, ["sync"]);
    expect(readTree(root)).toEqual(before);
  });
});

describe("a server that cannot be asked costs only itself", () => {
  const crm = server("one");
  const broken: readonly (readonly [string, unknown, string])[] = [
    ["a variable that is not set", { command: "x", env: { KEY: "${MCPFS_TEST_NOT_SET}" } }, "CONFIG_INVALID"],
    ["a command that does not exist", { command: "mcpfs-no-such-command" }, "SERVER_FAILED"],
    ["an entry that says nothing", {}, "CONFIG_INVALID"],
    ["a server that ends at once", scripted({ exitAtOnce: 7 }), "SERVER_FAILED"],
    ["a list that is an error", scripted({ listError: { code: -32603, message: "no" } }), "SERVER_FAILED"],
  ];

  test.each(broken)("%s: the others are written, exit code 3", async (_what, entry, code) => {
    config({ aaa: entry, crm });
    const report = await runMain(root, ["--json", "sync"]);
    expect(report.code).toBe(3);
    const { servers } = JSON.parse(report.stdout);
    expect(servers).toMatchObject([
      { name: "aaa", status: "failed", tools: 0, error: { code, hint: expect.stringMatching(/./) } },
      { name: "crm", status: "ok", tools: 1, error: null },
    ]);
    expect(has("servers/crm/one.ts")).toBe(true);
    expect(has("servers/aaa")).toBe(false);
    // The good one works, and is synced alone with exit code 0.
    expect((await runMain(root, ["exec", "-"], { stdin: "return await crm_one()" })).stdout).toBe("one {}\n");
    expect((await runMain(root, ["sync", "crm"])).code).toBe(0);
  });

  test("one that worked before keeps its wrappers while it fails", async () => {
    await makeWorkspace(root, { aaa: server("kept"), crm });
    const before = readTree(root);
    config({ aaa: scripted({ exitAtOnce: 1 }), crm });
    const { code, stdout } = await runMain(root, ["sync"]);
    expect(code).toBe(3);
    expect(stdout).toContain("aaa: failed; 1 tool kept");
    expect(readTree(root)).toEqual(before);
  });
});

test("syncs at the same time all succeed, and leave the tree that one makes", async () => {
  const servers = { crm: server("one", "two"), still: server("calm") };
  using other = temporaryFolder();
  await makeWorkspace(other.path, servers);
  config(servers);
  const runs = await Promise.all([1, 2, 3].map(() => runCli(root, ["sync"])));
  expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(3).fill({ code: 0, stderr: "" }));
  expect(readTree(root)).toEqual(readTree(other.path));
});
