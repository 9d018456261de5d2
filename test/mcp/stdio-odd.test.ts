import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { McpfsError } from "../../src/kernel/errors.ts";
import {
  isAlive,
  readServerLog,
  received,
  scripted,
  serverEntry,
  temporaryFolder,
  until,
} from "../servers/servers.ts";
import { namesOf, rawName, rejection, serverName, testHub } from "./fixtures.ts";

const tool = (name: string): { name: string; inputSchema: { type: "object" } } => ({
  name,
  inputSchema: { type: "object" },
});
const odd = serverName("odd");
const textOf = (answer: { content: readonly any[] }): string => answer.content[0].text;

// M1, M8, M26
describe("what a server writes", () => {
  test("stray lines on stdout are skipped and warned of once, with the server's name and at most three lines", async () => {
    const banner = ["STDIO server v1.2 ready", "", "\uFEFF", "two", "three", "four", '{"level":"info"}'];
    await using hub = testHub(serverEntry("odd", scripted({ banner, tools: [tool("a")] })));
    const link = await hub.link(odd);
    expect(namesOf(await link.listTools())).toEqual(["a"]);
    await until("a warning", () => hub.warnings.length > 0);
    expect(hub.warnings).toEqual([
      'Server odd writes to stdout what is no MCP message, which is skipped: "STDIO server v1.2 ready", "two", "three"',
    ]);
  });

  test("a message after a byte order mark is read", async () => {
    const answers = { a: { stdoutBefore: "\uFEFF", text: "ok" } };
    await using hub = testHub(serverEntry("odd", scripted({ tools: [tool("a")], answers })));
    expect(textOf(await (await hub.link(odd)).callTool(rawName("a"), {}))).toBe("ok");
  });

  test.each([
    ['{"jsonrpc":"2.0","id":{"toString":1},"result":{}}', []],
    ['{"jsonrpc":"2.0","id":77,"result":{"n":12345678901234567890}}', []],
    ['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{"toString":1}}}', []],
    ['{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":7}', []],
    ['[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}]', []],
    [
      '{"jsonrpc":"2.0","id":"x","method":"sampling/createMessage","params":{}}',
      [
        'Server odd asks for a language model. It was declined: No model may be asked: "sampling" of the server in mcpfs.json allows it.',
      ],
    ],
  ])("the odd message %s costs no other message", async (line, warnings) => {
    const answers = { a: { stdoutBefore: `${line}\n`, text: "ok" } };
    await using hub = testHub(serverEntry("odd", scripted({ answers })));
    const link = await hub.link(odd);
    for (let call = 0; call < 2; call += 1) expect(textOf(await link.callTool(rawName("a"), {}))).toBe("ok");
    expect(hub.warnings).toEqual(warnings);
  });

  test("text is exact when it comes byte by byte, with CRLF and string ids", async () => {
    const text = "naïve 🎛 ok — 漢字";
    const spec = {
      byteByByte: true,
      crlf: true,
      stringIds: true,
      tools: [tool("a")],
      answers: { a: { text } },
    };
    await using hub = testHub(serverEntry("odd", scripted(spec)));
    expect(textOf(await (await hub.link(odd)).callTool(rawName("a"), {}))).toBe(text);
  });

  test("a message of 32 MB arrives whole", async () => {
    const textBytes = 32 * 1024 * 1024;
    await using hub = testHub(serverEntry("odd", scripted({ answers: { a: { textBytes } } })));
    const answer = await (await hub.link(odd)).callTool(rawName("a"), {});
    expect(textOf(answer)).toHaveLength(textBytes);
  });

  test("a flood on stderr blocks nothing, and its end is shown when the server fails", async () => {
    const answers = { a: { stderrBytes: 256 * 1024, text: "ok" }, die: { exit: 7 } };
    await using hub = testHub(serverEntry("odd", scripted({ answers })));
    const link = await hub.link(odd);
    for (let call = 0; call < 20; call += 1) expect(textOf(await link.callTool(rawName("a"), {}))).toBe("ok");
    const error = await rejection(link.callTool(rawName("die"), {}));
    expect(error.code).toBe("OUTCOME_UNKNOWN");
    expect(error.message).toContain("exit code 7");
    expect(error.data.stderr).toMatch(/^e+$/);
    expect(error.data.stderr.length).toBeLessThanOrEqual(64 * 1024);
  });

  test("integers of any length keep their digits in both directions", async () => {
    const raw =
      '{"content":[],"structuredContent":{"id":12345678901234567890,"rows":[-9007199254740993,1.5]}}';
    const answers = { get: { raw }, echo: { echoLine: true } };
    await using hub = testHub(serverEntry("odd", scripted({ answers })));
    const link = await hub.link(odd);
    expect((await link.callTool(rawName("get"), {})).structured).toEqual({
      id: 12345678901234567890n,
      rows: [-9007199254740993n, 1.5],
    });
    const line = textOf(await link.callTool(rawName("echo"), { id: 98765432109876543210n }));
    expect(line).toContain('"id":98765432109876543210');
  });

  test("a secret of the entry and a terminal escape in stderr are not shown", async () => {
    const stderr = "key hunter2-secret is \u001b[31mwrong\n";
    const entry = serverEntry("odd", scripted({ initialize: { stderr, exit: 2 } }), {
      secrets: ["hunter2-secret"],
    });
    await using hub = testHub(entry);
    const error = await rejection(hub.link(odd));
    expect(error.message).toBe(
      "Server odd ended with exit code 2 before it was ready. Its last words: key [hidden] is \\u{1b}[31mwrong",
    );
    expect(JSON.stringify(error.data)).not.toContain("hunter2");
    expect(error.data).toMatchObject({ exitCode: 2, signal: null });
    expect(error.hint).not.toBe("");
  });
});

describe("what a server answers", () => {
  test.each([
    [
      "nothing but a structured array",
      { structuredContent: [1] },
      { content: [], structured: [1], isError: false },
    ],
    ["an empty object", {}, { content: [], structured: undefined, isError: false }],
    ["null", null, { content: [], structured: undefined, isError: false }],
    [
      "a structured null, before 2026-07-28",
      { content: [], structuredContent: null },
      { content: [], structured: undefined, isError: false },
    ],
    [
      "a block of unknown type",
      { content: [{ type: "hologram", x: 1 }] },
      { content: [{ type: "hologram", x: 1 }], structured: undefined, isError: false },
    ],
    [
      "isError with structured content",
      { content: [], isError: true, structuredContent: { why: 1 } },
      { content: [], structured: { why: 1 }, isError: true },
    ],
  ])("%s is an answer", async (_name, result, want) => {
    await using hub = testHub(
      serverEntry("odd", scripted({ answers: { a: { raw: JSON.stringify(result) } } })),
    );
    expect(await (await hub.link(odd)).callTool(rawName("a"), {})).toEqual(want);
  });

  test("a JSON-RPC error is TOOL_ERROR with the server's words on one visible line", async () => {
    const error = { code: -32602, message: `Unknown\u001b tool:\n a${"x".repeat(900)}` };
    await using hub = testHub(serverEntry("odd", scripted({ answers: { a: { error } } })));
    const thrown = await rejection((await hub.link(odd)).callTool(rawName("a"), {}));
    expect(thrown).toBeInstanceOf(McpfsError);
    expect(thrown.code).toBe("TOOL_ERROR");
    expect(thrown.message.startsWith("Unknown\\u{1b} tool: ax")).toBe(true);
    expect([...thrown.message].length).toBe(500);
    expect(thrown.data.rpcCode).toBe(-32602);
  });

  test("an answer that is no object breaks the protocol", async () => {
    await using hub = testHub(serverEntry("odd", scripted({ answers: { a: { raw: "[1]" } } })));
    expect((await rejection((await hub.link(odd)).callTool(rawName("a"), {}))).code).toBe("SERVER_FAILED");
  });
});

describe("limits of a call", () => {
  test("a silent tool is SERVER_TIMEOUT with server, tool and limit, and the server is told", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    await using hub = testHub(
      serverEntry("odd", scripted({ answers: { a: { never: true }, b: { text: "ok" } } }, log)),
    );
    const link = await hub.link(odd);
    const error = await rejection(link.callTool(rawName("a"), {}, { timeoutMs: 150 }));
    expect(error.code).toBe("SERVER_TIMEOUT");
    expect(error.message).toBe("Server odd did not answer the call of a within 150 ms.");
    expect(textOf(await link.callTool(rawName("b"), {}))).toBe("ok");
    const [call] = received(log, "tools/call");
    expect(received(log, "notifications/cancelled").map((message) => message.params.requestId)).toEqual([
      call?.id,
    ]);
  });

  test("progress reports start the limit anew", async () => {
    const answers = { a: { progress: { everyMs: 200, times: 6 }, text: "done" } };
    await using hub = testHub(serverEntry("odd", scripted({ answers }), { timeoutMs: 500 }));
    expect(textOf(await (await hub.link(odd)).callTool(rawName("a"), {}))).toBe("done");
  });

  test("progress reports for ever end at ten times the limit", async () => {
    const answers = { a: { progress: { everyMs: 40, times: 10_000 } } };
    await using hub = testHub(serverEntry("odd", scripted({ answers })));
    const startedMs = Date.now();
    const error = await rejection((await hub.link(odd)).callTool(rawName("a"), {}, { timeoutMs: 100 }));
    expect(error.code).toBe("SERVER_TIMEOUT");
    expect(Date.now() - startedMs).toBeGreaterThan(900);
  });

  test.each([Number.POSITIVE_INFINITY, 2 ** 40])(
    "a limit of %s ms does not end the call at once",
    async (timeoutMs) => {
      await using hub = testHub(
        serverEntry("odd", scripted({ answers: { a: { delayMs: 30, text: "ok" } } })),
      );
      expect(textOf(await (await hub.link(odd)).callTool(rawName("a"), {}, { timeoutMs }))).toBe("ok");
    },
  );

  test("an abort throws the caller's own error, tells the server, and keeps the link", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    await using hub = testHub(serverEntry("odd", scripted({ answers: { a: { never: true } } }, log)));
    const link = await hub.link(odd);
    const reason = new McpfsError("LIMIT_WALL", "The run's time is over.");
    const signal = AbortSignal.timeout(50);
    const stop = new AbortController();
    signal.addEventListener("abort", () => stop.abort(reason));
    expect(await rejection(link.callTool(rawName("a"), {}, { signal: stop.signal }))).toBe(reason);
    const plain = await rejection(link.callTool(rawName("a"), {}, { signal: AbortSignal.timeout(50) }));
    expect(plain.code).toBe("SERVER_FAILED");
    await until("the server is told", () => received(log, "notifications/cancelled").length === 2);
    expect(hub.isConnected(odd)).toBe(true);
  });

  test("a caller that has stopped already sends nothing", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    await using hub = testHub(serverEntry("odd", scripted({}, log)));
    const link = await hub.link(odd);
    await rejection(link.callTool(rawName("a"), {}, { signal: AbortSignal.abort() }));
    await link.listTools();
    expect(received(log, "tools/call")).toEqual([]);
  });

  test("the entry's limit holds for the start and for listing", async () => {
    await using hub = testHub(
      serverEntry("odd", scripted({ initialize: { never: true } }), { timeoutMs: 200 }),
      serverEntry("slow", scripted({ listDelayMs: 60_000 }), { timeoutMs: 2_000 }),
    );
    const start = await rejection(hub.link(odd));
    expect([start.code, start.message]).toEqual([
      "SERVER_TIMEOUT",
      "Server odd was not ready within 200 ms.",
    ]);
    const link = await hub.link(serverName("slow"));
    const list = await rejection(link.listTools());
    expect([list.code, list.data.timeoutMs]).toEqual(["SERVER_TIMEOUT", 2_000]);
  });
});

describe("a server that fails", () => {
  test.each([
    [
      "a missing command",
      { command: "mcpfs-no-such-command", args: [] },
      /the command "mcpfs-no-such-command" is not in PATH/,
    ],
    [
      "a missing file",
      { command: "/no/such/server", args: [] },
      /"\/no\/such\/server" does not exist or may not be run/,
    ],
    [
      "a missing folder",
      { command: process.execPath, args: [], env: {}, cwd: "/no/such/folder", kind: "stdio" as const },
      /its folder \/no\/such\/folder does not exist/,
    ],
    [
      "an exit before initialize",
      scripted({ exitAtOnce: 4, stderr: "no key\n" }),
      /exit code 4 before it was ready. Its last words: no key/,
    ],
    [
      "a refusal",
      scripted({ initialize: { error: { code: -32000, message: "Set API_KEY" } } }),
      /refused to start a session: Set API_KEY/,
    ],
    ["an unknown revision", scripted({ protocolVersion: "1999-01-01" }), /1999-01-01/],
  ])("%s is SERVER_FAILED with the reason and a hint", async (_name, command, want) => {
    await using hub = testHub(serverEntry("odd", command));
    const error = await rejection(hub.link(odd));
    expect(error.code).toBe("SERVER_FAILED");
    expect(error.message).toMatch(want);
    expect(error.hint).not.toBe("");
  });

  test("a call that was open when the server died is OUTCOME_UNKNOWN, and is sent once", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    await using hub = testHub(serverEntry("odd", scripted({ answers: { a: { kill: "SIGKILL" } } }, log)));
    const error = await rejection((await hub.link(odd)).callTool(rawName("a"), {}));
    expect(error.code).toBe("OUTCOME_UNKNOWN");
    expect(error.message).toContain("signal SIGKILL");
    expect(received(log, "tools/call")).toHaveLength(1);
  });

  test("after a death two callers at once get one new process; the first is reaped; the list counts as changed", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    await using hub = testHub(
      serverEntry("odd", scripted({ dieAfter: 1, answers: { a: { text: "ok" } } }, log)),
    );
    expect(textOf(await (await hub.link(odd)).callTool(rawName("a"), {}))).toBe("ok");
    await until("it is gone", () => !hub.isConnected(odd));
    const [one, two] = await Promise.all([hub.link(odd), hub.link(odd)]);
    expect(one).toBe(two);
    const starts = readServerLog(log).filter((entry) => entry.event === "start");
    expect(starts).toHaveLength(2);
    expect(isAlive(starts[0]?.pid ?? 0)).toBe(false);
    await until("the change is told", () => hub.changed.length === 1);
  });

  test("a server that keeps dying is started less and less often, and each caller gets an error", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    await using hub = testHub(serverEntry("odd", scripted({ exitAtOnce: 1 }, log)));
    const startedMs = Date.now();
    for (let attempt = 0; attempt < 4; attempt += 1)
      expect((await rejection(hub.link(odd))).code).toBe("SERVER_FAILED");
    expect(Date.now() - startedMs).toBeGreaterThan(700);
    expect(readServerLog(log).filter((entry) => entry.event === "start")).toHaveLength(4);
  });
});

describe("what the hub refuses", () => {
  test("an unknown server, a disabled one, and one with a problem of its own", async () => {
    const problem = new McpfsError("CONFIG_INVALID", "The variable TOKEN is not set.");
    await using hub = testHub(
      serverEntry("off", scripted({}), { isEnabled: false }),
      serverEntry("bad", scripted({}), { problem }),
    );
    expect((await rejection(hub.link(serverName("nobody")))).code).toBe("TOOL_UNAVAILABLE");
    expect((await rejection(hub.link(serverName("off")))).code).toBe("TOOL_UNAVAILABLE");
    expect(await rejection(hub.link(serverName("bad")))).toBe(problem);
  });

  test("update keeps the links of unchanged entries and ends the others; a closed hub refuses", async () => {
    using folder = temporaryFolder();
    const logs = ["a", "b"].map((name) => join(folder.path, name));
    const entries = ["a", "b"].map((name, index) => serverEntry(name, scripted({}, logs[index])));
    await using hub = testHub(...entries);
    const [a, b] = await Promise.all(["a", "b"].map((name) => hub.link(serverName(name))));
    await hub.update([
      serverEntry("a", scripted({}, logs[0])),
      serverEntry("b", scripted({ changed: true }, logs[1])),
    ]);
    expect(await hub.link(serverName("a"))).toBe(a);
    expect(hub.isConnected(serverName("b"))).toBe(false);
    expect(await hub.link(serverName("b"))).not.toBe(b);
    await hub.update([]);
    expect((await rejection(hub.link(serverName("a")))).code).toBe("TOOL_UNAVAILABLE");
    await hub.close();
    expect((await rejection(hub.link(serverName("a")))).code).toBe("SERVER_FAILED");
    for (const log of logs) for (const entry of readServerLog(log)) expect(isAlive(entry.pid)).toBe(false);
  });
});

describe("waiting for a link", () => {
  test("a caller that stops waiting gets its own error, and the attempt goes on for the others", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    await using hub = testHub(serverEntry("odd", scripted({ initialize: { delayMs: 300 } }, log)));
    const reason = new McpfsError("LIMIT_WALL", "The run's time is over.");
    const stop = new AbortController();
    const [impatient, patient] = [rejection(hub.link(odd, stop.signal)), hub.link(odd)];
    stop.abort(reason);
    expect(await impatient).toBe(reason);
    expect((await patient).server).toBe("odd");
    expect(readServerLog(log).filter((entry) => entry.event === "start")).toHaveLength(1);
  });

  test("closing ends attempts and stubborn servers in about two seconds, and can be done twice", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    const stubborn = { ignoreStdinEnd: true, ignoreTerm: true, grandchild: true };
    const hub = testHub(
      serverEntry("odd", scripted({ ...stubborn, initialize: { never: true } }, log)),
      serverEntry("other", scripted({ ...stubborn, answers: { a: { never: true } } }, log)),
    );
    const pending = rejection(hub.link(odd));
    const link = await hub.link(serverName("other"));
    const call = rejection(link.callTool(rawName("a"), {}));
    await until("both run", () => readServerLog(log).filter((entry) => entry.event === "start").length === 2);
    const startedMs = Date.now();
    await Promise.all([hub.close(), hub.close()]);
    expect(Date.now() - startedMs).toBeLessThan(3_000);
    expect((await pending).code).toBe("SERVER_FAILED");
    expect((await call).code).toBe("OUTCOME_UNKNOWN");
    for (const entry of readServerLog(log)) expect(isAlive(entry.pid)).toBe(false);
  });
});

test("twenty changes in a row are told once or twice, whatever the server calls itself", async () => {
  const serverInfo = { name: "../../etc", version: "1" };
  await using hub = testHub(
    serverEntry("odd", scripted({ serverInfo, answers: { a: { notifyTimes: 20, text: "ok" } } })),
  );
  const link = await hub.link(odd);
  expect(link.server).toBe("odd");
  await link.callTool(rawName("a"), {});
  await until("the change is told", () => hub.changed.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 150));
  // They come in one write, which a busy machine may read in two parts.
  expect(hub.changed.length).toBeLessThanOrEqual(2);
  expect(new Set(hub.changed)).toEqual(new Set(["odd"]));
});

test("a server gets the safe variables and its own, and no secret of the host", async () => {
  process.env.MCPFS_TEST_OTHER_TOKEN = "not for servers";
  const env = { API_KEY: "k", "spring.datasource.url": "kept" };
  await using hub = testHub(
    serverEntry("odd", { ...scripted({ answers: { a: { environment: true } } }), command: "node", env }),
  );
  const seen = (await (await hub.link(odd)).callTool(rawName("a"), {})).structured as Record<string, string>;
  expect(seen).toMatchObject({ ...env, PATH: process.env.PATH, HOME: process.env.HOME });
  expect(Object.keys(seen)).not.toContain("MCPFS_TEST_OTHER_TOKEN");
});
