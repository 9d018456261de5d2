import { describe, expect, test } from "vitest";
import { McpfsError } from "../../src/kernel/errors.ts";
import { DEFAULT_LIMITS } from "../../src/model/run.ts";
import { parse, server } from "./parse.ts";

function errorOf(text: string): McpfsError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof McpfsError) return error;
  }
  throw new Error("expected an McpfsError");
}

describe("the file is JSON with comments, as Claude, Cursor and VS Code write it", () => {
  test.each([
    ["a trailing comma", '{"mcpServers":{"x":{"command":"node","args":["s.mjs"],},},}'],
    ["comments", '// one\n{"mcpServers":{/* two */"x":{"command":"node","args":["s.mjs"]}}} // three'],
    ["a byte order mark", '\uFEFF{"mcpServers":{"x":{"command":"node","args":["s.mjs"]}}}'],
    ["Windows line ends", '{\r\n"mcpServers":\r\n{"x":{"command":"node","args":["s.mjs"]}}}\r\n'],
    ["VS Code's servers", '{"inputs":[],"servers":{"x":{"type":"stdio","command":"node","args":["s.mjs"]}}}'],
  ])("%s", (_what, text) => {
    const config = parse(text);
    expect(config.warnings).toEqual([]);
    expect(config.servers.map(({ name, problem, transport }) => ({ name, problem, transport }))).toEqual([
      {
        name: "x",
        problem: undefined,
        transport: { kind: "stdio", command: "node", args: ["s.mjs"], env: {}, cwd: "/w" },
      },
    ]);
  });

  test("planned keys are no error, and say that they have no effect yet", () => {
    const { warnings } = parse('{"privacy":{"mode":"mask"},"search":{},"sandbox":{},"models":{}}');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/:1:2: privacy has no effect in this version of mcpfs\.$/);
  });

  test.each(["", "  \n", "// only a comment\n", "{}", '{"mcpServers":{}}', "\uFEFF"])(
    "%j has no servers",
    (text) => {
      expect(parse(text)).toMatchObject({ servers: [], warnings: [], limits: DEFAULT_LIMITS });
    },
  );

  test("servers are sorted by name, disabled ones among them", () => {
    const config = parse(
      '{"mcpServers":{"b":{"command":"node"},"a":{"command":"node","disabled":true},"B":{"command":"node","enabled":false}}}',
    );
    expect(config.servers.map(({ name, isEnabled }) => [name, isEnabled])).toEqual([
      ["B", false],
      ["a", false],
      ["b", true],
    ]);
  });

  test("keys that JavaScript gives a meaning are ordinary names", () => {
    const config = parse('{"mcpServers":{"__proto__":{"command":"node"},"constructor":{"command":"deno"}}}');
    expect(config.servers.map(({ name }) => name)).toEqual(["__proto__", "constructor"]);
    expect(Object.hasOwn(Object.prototype, "command")).toBe(false);
  });

  test("mcpServers counts where servers has the same name", () => {
    const config = parse(
      '{"mcpServers":{"x":{"command":"node"}},\n"servers":{"x":{"command":"deno"},"y":{"command":"bun"}}}',
    );
    expect(
      config.servers.map(({ name, transport }) => [name, "command" in transport && transport.command]),
    ).toEqual([
      ["x", "node"],
      ["y", "bun"],
    ]);
    expect(config.warnings).toEqual([
      "/w/mcpfs.json:2:12: servers.x is in mcpServers too, and that one counts.",
    ]);
  });
});

describe("a file that is wrong as a whole is an error at its exact place", () => {
  test.each([
    [
      '{"mcpServers":{"a":{"command":"node" "args":[]}}}',
      1,
      38,
      'The file expected "," between two entries, found a text.',
    ],
    [
      '{\n  "mcpServers": {\n    "a": {"command": node}\n  }\n}',
      3,
      22,
      "The file holds a word that is not JSON",
    ],
    ['{"mcpServers":{}', 1, 17, 'The file expected "}", found the end of the file.'],
    ['{"mcpServers":{}}\n}', 2, 1, "The file expected nothing after the closing bracket"],
    ['{"mcpServers" {}}', 1, 15, 'The file expected ":" after the key, found "{".'],
    ["{mcpServers: {}}", 1, 2, "The file"],
    ['{"a": "b', 1, 7, 'The file holds a text without its closing ".'],
    ['{"a": "C:\\dir"}', 1, 7, "The file holds a \\ that starts no escape; write \\\\ for a backslash."],
    ["[]", 1, 1, "The file must be an object with the key mcpServers, not an empty list."],
    ['"text"', 1, 1, "The file must be an object with the key mcpServers, not this text."],
    ["null", 1, 1, "The file must be an object with the key mcpServers, not null."],
    [
      '{"mcpServers":[]}',
      1,
      15,
      "mcpServers must be an object from server names to servers, not an empty list.",
    ],
    [
      '{\n\t"mcpServers": null}',
      2,
      16,
      "mcpServers must be an object from server names to servers, not null.",
    ],
    ['\uFEFF{"servers":3}', 1, 12, "servers must be an object from server names to servers, not 3."],
    [
      '{"limits":{"timeout":"60"}}',
      1,
      22,
      "limits.timeout must be a duration such as 500ms, 60s, 5m, 1h or none, not this text.",
    ],
    [
      '{"limits":{"memory":"big"}}',
      1,
      21,
      "limits.memory must be a size such as 512kb, 256mb or 1gb, not this text.",
    ],
    ['{"limits":{"maxCalls":-1}}', 1, 23, "limits.maxCalls must be at least 0, not -1."],
    ['{"limits":{"memory":"2gb"}}', 1, 21, "limits.memory must be at most 1gb, not"],
    ['{"limits":{"maxCalls":1000001}}', 1, 23, "limits.maxCalls must be at most 1000000, not 1000001."],
    ['{"sandbox":{"isolation":"vm"}}', 1, 25, "sandbox.isolation must be worker or process"],
    ['{"limits":{"maxCallsAtOnce":0}}', 1, 29, "limits.maxCallsAtOnce must be at least 1, not 0."],
  ])("%j", (text, line, column, sentence) => {
    const error = errorOf(text);
    expect(error.code).toBe("CONFIG_INVALID");
    expect(error.message).toContain(`/w/mcpfs.json:${line}:${column}: ${sentence}`);
    expect(error.data).toEqual({ path: "/w/mcpfs.json", line, column });
    expect(error.hint).not.toBe("");
  });

  test("a file of brackets alone is refused", () => {
    expect(errorOf("[".repeat(100_000))).toMatchObject({ code: "CONFIG_INVALID" });
    expect(errorOf('{"mcpServers":'.repeat(100_000))).toMatchObject({ code: "CONFIG_INVALID" });
  });

  test("what stands at a syntax error is never shown, since it may be a key", () => {
    for (const text of ['{"a": "b" "SEKRET"}', '{"a": SEKRET}', '{"a": "SEKRET', '{"a": {"b" SEKRET']) {
      expect(errorOf(text).message).not.toContain("SEKRET");
    }
  });
});

describe("an entry that is wrong costs only itself", () => {
  test.each([
    ["nonsense", "mcpServers.x must be an object that describes a server, not this text."],
    [null, "mcpServers.x must be an object that describes a server, not null."],
    [[], "mcpServers.x must be an object that describes a server, not an empty list."],
    [{}, "mcpServers.x needs command, url or builtin, and a type that fits it."],
    [{ command: null }, "mcpServers.x.command must be a text, or a list of texts, not null."],
    [{ command: [] }, "mcpServers.x.command must be a list that starts with the program, not an empty list."],
    [
      { command: ["node", null] },
      "mcpServers.x.command[1] must be a text, a number or true/false, not null.",
    ],
    [{ command: "" }, "mcpServers.x.command is empty."],
    [{ command: "node", args: "s.mjs" }, "mcpServers.x.args must be a list of texts, not this text."],
    [
      { command: "node", args: ["a", null] },
      "mcpServers.x.args[1] must be a text, a number or true/false, not null.",
    ],
    [
      { command: "node", env: { "MY KEY": null } },
      'mcpServers.x.env["MY KEY"] must be a text, a number or true/false, not null.',
    ],
    [{ command: "node", env: { "A=B": "c" } }, 'mcpServers.x.env["A=B"] is not the name of a variable.'],
    [{ command: "node", env: { A: "a\0b" } }, "mcpServers.x.env.A holds a NUL character."],
    [
      { command: "node", url: "https://h.example" },
      "mcpServers.x must have one of command, url and builtin only.",
    ],
    [{ builtin: "docs", command: "node" }, "mcpServers.x must have one of command, url and builtin only."],
    [{ builtin: "mail" }, 'mcpServers.x.builtin must be docs or crm, not "mail".'],
    [
      { type: "stdio", url: "https://h.example" },
      "mcpServers.x needs command, url or builtin, and a type that fits it.",
    ],
    [
      { type: "htpp", url: "https://h.example" },
      'mcpServers.x.type must be one of stdio, local, http, streamable-http, streamableHttp, remote, sse, not "htpp".',
    ],
    [{ url: "h.example/mcp" }, "mcpServers.x.url must be a whole URL with http:// or https://."],
    [{ url: "ws://h.example/mcp" }, "mcpServers.x.url must be a whole URL with http:// or https://."],
    [
      { url: "https://h.example", headers: { "X Key": "v" } },
      'mcpServers.x.headers["X Key"] is not the name of a header.',
    ],
    [
      { url: "https://h.example", headers: { "X-Key": "a\nb" } },
      "mcpServers.x.headers.X-Key holds a character that no header can carry.",
    ],
    [{ command: "node", timeoutMs: 0 }, "mcpServers.x.timeoutMs must be at least 1, not 0."],
    [
      { command: "node", timeoutMs: "60s" },
      "mcpServers.x.timeoutMs must be a whole number of milliseconds, not this text.",
    ],
    [
      { command: "node", protocol: "2025-06-18" },
      'mcpServers.x.protocol must be auto, legacy or 2026-07-28, not "2025-06-18".',
    ],
    [{ command: "node", enabled: "no" }, "mcpServers.x.enabled must be true or false, not this text."],
    [
      { command: "node", tools: { allow: "get_*" } },
      "mcpServers.x.tools.allow must be a list of texts, not this text.",
    ],
    [
      { command: "node", tools: { rename: [{ pattern: "a" }] } },
      "mcpServers.x.tools.rename[0].to must be a text, not missing.",
    ],
    [
      { command: "node", tools: { rename: [{ pattern: "a", to: "*" }] } },
      "mcpServers.x.tools.rename[0].to has more * than its pattern.",
    ],
  ])("%j", (entry, sentence) => {
    const config = parse(JSON.stringify({ mcpServers: { good: { command: "node" }, x: entry } }));
    const [good, bad] = config.servers;
    expect(good?.problem).toBeUndefined();
    expect(bad?.problem?.code).toBe("CONFIG_INVALID");
    expect(bad?.problem?.message).toMatch(/^\/w\/mcpfs\.json:1:\d+: /);
    expect(bad?.problem?.message).toContain(sentence);
    expect(bad?.problem?.hint).not.toBe("");
  });

  test.each(["mcpfs", "MCPFS", "Mcpfs"])("the name %s is reserved", (name) => {
    const config = parse(JSON.stringify({ mcpServers: { [name]: { command: "node" } } }));
    expect(config.servers[0]?.problem?.message).toContain(
      `mcpServers.${name} uses the name of the built-in server.`,
    );
  });

  test.each([
    [
      "with lines of output",
      "x: 3 tools\nfiles: 0 written\nerror FAKE",
      "has a line break in a server's name",
    ],
    ["with a line end of Windows", "a\r\nb", "has a line break in a server's name"],
    ["of 5,000 characters", "k".repeat(5_000), "is longer than a server's name may be (200 characters)"],
  ])("a name %s is left out, and its warning is one short line", (_what, name, sentence) => {
    for (const key of ["mcpServers", "servers"]) {
      const config = parse(
        JSON.stringify({ [key]: { [name]: { command: "node" }, good: { command: "node" } } }),
      );
      expect(config.servers.map((entry) => entry.name)).toEqual(["good"]);
      expect(config.warnings).toEqual([expect.stringContaining(`${sentence}, and is left out.`)]);
      expect(config.warnings[0]).toMatch(/^\/w\/mcpfs\.json:1:\d+: .{1,200}$/);
    }
  });

  test("an empty name is refused", () => {
    const config = parse('{"mcpServers":{"":{"command":"node"}}}');
    expect(config.servers[0]?.problem?.message).toContain('mcpServers[""] needs a name that is not empty.');
  });

  test("a server that is off stays off when its entry is wrong", () => {
    expect(server({ command: 3, disabled: true }).isEnabled).toBe(false);
  });

  test("several faults of an entry are told at once, at the place of the first", () => {
    const { problem } = server({ command: "node", args: [null], env: { A: null } });
    expect(problem?.message).toBe(
      "/w/mcpfs.json:1:46: mcpServers.x.args[0] must be a text, a number or true/false, not null. " +
        "mcpServers.x.env.A must be a text, a number or true/false, not null.",
    );
  });
});

describe("what is odd is a warning", () => {
  test("a name that stands twice is told with both lines, and the last one counts", () => {
    const config = parse(
      '{\n "mcpServers": {\n  "a": {"command": "node"},\n  "a": {"command": "deno"}\n }\n}',
    );
    expect(config.servers).toHaveLength(1);
    expect(config.servers[0]?.transport).toMatchObject({ command: "deno" });
    expect(config.warnings).toEqual([
      "/w/mcpfs.json:4:3: mcpServers.a stands on line 3 and again on line 4; the last one counts.",
    ]);
  });

  test("errors of a name that stands twice point into the last one", () => {
    const config = parse('{"mcpServers": {\n"a": {"args": 1},\n"a": {"args": 2}}}');
    expect(config.servers[0]?.problem?.data).toMatchObject({ line: 3, column: 15 });
  });

  test.each([
    ['{"mcpServer":{}}', "/w/mcpfs.json:1:2: mcpServer has no meaning for mcpfs; did you mean mcpServers?"],
    ['{"globalShortcut":""}', "/w/mcpfs.json:1:2: globalShortcut has no meaning for mcpfs."],
    [
      '{"limits":{"timeOut":"60s"}}',
      "/w/mcpfs.json:1:12: limits.timeOut has no meaning for mcpfs; did you mean timeout?",
    ],
    [
      '{"mcpServers":{"x":{"command":"node","timeout":5}}}',
      "/w/mcpfs.json:1:38: mcpServers.x.timeout has no meaning for mcpfs; did you mean timeoutMs?",
    ],
    [
      '{"mcpServers":{"x":{"command":"node","tools":{"denny":[]}}}}',
      "/w/mcpfs.json:1:47: mcpServers.x.tools.denny has no meaning for mcpfs; did you mean deny?",
    ],
  ])("the unknown key of %s", (text, warning) => {
    expect(parse(text).warnings).toEqual([warning]);
  });

  test("keys that other clients need, and notes, are no warning", () => {
    const config = parse(
      '{"_note":"","mcpServers":{"x":{"command":"node","alwaysAllow":[],"autoApprove":[],"trust":true,"//":"why"}}}',
    );
    expect(config.warnings).toEqual([]);
  });

  test("a path with a space is told, since it may be a whole command line", () => {
    const config = parse('{"mcpServers":{"x":{"command":"/usr/bin/node s.mjs"}}}');
    expect(config.warnings).toEqual([
      "/w/mcpfs.json:1:21: mcpServers.x.command holds a space and is taken as one path; put the program's arguments into args.",
    ]);
  });
});

describe("limits", () => {
  test("each is read with its unit, and the rest stays as it is by default", () => {
    const config = parse(
      '{"limits":{"timeout":"5m","cpu":2000,"call":"30s","callsPerSecond":5,"callsPerMinute":9,"maxCallsPerTool":3,"memory":"64mb","maxCalls":0,"maxCallsAtOnce":2,"maxOutput":"1kb","maxArguments":"2kb","maxResult":"3kb","maxBundle":4096}}',
    );
    expect(config.limits).toEqual({
      wallMs: 300_000,
      cpuMs: 2_000,
      callMs: 30_000,
      memoryBytes: 67_108_864,
      maxCalls: 0,
      maxCallsPerTool: 3,
      maxCallsAtOnce: 2,
      callsPerSecond: 5,
      callsPerMinute: 9,
      outputBytes: 1_024,
      argumentBytes: 2_048,
      resultBytes: 3_072,
      bundleBytes: 4_096,
    });
    expect(parse('{"limits":{"timeout":"none"}}').limits).toEqual({ ...DEFAULT_LIMITS, wallMs: 2 ** 31 - 1 });
  });
});

describe("the digest", () => {
  const one = parse('{"mcpServers":{"x":{"command":"node","args":["${K:-a}"]}}}');
  test("does not change with comments, spaces, the order of keys or the environment", () => {
    const same = parse('{ // note\n "mcpServers": {"x": {"args": ["${K:-a}"], "command": "node",}} }', {
      env: { K: "v" },
    });
    expect(same.digest).toBe(one.digest);
  });
  test("changes with a value", () => {
    expect(parse('{"mcpServers":{"x":{"command":"node","args":["b"]}}}').digest).not.toBe(one.digest);
  });
});
