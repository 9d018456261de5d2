import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Log } from "../../src/kernel/log.ts";
import { type CommandSurroundings, findCommand } from "../../src/mcp/command-line.ts";
import { createLineReader } from "../../src/mcp/line-reader.ts";
import { createStrayLines, parseMessages } from "../../src/mcp/messages.ts";
import { createOutputTail } from "../../src/mcp/output-tail.ts";
import { serverEnvironment } from "../../src/mcp/server-environment.ts";
import { serverName } from "./fixtures.ts";

describe("the line reader", () => {
  test("gives the same lines however the bytes are cut", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n]/g, ""));
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom("\n", "\r\n"), fc.array(fc.nat(40)), (lines, end, cuts) => {
        const bytes = Buffer.from(lines.map((text) => text + end).join(""));
        const reader = createLineReader(1_000_000);
        const got: string[] = [];
        let from = 0;
        for (const length of cuts) {
          got.push(...(reader.push(bytes.subarray(from, from + length)) ?? []));
          from += length;
        }
        got.push(...(reader.push(bytes.subarray(Math.min(from, bytes.length))) ?? []));
        expect(got).toEqual(lines);
      }),
    );
  });

  test("refuses a line beyond its limit, complete or not", () => {
    expect(createLineReader(4).push(Buffer.from("1234\n"))).toEqual(["1234"]);
    expect(createLineReader(4).push(Buffer.from("12345\n"))).toBeUndefined();
    const reader = createLineReader(4);
    expect(reader.push(Buffer.from("123"))).toEqual([]);
    expect(reader.push(Buffer.from("45"))).toBeUndefined();
  });
});

describe("the output tail", () => {
  test("keeps the end, in bounded memory, and starts with a whole character", () => {
    const tail = createOutputTail(8);
    for (let part = 0; part < 1_000; part += 1) tail.push(Buffer.from(`${part};`));
    expect(tail.text()).toBe("998;999;");
    tail.push(Buffer.from("🎛🎛🎛x"));
    expect(tail.text()).toBe("🎛x");
  });
});

describe("a line on stdout", () => {
  test.each([
    ["", []],
    ["  \uFEFF", []],
    ["\uFEFF", []],
    ['\uFEFF{"jsonrpc":"2.0","id":1}', [{ jsonrpc: "2.0", id: 1 }]],
    [
      '[{"jsonrpc":"2.0","id":1},{"jsonrpc":"2.0","id":2}]',
      [
        { jsonrpc: "2.0", id: 1 },
        { jsonrpc: "2.0", id: 2 },
      ],
    ],
    [
      '{"jsonrpc":"2.0","id":1,"result":12345678901234567890}',
      [{ jsonrpc: "2.0", id: 1, result: 12345678901234567890n }],
    ],
    ["Listening on port 3000", undefined],
    ['{"level":"info"}', undefined],
    ["{broken", undefined],
    ["42", undefined],
  ])("%s is read as it should be", (line, want) => {
    expect(parseMessages(line)).toEqual(want);
  });

  test("that is no message is warned of once and made visible", () => {
    const warnings: string[] = [];
    const log: Log = { debug: () => {}, info: () => {}, warn: (message) => void warnings.push(message) };
    const stray = createStrayLines(serverName("s"), log);
    for (let line = 0; line < 50; line += 1) stray.push(`\u001b[2J${line}`);
    stray.flush();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).not.toContain("\u001b");
  });
});

describe("the environment of a server", () => {
  const host = {
    PATH: "/bin",
    HOME: "/h",
    LC_ALL: "C",
    XDG_CACHE_HOME: "/c",
    https_proxy: "p",
    NODE_EXTRA_CA_CERTS: "/ca",
    OTHER_TOKEN: "t",
    BASH_FUNC: "() { :; }",
  };

  test("is the safe part of the host's and its own, which wins", () => {
    const { OTHER_TOKEN: _token, BASH_FUNC: _function, ...safe } = host;
    expect(serverEnvironment("linux", host, { API_KEY: "k", HOME: "/own" })).toEqual({
      ...safe,
      HOME: "/own",
      API_KEY: "k",
    });
  });

  test("on Windows holds what programs need there, each name in one spelling", () => {
    const windows = {
      Path: "C:\\bin",
      PATHEXT: ".EXE",
      SystemRoot: "C:\\Windows",
      "ProgramFiles(x86)": "C:\\P",
      SECRET: "s",
    };
    expect(serverEnvironment("win32", windows, { PATH: "D:\\own" })).toEqual({
      PATH: "D:\\own",
      PATHEXT: ".EXE",
      SystemRoot: "C:\\Windows",
      "ProgramFiles(x86)": "C:\\P",
    });
  });
});

describe("the command of a server", () => {
  const posix = (files: readonly string[]): CommandSurroundings => ({
    platform: "linux",
    environment: { PATH: "/usr/bin:tools" },
    cwd: "/place",
    isExecutable: (path) => files.includes(path),
  });

  test.each([
    ["node", ["/usr/bin/node"], true],
    ["own", ["/place/tools/own"], true],
    ["./server", ["/place/server"], true],
    ["node", ["/place/node"], false],
    ["/opt/x", [], false],
  ])("%s with the files %j is found: %s", (command, files, isFound) => {
    const line = findCommand(command, ["a b"], posix(files));
    expect(line).toEqual(isFound ? { file: command, args: ["a b"], isVerbatim: false } : undefined);
  });

  const windows = (files: readonly string[]): CommandSurroundings => ({
    platform: "win32",
    environment: {
      Path: "C:\\node;C:\\Program Files\\x",
      PATHEXT: ".COM;.EXE;.CMD",
      ComSpec: "C:\\Windows\\System32\\cmd.exe",
    },
    cwd: "C:\\work",
    isExecutable: (path) => files.includes(path),
  });

  test.each([
    ["node", ["C:\\node\\node.exe"], { file: "C:\\node\\node.exe", args: ["a b"], isVerbatim: false }],
    [
      "C:\\node\\node.exe",
      ["C:\\node\\node.exe"],
      { file: "C:\\node\\node.exe", args: ["a b"], isVerbatim: false },
    ],
    [
      "npx",
      ["C:\\node\\npx", "C:\\node\\npx.cmd"],
      {
        file: "C:\\Windows\\System32\\cmd.exe",
        args: ["/d", "/s", "/c", '"C:\\node\\npx.cmd ^^^"a^^^ b^^^""'],
        isVerbatim: true,
      },
    ],
    [
      "tool",
      ["C:\\Program Files\\x\\tool.cmd"],
      {
        file: "C:\\Windows\\System32\\cmd.exe",
        args: ["/d", "/s", "/c", '"C:\\Program^ Files\\x\\tool.cmd ^^^"a^^^ b^^^""'],
        isVerbatim: true,
      },
    ],
    ["npx", ["C:\\node\\npx"], undefined],
  ])("on Windows %s with the files %j is started as %j", (command, files, want) => {
    expect(findCommand(command, ["a b"], windows(files))).toEqual(want);
  });

  test("no argument of a batch file can start another command", () => {
    const line = findCommand("npx", ['x" & calc & "%PATH%'], windows(["C:\\node\\npx.cmd"]));
    // Every character that cmd.exe acts on stands behind carets, for both times that it reads the line.
    expect(line?.args[3]?.replaceAll(/\^\^\^[&%" ]/g, "")).not.toMatch(/[&%]/);
  });
});
