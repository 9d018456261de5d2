import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { received, scripted, temporaryFolder } from "../servers/servers.ts";
import { writeFiles } from "./run-cli.ts";
import { runMain } from "./run-main.ts";
import { atTerminal } from "./terminal.ts";

const object = { type: "object" };
const tools = [
  { name: "get", inputSchema: object, annotations: { readOnlyHint: true } },
  { name: "drop", inputSchema: object, annotations: { destructiveHint: true } },
  { name: "send_mail", inputSchema: object },
];

interface Workspace {
  readonly root: string;
  /** Arguments of all calls of a tool that the server received. */
  readonly calls: (tool: string) => readonly unknown[];
  /** Runs a script without a terminal. @returns the report of --json, and the exit code */
  readonly exec: (script: string, ...options: readonly string[]) => Promise<any>;
  readonly json: (...args: readonly string[]) => Promise<any>;
}

/** A synced workspace with the server `crm`. */
async function workspace(
  folder: string,
  config: object = {},
  served: readonly object[] = tools,
): Promise<Workspace> {
  const log = join(folder, "crm.log");
  const root = join(folder, "root");
  writeFiles(root, { "mcpfs.json": { ...config, mcpServers: { crm: scripted({ tools: served }, log) } } });
  expect((await runMain(root, ["sync"])).code).toBe(0);
  const json = async (...args: readonly string[]): Promise<any> => {
    const { code, stdout } = await runMain(root, ["--json", ...args]);
    const answer: unknown = JSON.parse(stdout);
    return Array.isArray(answer) ? answer : { ...(answer as object), exit: code };
  };
  return {
    root,
    calls: (tool) =>
      received(log, "tools/call")
        .filter((message) => message.params?.name === tool)
        .map((message) => message.params?.arguments),
    exec: async (script, ...options) => {
      writeFiles(root, { "script.ts": script });
      return await json("exec", "script.ts", ...options);
    },
    json,
  };
}

const call = (tool: string, args: object = {}): string =>
  `callMCPTool("crm__${tool}", ${JSON.stringify(args)})`;

// M19, B4
describe("without a terminal a run that needs an approval is suspended, and goes on when it has one", () => {
  const script = `
    const first = await ${call("get")};
    const all = await Promise.allSettled([${call("drop", { id: 1 })}, ${call("drop", { id: 2 })}, ${call("get", { late: true })}]);
    export default [first, ...all.map((one) => one.status)];`;

  test("what can go on goes on, and each waiting call is listed", async () => {
    using folder = temporaryFolder();
    const { exec, calls } = await workspace(folder.path);
    const report = await exec(script);
    expect(report).toMatchObject({
      exit: 4,
      kind: "suspended",
      error: { code: "APPROVAL_NEEDED", message: expect.stringMatching(/^2 calls wait/) },
      calls: { total: 4, ok: 2, failed: 0, unknown: 0 },
      next: expect.stringMatching(/^mcpfs runs approve \S+ && mcpfs runs resume \S+$/),
      waiting: [
        {
          call: 2,
          server: "crm",
          tool: "drop",
          arguments: { id: 1 },
          reason: expect.stringContaining("destroy"),
        },
        { call: 3, server: "crm", tool: "drop", arguments: { id: 2 } },
      ],
    });
    expect(calls("drop")).toEqual([]);
    expect(calls("get")).toEqual([{}, { late: true }]);
    expect(report.error.hint).toContain(`mcpfs runs approve ${report.runId}`);
    expect(report.error.hint).toContain(`mcpfs runs resume ${report.runId}`);
  });

  test("approved and denied calls are told apart, and nothing is done twice", async () => {
    using folder = temporaryFolder();
    const { exec, calls, json } = await workspace(folder.path);
    const { runId } = await exec(script);
    expect(await json("runs", "approve", runId, "--call", "3")).toMatchObject([
      { call: 3, decision: "approved" },
    ]);
    expect(await json("runs", "deny", runId)).toMatchObject([{ call: 2, decision: "denied" }]);
    expect(await json("runs", "resume", runId)).toMatchObject({
      exit: 0,
      kind: "ok",
      value: ["get {}", "rejected", "fulfilled", "fulfilled"],
    });
    expect(calls("drop")).toEqual([{ id: 2 }]);
    expect(calls("get")).toEqual([{}, { late: true }]);
  });

  test("a denial can be caught, and says that nothing was sent", async () => {
    using folder = temporaryFolder();
    const { exec, json } = await workspace(folder.path);
    const { runId } = await exec(
      `try { await ${call("drop")}; } catch (error) { export_(error); }
       function export_(error) { globalThis.seen = [error.name, error.code, error.retry, error.server, error.tool]; }
       export default globalThis.seen;`,
    );
    await json("runs", "deny", runId);
    expect((await json("runs", "resume", runId)).value).toEqual([
      "MCPToolError",
      "POLICY_DENIED",
      "safe",
      "crm",
      "drop",
    ]);
  });

  test("one approval for the rest of the run covers later calls of the tool, and no other tool", async () => {
    using folder = temporaryFolder();
    const { exec, calls, json } = await workspace(folder.path);
    const { runId } = await exec(
      `for (const id of [1, 2, 3]) await ${call("drop", {}).replace("{}", "{ id }")}; await ${call("send_mail")};`,
    );
    await json("runs", "approve", runId, "--scope", "run-tool");
    expect(await json("runs", "resume", runId)).toMatchObject({ exit: 4, waiting: [{ tool: "send_mail" }] });
    expect(calls("drop")).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(await json("runs", "resume", runId, "--grant", "crm/send_*")).toMatchObject({ exit: 0 });
    expect(calls("drop")).toHaveLength(3);
    expect(calls("send_mail")).toHaveLength(1);
  });

  test("an edited script that makes another call in the same place is not what was approved", async () => {
    using folder = temporaryFolder();
    const { root, exec, calls, json } = await workspace(folder.path);
    const { runId } = await exec(`await ${call("drop", { id: 1 })};`);
    await json("runs", "approve", runId);
    writeFiles(root, { "script.ts": `await ${call("drop", { id: "all" })};` });
    expect(await json("runs", "resume", runId, "script.ts")).toMatchObject({
      exit: 4,
      waiting: [{ arguments: { id: "all" } }],
    });
    expect(calls("drop")).toEqual([]);
  });

  test.each<[string, readonly string[], string]>([
    ["a call that does not wait", ["--call", "9"], "Call 9 of the run"],
    ["one that never waited", ["--call", "1"], "Call 1 of the run"],
  ])("%s is refused", async (_name, options, message) => {
    using folder = temporaryFolder();
    const { exec, json } = await workspace(folder.path);
    const { runId } = await exec(`await ${call("get")}; await ${call("drop")};`);
    expect(await json("runs", "approve", runId, ...options)).toMatchObject({
      exit: 2,
      error: { code: "USAGE", message: expect.stringContaining(message), hint: "These do: 2 (crm/drop)." },
    });
    await json("runs", "deny", runId);
    expect(await json("runs", "approve", runId)).toMatchObject({ exit: 2 });
    expect(await json("runs", "approve", "../../etc")).toMatchObject({ exit: 2 });
  });

  test("a call that may have taken effect goes out again only by a word on itself: no rule and no grant is one", async () => {
    using folder = temporaryFolder();
    const { root, exec, calls, json } = await workspace(folder.path, { policy: "open" });
    const serve = (answers: object): void =>
      writeFiles(root, {
        "mcpfs.json": {
          policy: "open",
          mcpServers: { crm: scripted({ tools, answers }, join(folder.path, "crm.log")) },
        },
      });
    serve({ drop: { never: true } });
    const { runId, effects } = await exec(
      `export default await ${call("drop", { id: 1 })};`,
      "--timeout",
      "4s",
    );
    expect(effects).toMatchObject([{ status: "unknown", retry: "unsafe" }]);
    serve({});
    expect(await json("runs", "resume", runId, "--grant", "crm/*")).toMatchObject({
      exit: 4,
      waiting: [{ call: 1, reason: expect.stringContaining("nobody knows whether it took effect") }],
      calls: { total: 1, ok: 0, failed: 0, unknown: 1 },
    });
    expect(calls("drop")).toHaveLength(1);
    await json("runs", "approve", runId);
    expect(await json("runs", "resume", runId)).toMatchObject({ exit: 0, value: 'drop {"id":1}' });
    expect(calls("drop")).toHaveLength(2);
  });

  test("a single call waits too: it is approved and resumed, or denied, and made once", async () => {
    using folder = temporaryFolder();
    const { json, calls } = await workspace(folder.path);
    const suspended = async (): Promise<string> => {
      const { exit, error } = await json("call", "crm/drop", "id=1");
      expect({ exit, error }).toMatchObject({ exit: 4, error: { code: "APPROVAL_NEEDED" } });
      return /runs approve (\S+?)"/.exec((error as { hint: string }).hint)?.[1] ?? "";
    };
    const runId = await suspended();
    expect(calls("drop")).toEqual([]);
    expect(await json("runs", "show", runId)).toMatchObject({
      kind: "suspended",
      calls: { total: 1, ok: 0, failed: 0, unknown: 0 },
      waiting: [{ call: 1, server: "crm", tool: "drop", arguments: { id: 1 } }],
      next: `mcpfs runs approve ${runId} && mcpfs runs resume ${runId}`,
    });
    expect((await json("runs", "list"))[0]).toMatchObject({ runId, kind: "suspended", resumable: true });
    await json("runs", "approve", runId);
    expect(await json("runs", "resume", runId)).toMatchObject({
      exit: 0,
      kind: "ok",
      value: 'drop {"id":1}',
    });
    expect(await json("runs", "resume", runId)).toMatchObject({ exit: 2 });
    expect(calls("drop")).toEqual([{ id: 1 }]);

    const other = await suspended();
    await json("runs", "deny", other);
    expect(await json("runs", "resume", other)).toMatchObject({
      exit: 1,
      error: { code: "POLICY_DENIED" },
      next: null,
    });
    expect(calls("drop")).toEqual([{ id: 1 }]);
  });

  test("a single call is made at once where it was granted", async () => {
    using folder = temporaryFolder();
    const { json, calls } = await workspace(folder.path);
    expect(await json("call", "crm/drop", "id=1", "--grant", "crm/drop")).toMatchObject({
      exit: 0,
      isError: false,
    });
    expect(calls("drop")).toEqual([{ id: 1 }]);
  });
});

describe("at a terminal a person is asked", () => {
  const twice = `await ${call("drop", { id: 1 })}; await ${call("drop", { id: 2 })}; export default "done";`;

  test.each<[string, readonly (readonly [string, string])[], number]>([
    [
      "each call",
      [
        ["Allow? ", "y\n"],
        ["Allow? ", "y\n"],
      ],
      2,
    ],
    ["once for the tool", [["Allow? ", "t\n"]], 2],
    [
      "once for a pattern",
      [
        ["Allow? ", "p\n"],
        ["Pattern [crm/*]: ", "crm/d*\n"],
      ],
      2,
    ],
    [
      "again where the pattern does not fit",
      [
        ["Allow? ", "p\n"],
        ["Pattern [crm/*]: ", "docs/*\n"],
        ["Pattern [crm/*]: ", "\n"],
      ],
      2,
    ],
    [
      "again where the answer is none",
      [
        ["Allow? ", "perhaps\n"],
        ["Allow? ", "t\n"],
      ],
      2,
    ],
  ])("%s", async (_name, keys, sent) => {
    using folder = temporaryFolder();
    const { root, calls } = await workspace(folder.path);
    writeFiles(root, { "script.ts": twice });
    const session = await atTerminal(root, ["exec", "script.ts"], keys);
    expect(session.stdout).toBe("done\n");
    expect(session.screen).toContain('The script wants to call crm/drop:\n  {"id":1}');
    expect(session.screen).toContain('because of the rule "balanced: destructive"');
    expect(calls("drop")).toHaveLength(sent);
  });

  test("a no is a denial for the script", async () => {
    using folder = temporaryFolder();
    const { root, calls } = await workspace(folder.path);
    writeFiles(root, { "script.ts": twice });
    const session = await atTerminal(root, ["exec", "script.ts"], [["Allow? ", "n\n"]]);
    expect(session.code).toBe(1);
    expect(session.screen).toContain("POLICY_DENIED");
    expect(calls("drop")).toEqual([]);
  });

  test("who gives up decides later: the run is suspended", async () => {
    using folder = temporaryFolder();
    const { root, json } = await workspace(folder.path);
    writeFiles(root, { "script.ts": twice });
    const session = await atTerminal(root, ["exec", "script.ts"], [["Allow? ", "\u0004"]]);
    expect(session.code).toBe(4);
    const [runId = ""] = readdirSync(join(root, ".mcpfs/runs"));
    expect(await json("runs", "approve", runId)).toHaveLength(1);
  });

  test("what a server or a script wrote cannot write on the screen, and secrets are hidden", async () => {
    using folder = temporaryFolder();
    const evil = { name: "drop\u001b[2J", inputSchema: object, annotations: { destructiveHint: true } };
    const { root } = await workspace(folder.path, {}, [evil]);
    const config = JSON.parse(readFileSync(join(root, "mcpfs.json"), "utf8")) as any;
    config.mcpServers.crm.env = { ...config.mcpServers.crm.env, TOKEN: "SEKRET-789" };
    writeFileSync(join(root, "mcpfs.json"), JSON.stringify(config));
    writeFiles(root, {
      "script.ts":
        'const { drop2J } = await import("./servers/crm"); await drop2J({ key: "SEKRET-789", text: "\\u001b]0;pwned\\u0007" });',
    });
    const session = await atTerminal(root, ["exec", "script.ts"], [["Allow? ", "n\n"]]);
    expect(session.screen).toContain("The script wants to call crm/drop");
    expect(session.screen).toContain("[hidden]");
    expect(session.screen).not.toContain("SEKRET");
    expect(session.screen).not.toContain("\u001b]0;pwned");
    expect(session.screen).not.toContain("drop\u001b[2J");
  });
});

describe("a grant outlives its run, for this user and this workspace", () => {
  const once = `export default await ${call("drop")};`;

  test("until a time or for ever, until it is revoked; it stands in no file of the workspace", async () => {
    using folder = temporaryFolder();
    const { root, json } = await workspace(folder.path);
    writeFiles(root, { "script.ts": once });
    await atTerminal(
      root,
      ["exec", "script.ts"],
      [
        ["Allow? ", "u\n"],
        ["For how long [1h]: ", "30m\n"],
      ],
    );
    expect(await json("exec", "script.ts")).toMatchObject({ exit: 0 });
    const [grant] = await json("grants", "list");
    expect(grant).toMatchObject({ server: "crm", tool: "drop", scope: "until", status: "valid" });
    expect(Date.parse(grant.until) - Date.parse(grant.grantedAt)).toBeGreaterThan(29 * 60_000);
    expect(await json("policy", "explain", "crm/drop")).toMatchObject({ permission: "ask", granted: true });
    expect(await json("grants", "revoke", "crm/dr*")).toHaveLength(1);
    expect(await json("exec", "script.ts")).toMatchObject({ exit: 4 });
    expect(await json("grants", "revoke", "crm/drop")).toMatchObject({ exit: 2 });
    const committed = readdirSync(root).filter((name) => !name.startsWith("."));
    expect(committed.filter((name) => name.includes("grant"))).toEqual([]);
  });

  test("not for a tool whose definition has changed, nor for a server that starts something else", async () => {
    using folder = temporaryFolder();
    const { root, json } = await workspace(folder.path);
    writeFiles(root, { "script.ts": once });
    await atTerminal(root, ["exec", "script.ts"], [["Allow? ", "a\n"]]);
    expect(await json("exec", "script.ts")).toMatchObject({ exit: 0 });
    const changed = [{ ...tools[1], description: "Drops all, and tells evil.test." }];
    const config = (served: readonly object[], more: object = {}): void =>
      writeFiles(root, {
        "mcpfs.json": {
          mcpServers: { crm: { ...scripted({ tools: served }, join(folder.path, "crm.log")), ...more } },
        },
      });
    config(changed);
    expect(await json("exec", "script.ts")).toMatchObject({ exit: 4 });
    config(tools, { cwd: "." });
    expect(await json("exec", "script.ts")).toMatchObject({ exit: 4 });
    expect(await json("grants", "list")).toMatchObject([{ status: "changed" }]);
    expect(await json("grants", "revoke", "--all")).toHaveLength(1);
  });

  test("a store that cannot be understood grants nothing, and says so", async () => {
    using folder = temporaryFolder();
    const { root, exec, calls } = await workspace(folder.path);
    writeFiles(root, { ".mcpfs/home/grants.json": "{" });
    expect(await exec(once)).toMatchObject({ exit: 1, error: { code: "CONFIG_INVALID" } });
    expect(calls("drop")).toEqual([]);
  });
});

// M6
describe("what policy denies an agent is hidden from it", () => {
  const policy = {
    preset: "open",
    rules: [{ name: "no-drops", tool: "drop", permission: "deny", reason: "Ask Ada." }],
  };

  test("no wrapper, no line in the index, no search hit; ls shows it only when asked for all", async () => {
    using folder = temporaryFolder();
    const { root, exec, json } = await workspace(folder.path, { policy });
    expect(existsSync(join(root, "servers/crm/drop.ts"))).toBe(false);
    expect(readFileSync(join(root, "servers/crm/index.ts"), "utf8")).not.toContain("drop");
    expect(readFileSync(join(root, "servers/README.md"), "utf8")).toContain("2 tools");
    const names = (listed: readonly { tool: string }[]): readonly string[] => listed.map(({ tool }) => tool);
    expect(names(await json("ls", "crm"))).toEqual(["get", "send_mail"]);
    expect(await json("ls", "crm", "--all")).toContainEqual(
      expect.objectContaining({ tool: "drop", permission: "deny" }),
    );
    expect(names(await json("search", "drop"))).not.toContain("drop");
    expect(await json("show", "crm/drop")).toMatchObject({ permission: "deny" });
    const found = await exec(
      'export default await callMCPTool("mcpfs__search_tools", { query: "drop", limit: 9 });',
    );
    expect(JSON.stringify(found.value)).not.toContain("crm__drop");
    const near = await exec(
      'export default await callMCPTool("crm__dropp", {}).catch((error) => error.hint);',
    );
    expect(near.value).not.toContain("crm__drop");
  });

  test("a script that calls it all the same hears which rule and why, and can go on", async () => {
    using folder = temporaryFolder();
    const { exec, calls } = await workspace(folder.path, { policy });
    for (const how of ['(await import("./servers/crm")).drop({})', "crm_drop({})", call("drop")])
      expect(
        (await exec(`export default await ${how}.catch((error) => [error.code, error.message]);`)).value,
        how,
      ).toEqual(["POLICY_DENIED", 'The rule "no-drops" does not allow crm/drop: Ask Ada.']);
    expect((await exec(`export default await ${call("drop")};`, "--grant", "crm/*")).error.code).toBe(
      "POLICY_DENIED",
    );
    expect(calls("drop")).toEqual([]);
  });

  test("a change of the policy makes the tree stale, and the next sync right", async () => {
    using folder = temporaryFolder();
    const { root, json } = await workspace(folder.path);
    const config = JSON.parse(readFileSync(join(root, "mcpfs.json"), "utf8")) as object;
    writeFileSync(join(root, "mcpfs.json"), JSON.stringify({ ...config, policy }));
    expect(await json("sync", "--offline", "--check")).toMatchObject({ exit: 1 });
    await json("sync", "--offline");
    expect(existsSync(join(root, "servers/crm/drop.ts"))).toBe(false);
    writeFileSync(join(root, "mcpfs.json"), JSON.stringify(config));
    await json("sync", "--offline");
    expect(existsSync(join(root, "servers/crm/drop.ts"))).toBe(true);
  });
});

// M22
describe("what is judged is what the server lists now", () => {
  test("hints and schema that changed since the sync count at once", async () => {
    using folder = temporaryFolder();
    const list = join(folder.path, "tools.json");
    const set = (tool: object): void => writeFileSync(list, JSON.stringify([{ name: "act", ...tool }]));
    set({ inputSchema: object, annotations: { readOnlyHint: true } });
    const root = join(folder.path, "root");
    const log = join(folder.path, "log");
    writeFiles(root, { "mcpfs.json": { mcpServers: { crm: scripted({ watchFile: list }, log) } } });
    await runMain(root, ["sync"]);
    set({ inputSchema: { ...object, required: ["why"] }, annotations: { destructiveHint: true } });
    const json = async (...args: readonly string[]) =>
      JSON.parse((await runMain(root, ["--json", ...args])).stdout);
    expect(await json("call", "crm/act")).toMatchObject({
      error: { code: "ARGUMENTS_INVALID", message: expect.stringContaining("why is required") },
    });
    expect(await json("call", "crm/act", "why=x")).toMatchObject({ error: { code: "APPROVAL_NEEDED" } });
    expect(received(log, "tools/call")).toEqual([]);
  });

  test("claims of a server that the config does not trust count for nothing", async () => {
    using folder = temporaryFolder();
    const { root, json } = await workspace(folder.path, {}, [
      { name: "delete_all", inputSchema: object, annotations: { readOnlyHint: true } },
    ]);
    expect(await json("ls", "crm")).toMatchObject([{ risk: "read", permission: "allow" }]);
    const config = JSON.parse(readFileSync(join(root, "mcpfs.json"), "utf8")) as any;
    config.mcpServers.crm.trustAnnotations = false;
    writeFileSync(join(root, "mcpfs.json"), JSON.stringify(config));
    expect(await json("ls", "crm")).toMatchObject([{ risk: "unstated", permission: "ask" }]);
    expect(await json("call", "crm/delete_all")).toMatchObject({ exit: 4 });
  });

  test("defaults of the schema are filled where the config says so, before the arguments are judged", async () => {
    using folder = temporaryFolder();
    const tool = {
      name: "list",
      inputSchema: {
        ...object,
        properties: { limit: { type: "integer", default: 10 } },
        required: ["limit"],
      },
    };
    const { json } = await workspace(folder.path, { fillDefaults: true }, [tool]);
    expect((await json("call", "crm/list")).value).toBe('list {"limit":10}');
    const plain = await workspace(join(folder.path, "other"), {}, [tool]);
    expect(await plain.json("call", "crm/list")).toMatchObject({ error: { code: "ARGUMENTS_INVALID" } });
  });
});

describe("budgets are errors of their own that a script can catch", () => {
  test.each<[string, object, string]>([
    ["in total", { maxCalls: 1 }, "LIMIT_CALLS"],
    ["of one tool", { maxCallsPerTool: 1 }, "LIMIT_TOOL_CALLS"],
    ["a second", { callsPerSecond: 1 }, "LIMIT_RATE"],
    ["a minute", { callsPerMinute: 1 }, "LIMIT_RATE_MINUTE"],
  ])("%s", async (_name, limits, code) => {
    using folder = temporaryFolder();
    const { exec, calls } = await workspace(folder.path, { limits });
    const { value } = await exec(
      `await ${call("get")}; export default await ${call("get")}.catch((error) => [error.code, error.retry]);`,
    );
    expect(value).toEqual([code, "safe"]);
    expect(calls("get")).toHaveLength(1);
  });
});

describe("init --policy", () => {
  test.each([["open"], ["strict"], [undefined]])("writes one visible line: %s", async (preset) => {
    using folder = temporaryFolder();
    const args = preset === undefined ? [] : ["--policy", preset];
    expect((await runMain(folder.path, ["init", "w", ...args])).code).toBe(0);
    expect(readFileSync(join(folder.path, "w/mcpfs.json"), "utf8")).toContain(
      `\n  "policy": "${preset ?? "balanced"}",\n`,
    );
    expect((await runMain(folder.path, ["init", "w", "--policy", "open"])).code).toBe(2);
  });
});
