import { describe, expect, test } from "vitest";
import { parse, server } from "./parse.ts";

// M1
describe("a program is started as each client writes it", () => {
  test.each([
    [
      "Claude Desktop",
      { command: "npx", args: ["-y", "pkg"], env: { K: "v" } },
      "npx",
      ["-y", "pkg"],
      { K: "v" },
    ],
    ["type stdio", { type: "stdio", command: "node" }, "node", [], {}],
    ["transport stdio", { transport: "stdio", command: "node" }, "node", [], {}],
    [
      "opencode",
      { type: "local", command: ["node", "s.mjs"], environment: { KEY: "v" } },
      "node",
      ["s.mjs"],
      { KEY: "v" },
    ],
    ["a list and args", { command: ["node", "s.mjs"], args: ["-v"] }, "node", ["s.mjs", "-v"], {}],
    [
      "env over environment",
      { command: "node", environment: { A: "1", B: "2" }, env: { B: "3" } },
      "node",
      [],
      { A: "1", B: "3" },
    ],
    [
      "numbers and booleans",
      {
        command: "node",
        args: ["s.mjs", 3000, true, 12345678901234567890n],
        env: { PORT: 8080, DEBUG: false },
      },
      "node",
      ["s.mjs", "3000", "true", "12345678901234567890"],
      { PORT: "8080", DEBUG: "false" },
    ],
    [
      "a whole command line",
      { command: 'node srv.mjs --flag \'a b\' "c d" x="y z"' },
      "node",
      ["srv.mjs", "--flag", "a b", "c d", "x=y z"],
      {},
    ],
    [
      "a command line before args",
      { command: "npx -y pkg", args: ["--port", 1] },
      "npx",
      ["-y", "pkg", "--port", "1"],
      {},
    ],
    ["a list keeps spaces", { command: ["My Server"] }, "My Server", [], {}],
    [
      "home",
      { command: "~/bin/srv", args: ["~/data", "~", "a~/b", "--x=~/y"] },
      "/home/ann/bin/srv",
      ["/home/ann/data", "~", "a~/b", "--x=~/y"],
      {},
    ],
    [
      "a relative program",
      { command: "./tools/run.sh", args: ["./data"] },
      "/w/tools/run.sh",
      ["./data"],
      {},
    ],
    ["a program in a folder", { command: "tools/run.sh" }, "/w/tools/run.sh", [], {}],
    ["an absolute program", { command: "/usr/bin/node" }, "/usr/bin/node", [], {}],
    ["another user's home is no variable", { command: "node", args: ["~bob/x"] }, "node", ["~bob/x"], {}],
  ])("%s", (_what, entry, command, args, env) => {
    const text = JSON.stringify({ mcpServers: { x: entry } }, (_key, value) =>
      typeof value === "bigint" ? `BIG${value}` : value,
    ).replace(/"BIG(\d+)"/, "$1");
    const [found] = parse(text).servers;
    expect(found?.problem).toBeUndefined();
    expect(found?.transport).toEqual({ kind: "stdio", command, args, env, cwd: "/w" });
  });

  test.each([
    [undefined, "/w"],
    ["./sub", "/w/sub"],
    ["sub/../other", "/w/other"],
    ["/abs", "/abs"],
    ["~", "/home/ann"],
    ["~/x", "/home/ann/x"],
    ["..", "/"],
  ])("the folder %j is %j, relative to the config file", (cwd, want) => {
    expect(server({ command: "node", cwd }).transport).toMatchObject({ cwd: want });
  });

  test.each([
    ["node", "node"],
    [".\\tools\\run.cmd", "C:\\w\\tools\\run.cmd"],
    ["tools/run.cmd", "C:\\w\\tools\\run.cmd"],
    ["C:\\Program Files\\nodejs\\node.exe", "C:\\Program Files\\nodejs\\node.exe"],
    ["~\\bin\\srv.exe", "C:\\Users\\ann\\bin\\srv.exe"],
  ])("on Windows the program %s is %s", (command, want) => {
    const { transport, problem } = server({ command }, { platform: "win32" });
    expect(problem).toBeUndefined();
    expect(transport).toMatchObject({ command: want, args: [], cwd: "C:\\w" });
  });
});

describe("a server on the network", () => {
  const url = "https://h.example/mcp";
  test.each([
    [{ url }, "http"],
    [{ url, type: "http" }, "http"],
    [{ url, type: "streamable-http" }, "http"],
    [{ url, type: "streamableHttp" }, "http"],
    [{ url, type: "remote" }, "http"],
    [{ url, transport: "streamable-http" }, "http"],
    [{ url, type: "sse" }, "sse"],
    [{ url, transport: "sse" }, "sse"],
  ])("%j is reached by %s", (entry, kind) => {
    const found = server(entry);
    expect(found.problem).toBeUndefined();
    expect(found.transport).toEqual({ kind, url, headers: {} });
  });

  test("headers become text", () => {
    expect(server({ url, headers: { "X-Version": 2, "X-On": true } }).transport).toMatchObject({
      headers: { "X-Version": "2", "X-On": "true" },
    });
  });
});

test("a built-in server is named by one word", () => {
  expect(server({ builtin: "docs" }).transport).toEqual({ kind: "builtin", name: "docs" });
  expect(server({ builtin: "crm" }).transport).toEqual({ kind: "builtin", name: "crm" });
});

describe("the rest of an entry", () => {
  test("has defaults", () => {
    expect(server({ command: "node" })).toMatchObject({
      isEnabled: true,
      purpose: "",
      timeoutMs: 60_000,
      protocol: "auto",
      problem: undefined,
    });
  });

  test("is read", () => {
    expect(
      server({
        command: "node",
        purpose: "Finds\n  things",
        timeoutMs: 5,
        protocol: "legacy",
        enabled: true,
      }),
    ).toMatchObject({ purpose: "Finds things", timeoutMs: 5, protocol: "legacy", isEnabled: true });
    expect(server({ command: "node", description: "Other word" }).purpose).toBe("Other word");
  });

  test.each([
    [{}, true],
    [{ enabled: false }, false],
    [{ disabled: true }, false],
    [{ enabled: true, disabled: true }, false],
    [{ enabled: true, disabled: false }, true],
  ])("%j is on: %j", (flags, want) => {
    expect(server({ command: "node", ...flags }).isEnabled).toBe(want);
  });
});

describe("the bug bank's mixed files", () => {
  test("VS Code's file: both servers are found, and the input comes from the environment", () => {
    const text = `{
  // asked for once
  "inputs": [{ "type": "promptString", "id": "search-key", "password": true }],
  "servers": {
    "Search": { "type": "stdio", "command": "node", "args": ["s.mjs"], "env": { "KEY": "\${input:search-key}" }, "envFile": "\${workspaceFolder}/.env" },
    "Hub": { "url": "http://127.0.0.1:8080/mcp" },
  }
}`;
    const files = {
      envFile: (path: string) => ({ kind: "ok" as const, value: { FROM: path, KEY: "file" } }),
    };
    const [hub, search] = parse(text, { env: { SEARCH_KEY: "k-123456" }, files }).servers;
    expect(hub).toMatchObject({ name: "Hub", problem: undefined, transport: { kind: "http" } });
    expect(search).toMatchObject({
      problem: undefined,
      transport: { env: { FROM: "/w/.env", KEY: "k-123456" } },
    });
    expect(search?.secrets).toContain("k-123456");
    const [hubToo, broken] = parse(text, { files }).servers;
    expect(hubToo?.problem).toBeUndefined();
    expect(broken?.problem?.message).toContain("the environment variable SEARCH_KEY is not set");
  });
});
