import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { makeWorkspace, runCli, writeFiles } from "./run-cli.ts";

describe("a slip on the command line is answered with what was wrong and what to do", () => {
  const folder = temporaryFolder();
  beforeAll(async () => {
    await makeWorkspace(folder.path, {});
    mkdirSync(join(folder.path, "folder.ts"));
    writeFiles(folder.path, { "ok.ts": "export default 1", "nul.ts": "export default 1\0" });
  });
  afterAll(() => folder[Symbol.dispose]());

  test.each<[readonly string[], string, string]>([
    [["frobnicate"], "Unknown command 'frobnicate'.", 'Run "mcpfs --help".'],
    [["exce", "ok.ts"], "Unknown command 'exce'.", "Did you mean exec?"],
    [["ls", "--jsno"], "Unknown option '--jsno'.", "Did you mean --json?"],
    [["skills"], "A command is missing.", 'Run "mcpfs --help", or a command with --help.'],
    [["exec"], "Missing required argument 'script'.", 'Run "mcpfs exec --help".'],
    [
      ["exec", "--timeout", "0", "ok.ts"],
      "Option '--timeout <duration>' argument '0' is invalid. It must be a duration such as 500ms, 60s, 5m, 1h or none, not \"0\".",
      'Run "mcpfs exec --help".',
    ],
    [
      ["exec", "--memory", "1mb", "ok.ts"],
      "A run cannot have 1mb of memory.",
      "Give it between 16mb and 1gb.",
    ],
    [["exec", "none.ts"], "There is no file none.ts.", "Name a .ts or .js file, or - for standard input."],
    [
      ["exec", "folder.ts"],
      "folder.ts is a folder, not a script.",
      "Name a .ts or .js file, or - for standard input.",
    ],
    [
      ["exec", "nul.ts"],
      "nul.ts is not a text file in UTF-8.",
      "Name a .ts or .js file; save it as UTF-8 where an editor wrote another encoding.",
    ],
  ])("mcpfs %j", async (args, message, hint) => {
    const { code, stdout } = await runCli(folder.path, ["--json", ...args]);
    expect(JSON.parse(stdout)).toEqual({ error: { code: "USAGE", message, hint } });
    expect(code).toBe(2);
  });

  test.runIf(process.platform === "linux")("a device that never ends is no script", async () => {
    const { code, stderr } = await runCli(folder.path, ["exec", "/dev/zero"]);
    expect(stderr).toContain("error USAGE: /dev/zero holds more than 64 MiB.");
    expect(code).toBe(2);
  });
});

describe("what stands in the way of mcpfs's own files", () => {
  test.each<[string, (root: string) => void, string, string]>([
    [
      ".mcpfs is a file",
      (root) => writeFiles(root, { ".mcpfs": "" }),
      "DISK_FAILED",
      "something else stands there",
    ],
    [
      "the lock is a folder",
      (root) => mkdirSync(join(root, ".mcpfs/lock"), { recursive: true }),
      "DISK_FAILED",
      "a folder stands where a file is needed",
    ],
    [".mcpfs is a link", (root) => symlinkSync("..", join(root, ".mcpfs")), "FILE_IN_THE_WAY", "is a link"],
    [
      ".mcpfs/runs is a link",
      (root) => {
        mkdirSync(join(root, ".mcpfs"));
        symlinkSync("../..", join(root, ".mcpfs/runs"));
      },
      "FILE_IN_THE_WAY",
      ".mcpfs/runs is a link",
    ],
  ])("%s: named, nothing is written", async (_what, prepare, code, words) => {
    using folder = temporaryFolder();
    const root = join(folder.path, "root");
    writeFiles(root, { "mcpfs.json": { mcpServers: {} } });
    prepare(root);
    const { stdout } = await runCli(root, ["--json", "sync"]);
    const { error } = JSON.parse(stdout);
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(error.hint).not.toBe("");
  });
});

test("a tool that nests without end, in its definition or its answer, costs only itself", async () => {
  using folder = temporaryFolder();
  const deepSchema = `${'{"properties":{"a":'.repeat(3_000)}{}${"}}".repeat(3_000)}`;
  const spec = {
    toolsText: `[{"name":"deep","inputSchema":${deepSchema}},{"name":"get","inputSchema":{"type":"object"}}]`,
    answers: {
      deep: { raw: `{"content":[],"structuredContent":{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}}` },
    },
  };
  // In a file: a config counts brackets in texts too.
  writeFiles(folder.path, {
    "spec.json": spec,
    "args.ts":
      "let a: any = []; for (let i = 0; i < 3000; i += 1) a = [a];\ntry { await odd_get({ a }) } catch (error) { return error.code }",
    "value.ts": "let a: any = []; for (let i = 0; i < 5000; i += 1) a = [a];\nreturn a;",
  });
  const server = scripted({});
  await makeWorkspace(folder.path, {
    odd: { ...server, args: [server.args[0] ?? "", join(folder.path, "spec.json")] },
  });
  const call = await runCli(folder.path, ["call", "odd/deep"]);
  expect(call.stderr).toContain("error LIMIT_RESULT: The answer of odd/deep nests deeper than 1000 levels.");
  expect(call.code).toBe(5);
  expect((await runCli(folder.path, ["call", "odd/get"])).stdout).toBe("get {}\n");
  expect((await runCli(folder.path, ["exec", "args.ts"])).stdout).toBe("LIMIT_ARGUMENTS\n");
  const value = await runCli(folder.path, ["exec", "value.ts"]);
  expect(value.stderr).toContain("error LIMIT_RESULT: The script's value nests deeper than 1000 levels.");
  expect(value.code).toBe(5);
}, 60_000);
