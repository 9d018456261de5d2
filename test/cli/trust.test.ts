import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { readServerLog, scripted, temporaryFolder } from "../servers/servers.ts";
import { type CliOptions, type CliResult, runCli as runTrusting, writeFiles } from "./run-cli.ts";

/** As a user does who has approved nothing but what the test says. */
async function runCli(folder: string, args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return await runTrusting(folder, args, { ...options, trusts: false });
}

async function jsonOf(folder: string, args: readonly string[], options: CliOptions = {}): Promise<any> {
  return JSON.parse((await runCli(folder, ["--json", ...args], options)).stdout);
}

const tools = [{ name: "get", description: "Gets.", inputSchema: { type: "object" } }];

/** A workspace as a clone brings it: nobody has approved anything. */
function clone(folder: string, mcpServers: Readonly<Record<string, unknown>>): void {
  writeFiles(folder, { "mcpfs.json": { mcpServers } });
}

/** A "server" that only leaves a file where it ran. */
function trap(folder: string, name = "PWNED"): unknown {
  return {
    command: process.execPath,
    args: ["-e", `require("node:fs").writeFileSync(${JSON.stringify(join(folder, name))}, "1")`],
  };
}

describe("a config that this user has not approved starts nothing", () => {
  test("whatever is run; commands that start nothing work", async () => {
    using folder = temporaryFolder();
    clone(folder.path, { lint: trap(folder.path) });
    writeFiles(folder.path, {
      "a.ts": "export default 1;",
      "b.ts": 'import { x } from "./servers/lint"; await x();',
    });
    for (const args of [
      ["ls"],
      ["--help"],
      ["search", "lint"],
      ["skills", "list"],
      ["servers", "search"],
      ["sync", "--offline"],
      ["exec", "a.ts"],
    ])
      expect((await runCli(folder.path, args)).code, args.join(" ")).toBe(0);
    const synced = await jsonOf(folder.path, ["sync"]);
    expect(synced.servers[0]).toMatchObject({ status: "failed", error: { code: "UNTRUSTED" } });
    expect(synced.servers[0].error.hint).toContain("mcpfs trust");
    expect((await runCli(folder.path, ["sync"])).code).toBe(3);
    expect((await runCli(folder.path, ["trust"])).code).toBe(3);
    expect(await jsonOf(folder.path, ["trust"])).toMatchObject({
      servers: [{ name: "lint", trusted: false }],
    });
    expect(existsSync(join(folder.path, "PWNED"))).toBe(false);
    await runCli(folder.path, ["trust", "--yes"]);
    await runCli(folder.path, ["sync"]);
    expect(existsSync(join(folder.path, "PWNED"))).toBe(true);
  });

  test("and costs no server that is approved", async () => {
    using folder = temporaryFolder();
    clone(folder.path, { good: scripted({ tools }) });
    await runCli(folder.path, ["trust", "--yes"]);
    clone(folder.path, { good: scripted({ tools }), lint: trap(folder.path) });
    const { servers } = await jsonOf(folder.path, ["sync"]);
    expect(servers).toMatchObject([
      { name: "good", status: "ok", tools: 1 },
      { name: "lint", status: "failed" },
    ]);
    expect(existsSync(join(folder.path, "PWNED"))).toBe(false);
  });

  test("an approval of a folder does not count for its copy", async () => {
    using folder = temporaryFolder();
    const [one, two] = [join(folder.path, "one"), join(folder.path, "two")];
    const env = { MCPFS_HOME: join(folder.path, "home") };
    for (const root of [one, two]) {
      mkdirSync(root);
      clone(root, { crm: scripted({ tools }) });
    }
    await runCli(one, ["trust", "--yes"], { env });
    expect((await runCli(one, ["sync"], { env })).code).toBe(0);
    expect((await runCli(two, ["sync"], { env })).code).toBe(3);
  });
});

describe("add, init and demo", () => {
  test("trust what they write, and no other server", async () => {
    using folder = temporaryFolder();
    expect((await runCli(folder.path, ["init"])).code).toBe(0);
    clone(folder.path, { lint: trap(folder.path) });
    const { command, args } = scripted({ tools });
    expect((await runCli(folder.path, ["add", "crm", "--", command, ...args])).code).toBe(0);
    const { servers } = await jsonOf(folder.path, ["trust"]);
    expect(servers).toMatchObject([
      { name: "crm", trusted: true },
      { name: "lint", trusted: false },
    ]);
  });

  test("a built-in server needs no approval", async () => {
    using folder = temporaryFolder();
    clone(folder.path, { docs: { builtin: "docs" } });
    expect((await runCli(folder.path, ["sync"])).code).toBe(0);
    expect(await jsonOf(folder.path, ["trust"])).toMatchObject({ servers: [] });
  });
});

describe("MCPFS_TRUST", () => {
  test("trusts the config of its digest, for that process; the digest is the same in every folder", async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    for (const root of [folder.path, elsewhere.path]) clone(root, { crm: scripted({ tools }) });
    const { digest } = await jsonOf(elsewhere.path, ["trust"]);
    const env = { MCPFS_TRUST: digest };
    expect((await runCli(folder.path, ["sync"], { env })).code).toBe(0);
    expect((await runCli(folder.path, ["sync"])).code).toBe(3);
    clone(folder.path, { crm: scripted({ tools }), lint: trap(folder.path) });
    expect((await runCli(folder.path, ["sync"], { env })).code).toBe(3);
    expect(existsSync(join(folder.path, "PWNED"))).toBe(false);
  });

  test("does not cover a policy that lets out more than the one it was made of", async () => {
    using folder = temporaryFolder();
    clone(folder.path, { crm: scripted({ tools }) });
    const { digest } = await jsonOf(folder.path, ["trust"]);
    const env = { MCPFS_TRUST: digest };
    const config = JSON.parse(readFileSync(join(folder.path, "mcpfs.json"), "utf8"));
    writeFiles(folder.path, { "mcpfs.json": JSON.stringify({ ...config, policy: "open" }) });
    const { stderr } = await runCli(folder.path, ["sync"], { env });
    expect(stderr).toContain("UNTRUSTED");
    expect(stderr).toContain("MCPFS_TRUST is not the digest of this mcpfs.json");
  });
});

describe("a rename module is code of the workspace", () => {
  test("it runs only when approved, again when its text changes, and names stay meanwhile", async () => {
    using folder = temporaryFolder();
    const module = (mark: string): string =>
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(folder.path)} + "/${mark}", "1"); export default (name) => "my_" + name;`;
    writeFiles(folder.path, { "rename.mjs": module("RAN") });
    clone(folder.path, { crm: { ...scripted({ tools }), tools: { rename: "./rename.mjs" } } });
    const has = (path: string): boolean => existsSync(join(folder.path, path));
    await runCli(folder.path, ["ls"]);
    await runCli(folder.path, ["sync"]);
    expect(has("RAN")).toBe(false);
    await runCli(folder.path, ["trust", "--yes"]);
    expect((await runCli(folder.path, ["sync"])).code).toBe(0);
    expect(has("RAN") && has("servers/crm/myGet.ts")).toBe(true);
    writeFiles(folder.path, { "rename.mjs": module("AGAIN") });
    expect((await jsonOf(folder.path, ["sync"])).servers[0].error.code).toBe("UNTRUSTED");
    await runCli(folder.path, ["sync", "--offline"]);
    expect([has("AGAIN"), has("servers/crm/myGet.ts"), has("servers/crm/get.ts")]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe("the file of approvals", () => {
  test("lies outside of the workspace and is its user's alone", async () => {
    using folder = temporaryFolder();
    const home = join(folder.path, "config");
    const root = join(folder.path, "workspace");
    mkdirSync(root);
    clone(root, { crm: scripted({ tools }) });
    await runCli(root, ["trust", "--yes"], { env: { MCPFS_HOME: "", XDG_CONFIG_HOME: home } });
    const path = join(home, "mcpfs", "trust.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toContain(JSON.stringify(root));
  });

  test.each([
    ["is cut off", '{"version": 1, "workspaces": {'],
    ["holds something else", "[]"],
    ["is of another version", '{"version": 2, "workspaces": {}}'],
  ])("that %s trusts nothing, and is not written over", async (_what, text) => {
    using folder = temporaryFolder();
    clone(folder.path, { lint: trap(folder.path) });
    writeFiles(folder.path, { ".mcpfs/home/trust.json": text });
    const { servers } = await jsonOf(folder.path, ["sync"]);
    expect(servers).toMatchObject([{ error: { code: "CONFIG_INVALID" } }]);
    expect(await jsonOf(folder.path, ["trust", "--yes"])).toMatchObject({
      error: { code: "CONFIG_INVALID" },
    });
    expect(readFileSync(join(folder.path, ".mcpfs/home/trust.json"), "utf8")).toBe(text);
    expect((await runCli(folder.path, ["ls"])).code).toBe(0);
    expect(existsSync(join(folder.path, "PWNED"))).toBe(false);
  });

  test("keeps what several processes add at once", async () => {
    using folder = temporaryFolder();
    const env = { MCPFS_HOME: join(folder.path, "home") };
    const roots = Array.from({ length: 4 }, (_, at) => join(folder.path, `w${at}`));
    for (const root of roots)
      writeFiles(root, { "mcpfs.json": { mcpServers: { crm: scripted({ tools }) } } });
    await Promise.all(roots.map((root) => runCli(root, ["trust", "--yes"], { env })));
    for (const root of roots)
      expect(await jsonOf(root, ["trust"], { env })).toMatchObject({ servers: [{ trusted: true }] });
  });
});

/** Runs a command in this process, with a person at a terminal who types `answer`. */
async function atTerminal(
  folder: string,
  args: readonly string[],
  answer: string,
): Promise<{ readonly code: number; readonly shown: string }> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let shown = "";
  stderr.on("data", (text) => {
    shown += String(text);
    if (shown.includes("[y/N]") && !stdin.writableEnded) stdin.end(`${answer}\n`);
  });
  const code = await main(args, {
    stdin,
    stdout,
    stderr,
    env: { PATH: process.env.PATH, MCPFS_HOME: join(folder, ".mcpfs/home"), NO_COLOR: "1" },
    cwd: folder,
    platform: process.platform,
    homeDir: folder,
    isTerminal: true,
    isOutputTerminal: true,
    signal: new AbortController().signal,
  });
  return { code, shown };
}

describe("a person at a terminal", () => {
  test("is shown what would start, secrets hidden and nothing cut, and is asked once", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    const { command, args } = scripted({ tools }, log);
    const env = { SCRIPTED_LOG: log };
    clone(folder.path, {
      crm: { command, args: [...args, "--token", "s3cret-value", "\u001b[2Kharmless"], env },
    });
    const no = await atTerminal(folder.path, ["sync"], "n");
    expect(no.code).toBe(3);
    expect(no.shown).toContain("scripted.mjs");
    expect(no.shown).toContain("--token [hidden]");
    expect(no.shown).toContain("harmless");
    expect(no.shown).not.toMatch(/s3cret-value|\u001b\[2K/);
    expect(readServerLog(log)).toEqual([]);
    const yes = await atTerminal(folder.path, ["sync"], "y");
    expect(yes.code).toBe(0);
    const again = await atTerminal(folder.path, ["sync"], "n");
    expect(again).toMatchObject({ code: 0 });
    expect(again.shown).not.toContain("[y/N]");
  });

  test("sees the name of a server as one word, whatever it is made of", async () => {
    using folder = temporaryFolder();
    const forged = "\u001b[1A\u001b[2K  lint  node ./lint.mjs";
    clone(folder.path, { [forged]: trap(folder.path), "lint  node ./lint.mjs": trap(folder.path) });
    const { shown } = await atTerminal(folder.path, ["sync"], "n");
    expect(shown).not.toMatch(/\u001b\[1A|\u001b\[2K/);
    const lines = shown.split("\n").filter((line) => line.includes("PWNED"));
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}"\\u001b\[1A\\u001b\[2K {2}lint {2}node \.\/lint\.mjs" {2}\S*node/),
      expect.stringMatching(/^ {2}"lint {2}node \.\/lint\.mjs" {2}\S*node/),
    ]);
    expect(existsSync(join(folder.path, "PWNED"))).toBe(false);
  });

  test.each<[string, unknown, RegExp | undefined]>([
    ["open", "open", /Its policy is "open": nobody is asked before a call\./],
    [
      "a rule that allows",
      { rules: [{ tool: "x", permission: "allow" }] },
      /Its policy has 1 rule by which calls go out/,
    ],
    ["strict", "strict", undefined],
  ])("is told what the config lets out unasked: %s", async (_name, policy, want) => {
    using folder = temporaryFolder();
    writeFiles(folder.path, { "mcpfs.json": { policy, mcpServers: { lint: trap(folder.path) } } });
    const { shown } = await atTerminal(folder.path, ["sync"], "n");
    if (want === undefined) expect(shown).not.toContain("Its policy");
    else expect(shown).toMatch(want);
    expect(existsSync(join(folder.path, "PWNED"))).toBe(false);
  });

  test("is not asked by a command that starts nothing, nor where a program reads the answer", async () => {
    using folder = temporaryFolder();
    clone(folder.path, { lint: trap(folder.path) });
    for (const args of [["ls"], ["sync", "--offline"], ["--json", "sync"]])
      expect((await atTerminal(folder.path, args, "y")).shown).not.toContain("[y/N]");
    expect(existsSync(join(folder.path, "PWNED"))).toBe(false);
  });
});

// M19
describe("a policy that lets out more than the one that was trusted is put to the user again", () => {
  const write = (folder: string, policy: unknown): void =>
    writeFiles(folder, { "mcpfs.json": { policy, mcpServers: { crm: scripted({ tools }) } } });
  const denies = { rules: [{ tool: "get", permission: "deny", reason: "Not from here." }] };
  const allows = { preset: "strict", rules: [{ tool: "get", permission: "allow" }] };

  test("until then what it lets out more is asked about; with a word it counts", async () => {
    using folder = temporaryFolder();
    write(folder.path, { preset: "strict" });
    await runCli(folder.path, ["trust", "--yes"]);
    await runCli(folder.path, ["sync"]);
    write(folder.path, allows);
    expect(await runCli(folder.path, ["call", "crm/get"])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('until "mcpfs trust"'),
    });
    expect(await jsonOf(folder.path, ["policy", "explain", "crm/get"])).toMatchObject({
      permission: "ask",
      policyTrusted: false,
      reason: expect.stringContaining("lets out more than what you have trusted"),
    });
    const listed = async (): Promise<unknown> => (await jsonOf(folder.path, ["ls"]))[0].permission;
    expect(await listed()).toBe("ask");
    const shown = await runCli(folder.path, ["trust"]);
    expect(shown.code).toBe(3);
    expect(shown.stderr).toContain("1 rule by which calls go out without asking");
    expect(await jsonOf(folder.path, ["trust"])).toMatchObject({ policyTrusted: false });
    expect(await jsonOf(folder.path, ["trust", "--yes"])).toMatchObject({ policyTrusted: true });
    expect((await runCli(folder.path, ["call", "crm/get"])).code).toBe(0);
    expect(await listed()).toBe("allow");
    write(folder.path, "open");
    expect((await runCli(folder.path, ["call", "crm/get"])).code).toBe(4);
  });

  test("also where a rule that denied is gone, and never where one is added", async () => {
    using folder = temporaryFolder();
    write(folder.path, { preset: "open" });
    await runCli(folder.path, ["trust", "--yes"]);
    await runCli(folder.path, ["sync"]);
    write(folder.path, { preset: "open", ...denies });
    expect(await jsonOf(folder.path, ["trust"])).toMatchObject({ policyTrusted: true });
    expect((await runCli(folder.path, ["call", "crm/get"])).code).toBe(1);

    using other = temporaryFolder();
    write(other.path, { preset: "open", ...denies });
    await runCli(other.path, ["trust", "--yes"]);
    await runCli(other.path, ["sync"]);
    write(other.path, "open");
    expect((await runCli(other.path, ["call", "crm/get"])).code).toBe(4);
  });

  test("approving another server does not approve it", async () => {
    using folder = temporaryFolder();
    write(folder.path, { preset: "strict" });
    await runCli(folder.path, ["trust", "--yes"]);
    await runCli(folder.path, ["sync"]);
    write(folder.path, "open");
    await runCli(folder.path, ["add", "more", "--", process.execPath, "--version"]);
    expect(await jsonOf(folder.path, ["trust"])).toMatchObject({ policyTrusted: false });
  });
});
