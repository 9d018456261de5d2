import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { type CliResult, runCli, writeFiles } from "./run-cli.ts";
import { atTerminal } from "./terminal.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const at = (path: string): string => join(folder.path, path);
const one = scripted({ tools: [{ name: "one", inputSchema: { type: "object" } }] });
/** A program that leaves a mark when it is started. */
const marking = (): { command: string; args: string[] } => ({
  command: process.execPath,
  args: ["-e", `require("fs").writeFileSync(${JSON.stringify(at("PWNED"))}, "")`],
});

/** Runs a command in `project` as a user whose home is `home`, without a terminal. */
async function run(args: readonly string[], env: Record<string, string> = {}): Promise<CliResult> {
  return await runCli(at("project"), args, {
    trusts: false,
    env: { HOME: at("home"), MCPFS_HOME: at("trust"), ...env },
  });
}

// M1
describe("init --from", () => {
  test("servers of the user's own clients are shown, trusted, and work; their keys stay out of mcpfs.json", async () => {
    writeFiles(folder.path, {
      "project/notes.txt": "mine",
      "home/.cursor/mcp.json": {
        mcpServers: { office: { command: one.command, args: one.args, env: { WORK_TOKEN: "SEKRET-1" } } },
      },
    });
    const made = await run(["init", "--from", "cursor"]);
    expect(made).toMatchObject({ code: 0, stdout: "" });
    expect(made.stderr).toContain(`office  ${one.command} `);
    expect(made.stderr).toContain(`WORK_TOKEN  for office: env.WORK_TOKEN in ${at("home/.cursor/mcp.json")}`);
    const text = readFileSync(at("project/mcpfs.json"), "utf8");
    expect(text).toContain('"WORK_TOKEN": "${WORK_TOKEN}"');
    expect(text + made.stderr).not.toContain("SEKRET");
    expect(text).toContain("// Secrets stay out of this file");
    expect(await run(["sync"])).toMatchObject({ code: 3, stderr: expect.stringContaining("WORK_TOKEN") });
    expect(await run(["sync"], { WORK_TOKEN: "SEKRET-1" })).toMatchObject({ code: 0 });
    expect(existsSync(at("project/servers/office/one.ts"))).toBe(true);
  });

  test("a project's config is shown and not trusted, and nothing of it is started", async () => {
    writeFiles(folder.path, { "project/.vscode/mcp.json": { servers: { lint: marking() } } });
    for (const from of ["vscode", "./.vscode/mcp.json"]) {
      const { code, stderr } = await run(["init", "mcp", "--from", from]);
      expect(code).toBe(0);
      if (from === "vscode") expect(stderr).toMatch(/lint {2}.*writeFileSync[\s\S]*not trusted.*mcpfs trust/);
    }
    expect(await run(["-C", "mcp", "sync"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("UNTRUSTED"),
    });
    expect(existsSync(at("PWNED"))).toBe(false);
  });

  test.each<[string, boolean]>([
    ["y\n", true],
    ["\n", false],
  ])("at a terminal a project's servers are shown and asked about: %j", async (answer, isTrusted) => {
    writeFiles(folder.path, { "project/.vscode/mcp.json": { servers: { lint: marking() } } });
    const { code, screen } = await atTerminal(
      at("project"),
      ["init", "--from", "./.vscode/mcp.json"],
      [["[y/N]", answer]],
    );
    expect(code).toBe(0);
    expect(screen).toMatch(/lint {2}.*writeFileSync[\s\S]*Trust and start\? \[y\/N\]/);
    expect(screen.includes("not trusted, since")).toBe(!isTrusted);
    expect(existsSync(at("PWNED"))).toBe(false);
  });

  test("says as JSON what became of each server and variable; a second time changes nothing", async () => {
    writeFiles(folder.path, {
      "project/.mcp.json": { mcpServers: { team: { url: "https://h.example/mcp?key=SEKRET" } } },
      "home/.codex/config.toml": `[mcp_servers.own]\ncommand = "own"\n[mcp_servers.bad]\nargs = ["x"]\n[mcp_servers.team]\ncommand = "other"\n`,
    });
    const { code, stdout } = await run(["--json", "init", "--from", "claude", "--from", "codex"]);
    expect(code).toBe(1);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      path: at("project"),
      changed: true,
      servers: [
        { name: "team", from: at("project/.mcp.json"), status: "added", reason: null, trusted: false },
        { name: "own", status: "added", starts: "own", trusted: true },
        {
          name: "bad",
          status: "faulty",
          reason: expect.stringContaining("config.toml:3:1: mcp_servers.bad"),
          starts: null,
          trusted: false,
        },
        { name: "team", status: "left-out", reason: expect.stringContaining("differs") },
      ],
      variables: [
        { name: "TEAM_KEY", server: "team", source: `url in ${at("project/.mcp.json")}`, set: false },
      ],
      warnings: [],
    });
    expect(stdout).not.toContain("SEKRET");
    const before = readFileSync(at("project/mcpfs.json"), "utf8");
    const again = JSON.parse((await run(["--json", "init", "--from", "claude,codex"])).stdout);
    expect(again).toMatchObject({ changed: false, variables: [] });
    expect(readFileSync(at("project/mcpfs.json"), "utf8")).toBe(before);
  });

  test("adds to a workspace that is there, comments kept", async () => {
    writeFiles(folder.path, {
      "project/mcpfs.json":
        '{\n  // mine\n  "mcpServers": {\n    "docs": { "builtin": "docs" }, // theirs\n  },\n}\n',
      "home/.cursor/mcp.json": { mcpServers: { a: { command: "a" }, docs: { command: "b" } } },
    });
    expect(await run(["init", "--from", "cursor"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("docs of"),
    });
    const text = readFileSync(at("project/mcpfs.json"), "utf8");
    expect(text).toMatch(/\/\/ mine[\s\S]*"builtin": "docs" \}, \/\/ theirs\n {4}"a": \{/);
  });

  test.each<[string, string, Record<string, unknown>, number, RegExp]>([
    ["a client that is not known", "curser", {}, 2, /USAGE.*curser[\s\S]*Did you mean cursor/],
    ["no words", "cursor,", {}, 2, /USAGE/],
    ["a client without a config", "windsurf", {}, 2, /USAGE: Nothing to import: Windsurf has no config in/],
    ["a file that is not there", "./none.json", {}, 2, /USAGE: There is no file/],
    [
      "JSON that is broken",
      "./a.json",
      { "project/a.json": '{"mcpServers": {' },
      3,
      /CONFIG_INVALID: .*a\.json:1:17: .*expected "}"/,
    ],
    [
      "TOML with a Windows path",
      "./a.toml",
      { "project/a.toml": 'a = "C:\\Users"' },
      3,
      /a\.toml:1:\d+: [\s\S]*use single quotes or double the backslash/,
    ],
    [
      "a folder",
      "./a.json",
      { "project/a.json/x": "" },
      3,
      /CONFIG_INVALID: .*a\.json cannot be read \(EISDIR\)/,
    ],
  ])("%s is refused before anything is written", async (_what, from, files, want, says) => {
    writeFiles(folder.path, { "project/notes.txt": "mine", ...files });
    const { code, stderr } = await run(["init", "mcp", "--from", from]);
    expect(stderr).toMatch(says);
    expect(code).toBe(want);
    expect(existsSync(at("project/mcp"))).toBe(false);
  });
});
