import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "jsonc-parser";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MCP_CLIENTS } from "../../src/config/clients/mcp-clients.ts";
import { packageFile } from "../../src/kernel/paths.ts";
import { jsonOf, runCli, writeFiles } from "../cli/run-cli.ts";
import { temporaryFolder } from "../servers/servers.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  writeFiles(folder.path, { "work/mcpfs.json": { mcpServers: {} } });
});
afterEach(() => folder[Symbol.dispose]());

const work = (): string => join(folder.path, "work");
const home = (): { readonly env: Record<string, string> } => ({ env: { HOME: folder.path } });
const read = (path: string): string => readFileSync(join(folder.path, path), "utf8");
function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder.path, path)), { recursive: true });
  writeFileSync(join(folder.path, path), text);
}
const starts = (): object => ({
  command: process.execPath,
  args: [packageFile("dist/cli.js"), "-C", work(), "serve"],
});

describe("the config of a client", () => {
  test.each([...MCP_CLIENTS.keys()])(
    "of %s is made, holds what starts this workspace, and is as before when it is taken out",
    async (client) => {
      const made = await jsonOf(work(), ["install", "--client", client, "--yes"], home());
      expect(made).toMatchObject({ client, changed: true, backup: null });
      expect(made.path.startsWith(folder.path)).toBe(true);
      const text = readFileSync(made.path, "utf8");
      for (const part of [packageFile("dist/cli.js"), work(), "serve"])
        expect(text).toContain(JSON.stringify(part));
      expect(await jsonOf(work(), ["install", "--client", client, "--yes"], home())).toMatchObject({
        changed: false,
      });
      const gone = await jsonOf(work(), ["uninstall", "--client", client, "--yes"], home());
      expect(gone).toMatchObject({ changed: true });
      expect(readFileSync(made.path, "utf8")).not.toContain("mcpfs");
      expect(readFileSync(gone.backup, "utf8")).toBe(text);
    },
  );

  test("keeps its comments, its other servers and its form; what was there is kept", async () => {
    const before = `{
\t// my servers
\t"mcpServers": {
\t\t"git": { "command": "git-mcp" }, // good one
\t},
\t"other": [1,2]
}
`;
    write(".cursor/mcp.json", before);
    const { backup } = await jsonOf(work(), ["install", "--client", "cursor", "--yes"], home());
    const after = read(".cursor/mcp.json");
    expect(parse(after, [], { allowTrailingComma: true })).toEqual({
      mcpServers: { git: { command: "git-mcp" }, mcpfs: starts() },
      other: [1, 2],
    });
    expect(after).toContain("// my servers");
    expect(after).toContain("// good one");
    expect(after).toContain('\n\t\t"mcpfs": {\n\t\t\t"command"');
    expect(readFileSync(backup, "utf8")).toBe(before);
    await runCli(work(), ["uninstall", "--client", "cursor", "--yes"], home());
    expect(read(".cursor/mcp.json")).toBe(before);
  });

  test("another entry of the same name is replaced, and a second backup does not cost the first", async () => {
    write(".cursor/mcp.json", '{"mcpServers":{"mcpfs":{"command":"old"},"z":{"command":"z"}}}');
    const first = await jsonOf(work(), ["install", "--client", "cursor", "--yes"], home());
    expect(JSON.parse(read(".cursor/mcp.json")).mcpServers).toEqual({ mcpfs: starts(), z: { command: "z" } });
    const second = await jsonOf(work(), ["uninstall", "--client", "cursor", "--yes"], home());
    expect(second.backup).not.toBe(first.backup);
    expect(readFileSync(first.backup, "utf8")).toContain('"old"');
  });

  test("TOML keeps its comments and other tables, the subtables of ours go with it", async () => {
    const before = `model = "gpt" # mine

[mcp_servers.git]
command = "git-mcp"

[mcp_servers.mcpfs]
command = "old"
[mcp_servers.mcpfs.env]
A = "1"

[profiles.x]
model = "y"
`;
    write(".codex/config.toml", before);
    await runCli(work(), ["install", "--client", "codex", "--yes"], home());
    const after = read(".codex/config.toml");
    expect(after).toContain('model = "gpt" # mine');
    expect(after).toContain('[mcp_servers.git]\ncommand = "git-mcp"');
    expect(after).toContain('[profiles.x]\nmodel = "y"');
    expect(after).not.toContain("old");
    expect(after).not.toContain("mcpfs.env");
    expect(after).toContain(`[mcp_servers.mcpfs]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [`);
  });

  test("servers in another form of TOML are left alone", async () => {
    const before = 'mcp_servers = { git = { command = "x" } }\n';
    write(".codex/config.toml", before);
    const { code, stderr } = await runCli(work(), ["install", "--client", "codex", "--yes"], home());
    expect(code).toBe(2);
    expect(stderr).toContain("not written as tables");
    expect(read(".codex/config.toml")).toBe(before);
  });

  test("a file that is no JSON object is left alone", async () => {
    write(".cursor/mcp.json", "[1]");
    const { code } = await runCli(work(), ["install", "--client", "cursor", "--yes"], home());
    expect(code).toBe(2);
    expect(read(".cursor/mcp.json")).toBe("[1]");
  });

  test.each([
    ["cursor", ".cursor/mcp.json", "{ broken\n", ":1:3: "],
    ["cursor", ".cursor/mcp.json", '{\n  "mcpServers": {\n    "git": { "command": "g" }\n}\n', ":5:1: "],
    ["cursor", ".cursor/mcp.json", '{ "mcpServers": { "mcpfs": { "command": "g" } }', ":1:48: "],
    ["claude", ".claude.json", '{ "mcpServers": {} } }\n', ":1:22: "],
    ["gemini", ".gemini/settings.json", "{ 'mcpServers': {} }\n", ":1:3: "],
    ["codex", ".codex/config.toml", 'model = "gpt\n', ":1:"],
  ])(
    "a broken config of %s is refused at its place, and left alone: %s %j",
    async (client, path, text, place) => {
      write(path, text);
      for (const word of ["install", "uninstall"]) {
        const { code, stderr } = await runCli(work(), [word, "--client", client, "--yes"], home());
        expect(stderr).toContain(`CONFIG_INVALID: ${join(folder.path, path)}${place}`);
        expect(code).toBe(3);
        expect(read(path)).toBe(text);
      }
    },
  );

  test("a link is followed, and stays one", async () => {
    write("dotfiles/mcp.json", "{}");
    mkdirSync(join(folder.path, ".cursor"));
    symlinkSync("../dotfiles/mcp.json", join(folder.path, ".cursor/mcp.json"));
    await runCli(work(), ["install", "--client", "cursor", "--yes"], home());
    expect(JSON.parse(read("dotfiles/mcp.json")).mcpServers.mcpfs).toEqual(starts());
  });
});

test("what was installed can be taken out when its workspace is gone", async () => {
  await runCli(work(), ["install", "--client", "cursor", "--yes"], home());
  rmSync(join(work(), "mcpfs.json"));
  expect((await runCli(work(), ["uninstall", "--client", "cursor", "--yes"], home())).code).toBe(0);
  expect(read(".cursor/mcp.json")).not.toContain("mcpfs");
  const { code, stderr } = await runCli(work(), ["install", "--client", "cursor", "--yes"], home());
  expect(code).toBe(3);
  expect(stderr).toContain("WORKSPACE_MISSING");
});

test("nothing is written before it was shown and agreed to", async () => {
  const asked = await runCli(work(), ["install", "--client", "cursor"], home());
  expect(asked.code).toBe(2);
  expect(asked.stderr).toContain(join(folder.path, ".cursor/mcp.json"));
  expect(asked.stderr).toContain('"mcpfs": {');
  expect(asked.stderr).toContain("there is nobody to ask");
  const printed = await runCli(work(), ["install", "--client", "vscode", "--project", "--print"], home());
  expect(printed.code).toBe(0);
  expect(printed.stderr).toContain('"servers": {');
  expect(existsSync(join(folder.path, ".cursor"))).toBe(false);
  expect(existsSync(join(work(), ".vscode"))).toBe(false);
});
