import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { real, scripted, temporaryFolder } from "../servers/servers.ts";
import { readTree, writeFiles } from "./run-cli.ts";
import { runMain } from "./run-main.ts";

let folder: ReturnType<typeof temporaryFolder>;
let root: string;
beforeEach(() => {
  folder = temporaryFolder();
  root = folder.path;
});
afterEach(() => folder[Symbol.dispose]());

const CONFIG = `{
  // what we use
  "mcpServers": {
    /* the documents */
    "docs": {"builtin": "docs"}, // theirs
  },
  // the end
}
`;
const read = (path: string): string => readFileSync(join(root, path), "utf8");

describe("add and rm", () => {
  beforeEach(() => writeFileSync(join(root, "mcpfs.json"), CONFIG));

  test("add keeps every line of the config, and rm of the same brings the old text back", async () => {
    expect(await runMain(root, ["add", "crm", "--builtin", "crm"])).toMatchObject({ code: 0 });
    const text = read("mcpfs.json");
    for (const line of CONFIG.split("\n").filter((line) => line.trim() !== "")) expect(text).toContain(line);
    expect(text).toContain('"crm": {');
    expect(readdirSync(join(root, "servers/crm")).length).toBeGreaterThan(3);
    expect(await runMain(root, ["rm", "crm"])).toMatchObject({ code: 0 });
    expect(read("mcpfs.json")).toBe(CONFIG);
    expect(existsSync(join(root, "servers/crm"))).toBe(false);
    expect(read("servers/README.md")).not.toContain("crm/");
  });

  test("a command after -- is kept word by word, also words that look like options of ours", async () => {
    const { command, args } = scripted({ tools: [{ name: "one", inputSchema: { type: "object" } }] });
    const words = ["--", command, ...args, "--json", "-C", "a b"];
    expect(await runMain(root, ["add", "mine", ...words])).toMatchObject({ code: 0 });
    const [, text] = /"mine": (\{[\s\S]*?\n {4}\})/.exec(read("mcpfs.json")) ?? [];
    expect(JSON.parse(text ?? "")).toEqual({ command, args: [...args, "--json", "-C", "a b"] });
    expect(existsSync(join(root, "servers/mine/one.ts"))).toBe(true);
  });

  test("a secret of the shell is not written down: the variable stays a variable", async () => {
    const header = "Authorization: Bearer ${MCPFS_TEST_TOKEN}";
    await runMain(root, ["add", "far", "--url", "https://example.com/mcp", "--header", header, "--no-sync"]);
    expect(read("mcpfs.json")).toContain('"Authorization": "Bearer ${MCPFS_TEST_TOKEN}"');
  });

  test("the same server again changes nothing; another under its name is refused", async () => {
    expect(await runMain(root, ["add", "docs", "--builtin", "docs", "--no-sync"])).toMatchObject({ code: 0 });
    expect(await runMain(root, ["add", "docs", "--builtin", "crm", "--no-sync"])).toMatchObject({ code: 2 });
    expect(read("mcpfs.json")).toBe(CONFIG);
  });

  test.each<[string, readonly string[]]>([
    ["no way to reach it", ["add", "x"]],
    ["two ways to reach it", ["add", "x", "--builtin", "docs", "--url", "https://example.com"]],
    ["an address of another kind", ["add", "x", "--url", "ftp://example.com"]],
    ["a demo server that does not exist", ["add", "x", "--builtin", "nope"]],
    ["the built-in server's name", ["add", "mcpfs", "--builtin", "docs"]],
    ["a header without a value", ["add", "x", "--url", "https://example.com", "--header", "Bearer"]],
    ["a header for a command", ["add", "x", "--header", "A: b", "--", "node"]],
    ["an older transport for a command", ["add", "x", "--sse", "--", "node"]],
    ["a variable for an address", ["add", "x", "--url", "https://example.com", "--env", "KEY=v"]],
    ["a folder for an address", ["add", "x", "--url", "https://example.com", "--cwd", "sub"]],
    ["a variable for a demo server", ["add", "x", "--builtin", "docs", "--env", "KEY=v"]],
    ["a header for a demo server", ["add", "x", "--builtin", "docs", "--header", "A: b"]],
    ["an address to listen on without HTTP", ["serve", "--host", "0.0.0.0"]],
    ["an rm of nobody", ["rm", "nobody"]],
  ])("%s is refused before anything is written", async (_what, words) => {
    const { code, stderr } = await runMain(root, words);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error USAGE: .+\n hint .+\n/);
    expect(read("mcpfs.json")).toBe(CONFIG);
  });
});

describe("init", () => {
  test.each(["tsconfig.json", "client.ts", "sandbox.d.ts", "servers/theirs.ts"])(
    "refuses a folder in which %s stands, and writes nothing",
    async (path) => {
      writeFiles(root, { [path]: "theirs" });
      const before = readTree(root);
      const { code, stderr } = await runMain(root, ["init"]);
      expect(code).toBe(1);
      expect(stderr).toContain(`FILE_IN_THE_WAY: `);
      expect(stderr).toContain(path.replace(/\/.*/, ""));
      expect(stderr).toMatch(/ hint .*mcpfs init mcp/);
      expect(readTree(root)).toEqual(before);
      expect(existsSync(join(root, "mcpfs.json")) || existsSync(join(root, ".mcpfs"))).toBe(false);
      // What it offers works.
      expect(await runMain(root, ["init", "mcp"])).toMatchObject({ code: 0 });
    },
  );

  test("makes a workspace that is true at once, and a second time changes nothing", async () => {
    expect(await runMain(root, ["init"])).toMatchObject({ code: 0 });
    const before = readTree(root);
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining(["AGENTS.md", "client.ts", "servers/README.md", "tsconfig.json"]),
    );
    expect(await runMain(root, ["sync", "--check"])).toMatchObject({ code: 0 });
    expect(await runMain(root, ["--json", "init"])).toMatchObject({
      stdout: expect.stringContaining('"changed":false'),
    });
    expect(readTree(root)).toEqual(before);
    expect(await runMain(root, ["exec", "-"], { stdin: "return 6 * 7" })).toMatchObject({ stdout: "42\n" });
  });

  test("makes the files folder, which the template's own example needs; a clone gets it with its first server", async () => {
    expect(await runMain(root, ["init"])).toMatchObject({ code: 0 });
    const example = /^ *\/\/ ("files": \{[\s\S]*?\/\/ \})/m.exec(read("mcpfs.json"))?.[1] ?? "";
    const { files } = JSON.parse(`{${example.replaceAll("//", "")}}`);
    expect(files.args).toEqual(["-y", "@modelcontextprotocol/server-filesystem", "./workspace"]);
    writeFiles(root, { "mcpfs.json": { mcpServers: { files: real.filesystem("./workspace") } } });
    expect(await runMain(root, ["sync"])).toMatchObject({ code: 0 });
    rmSync(join(root, "workspace"), { recursive: true });
    expect(await runMain(root, ["sync"])).toMatchObject({ code: 0 });
    writeFiles(root, { "workspace/a.txt": "kept" });
    expect(await runMain(root, ["init"])).toMatchObject({ code: 0 });
    expect(read("workspace/a.txt")).toBe("kept");
  });

  test("takes a config that is there as it is", async () => {
    writeFileSync(join(root, "mcpfs.json"), CONFIG);
    expect(await runMain(root, ["init"])).toMatchObject({ code: 0 });
    expect(read("mcpfs.json")).toBe(CONFIG);
  });

  test("-C names the folder, and a folder name is relative to it", async () => {
    expect(await runMain("/", ["-C", root, "init", "inner"])).toMatchObject({ code: 0 });
    expect(existsSync(join(root, "inner/mcpfs.json"))).toBe(true);
  });
});

test("a config that cannot be read: file, line and column, exit code 3, and the tree stays", async () => {
  writeFileSync(join(root, "mcpfs.json"), '{\n  "mcpServers": {\n    "a": [}\n  }\n}\n');
  for (const words of [["ls"], ["sync"], ["exec", "-"], ["add", "x", "--builtin", "docs"]]) {
    const { code, stdout, stderr } = await runMain(root, words);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(/^error CONFIG_INVALID: .*mcpfs\.json:3:11: /);
  }
});
