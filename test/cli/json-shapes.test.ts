import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jsonShapes, jsonShapeText } from "../../src/cli/json-shapes.ts";
import { packageFile } from "../../src/kernel/paths.ts";
import { createGrantStore } from "../../src/trust/grant-store.ts";
import { scripted, temporaryFolder, until } from "../servers/servers.ts";
import { makeWorkspace, startCli, writeFiles } from "./run-cli.ts";
import { runMain } from "./run-main.ts";
import { trustHome } from "./trust-config.ts";

const object = { type: "object" };
const tools = [
  {
    name: "get_contact",
    title: "Get a contact",
    description: "Gets a contact.",
    inputSchema: { ...object, properties: { id: { type: "string" } }, required: ["id"] },
    outputSchema: { ...object, properties: { name: { type: "string" } } },
    annotations: { readOnlyHint: true },
  },
  { name: "fail", inputSchema: object },
  { name: "hang", inputSchema: object, annotations: { destructiveHint: true, readOnlyHint: false } },
  { name: "silent", inputSchema: object },
  { name: "long", inputSchema: object },
];
const answers = {
  get_contact: { result: { content: [], structuredContent: { name: "Ada" } } },
  fail: { text: "quota exceeded", isError: true },
  hang: { never: true },
  silent: { result: { content: [] } },
  long: { raw: '{"content":[],"structuredContent":{"id":12345678901234567890}}' },
};

const draft = { name: "draft", path: "skills/draft.ts", status: "draft" };

const SCHEMAS = packageFile("dist/schemas");
const ajv = new Ajv({ strict: true, allErrors: true });
const compiled = new Map<string, ValidateFunction>();

/** The shipped schema of a shape. */
function validatorOf(shape: string): ValidateFunction {
  const known = compiled.get(shape);
  if (known !== undefined) return known;
  const schema: unknown = JSON.parse(readFileSync(join(SCHEMAS, `${shape}.schema.json`), "utf8"));
  const validate = ajv.compile(schema as object);
  compiled.set(shape, validate);
  return validate;
}

/** Parses one JSON value, and holds it to a shape. */
function parsed(shape: string, text: string): any {
  const value: unknown = JSON.parse(text);
  const validate = validatorOf(shape);
  validate(value);
  expect(validate.errors, text.slice(0, 2_000)).toBeNull();
  return value;
}

// M4, M18, M22, M27
describe("what a command prints with --json has the shape that ships", () => {
  const folder = temporaryFolder();
  const root = folder.path;
  beforeAll(async () => {
    await makeWorkspace(root, { crm: scripted({ tools, answers }), gone: scripted({ tools }) });
    writeFiles(root, {
      "mcpfs.json": {
        mcpServers: {
          crm: scripted({ tools: [...tools, { name: "added", inputSchema: object }], answers }),
          gone: { ...scripted({ tools }), enabled: false },
          broken: { command: "${NOT_SET_ANYWHERE}" },
        },
      },
      "remote/mcpfs.json": { mcpServers: { web: { url: "https://host.example/mcp" } } },
    });
  });
  afterAll(() => folder[Symbol.dispose]());

  /** Runs a command; its whole stdout is one JSON value on one line. */
  const run = async (shape: string, args: readonly string[], exitCode: number, stdin = ""): Promise<any> => {
    const { code, stdout, stderr } = await runMain(root, ["--json", ...args], { stdin });
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: expect.any(String) });
    expect(stdout.match(/\n/g)).toHaveLength(1);
    return parsed(shape, stdout);
  };

  /** Script, flags, exit code, and what must be in the report. */
  const SCRIPTS: readonly (readonly [string, string, readonly string[], number, object])[] = [
    ["gives a value", "export default { a: [1, null] }", [], 0, { value: { a: [1, null] }, error: null }],
    ["gives none", "console.log('x'); console.warn('y')", [], 0, { value: null, output: ["x", "y"] }],
    ["gives a long integer", "export default await crm_long()", [], 0, { kind: "ok" }],
    [
      "calls",
      'import * as crm from "./servers/crm"; return (await crm.getContact({ id: "1" })).name',
      [],
      0,
      { value: "Ada", calls: { total: 1, ok: 1, failed: 0, unknown: 0 } },
    ],
    ["throws", 'throw new Error("no")', [], 1, { kind: "failed", error: { code: "SCRIPT_ERROR" } }],
    ["throws no error", "throw undefined", [], 1, { kind: "failed" }],
    ["does not parse", "const = 1", [], 1, { error: { code: "SCRIPT_ERROR" }, calls: { total: 0 } }],
    [
      "imports what it may not",
      'import "node:child_process"',
      [],
      1,
      { error: { code: "IMPORT_REFUSED" }, calls: { total: 0 } },
    ],
    ["meets isError", "await crm_fail()", [], 1, { error: { code: "TOOL_ERROR" }, calls: { failed: 1 } }],
    [
      "passes wrong arguments",
      'import * as crm from "./servers/crm"; await crm.getContact({})',
      [],
      1,
      { error: { code: "ARGUMENTS_INVALID" }, effects: [{ status: "never-sent", retry: "safe" }] },
    ],
    [
      "is stopped in a call",
      "await crm_hang()",
      ["--timeout", "1500ms", "--grant", "crm/hang"],
      5,
      { kind: "stopped", error: { code: "LIMIT_WALL" }, effects: [{ status: "unknown", retry: "unsafe" }] },
    ],
    [
      "waits for a person",
      "await crm_hang({})",
      [],
      4,
      { kind: "suspended", error: { code: "APPROVAL_NEEDED" }, waiting: [{ call: 1, tool: "hang" }] },
    ],
    ["waits for nothing", "await new Promise(() => {})", [], 5, { error: { code: "DEADLOCK" } }],
    [
      "forgets a rejection",
      'Promise.reject(new Error("late")); await new Promise((r) => setTimeout(r, 5))',
      [],
      0,
      { warnings: [expect.stringContaining("late")] },
    ],
    [
      "prints too much",
      "for (let i = 0; i < 100; i += 1) console.log('line ' + i)",
      ["--max-output", "100b"],
      0,
      { kind: "ok" },
    ],
    ["is empty", "", [], 0, { value: null }],
    ["is counted", "export default 1", ["--tokens"], 0, { tokens: { arguments: 0, results: 0 } }],
  ];

  test.each(SCRIPTS)("exec of a script that %s", async (_what, script, flags, exitCode, report) => {
    expect(await run("exec", ["exec", "-", ...flags], exitCode, script)).toMatchObject(report);
  });

  /** Shape, words, exit code, and what must be in the answer, if more than the shape. */
  const COMMANDS: readonly (readonly [string, readonly string[], number, unknown?])[] = [
    ["ls", ["ls", "crm"], 0, expect.arrayContaining([expect.objectContaining({ name: "getContact" })])],
    ["ls", ["ls"], 0],
    ["ls", ["ls", "gone"], 0, []],
    ["error", ["ls", "nobody"], 2, { error: { code: "USAGE" } }],
    ["search", ["search", "contact", "-k", "1"], 0, [{ tool: "get_contact", risk: "read" }]],
    [
      "search",
      ["search", "contact", "--detail", "full", "-k", "1"],
      0,
      [{ signature: expect.stringContaining("getContact") }],
    ],
    ["search", ["search", "zzzzqqq"], 0, []],
    ["search", ["search", ""], 0],
    ["error", ["search"], 2, { error: { code: "USAGE" } }],
    ["show", ["show", "crm/get_contact"], 0, { definition: tools[0] }],
    ["show", ["show", "crm__hang", "--format", "schema"], 0, { risk: "destructive" }],
    ["show", ["show", "--format", "anthropic", "--defer"], 0, { format: "anthropic" }],
    ["show", ["show", "crm/hang", "--format", "gemini"], 0, { tools: [{ name: "crm__hang" }] }],
    ["error", ["show"], 2, { error: { code: "USAGE" } }],
    ["error", ["show", "crm/get_contct"], 1, { error: { code: "TOOL_UNKNOWN" } }],
    ["call", ["call", "crm/get_contact", "id=1"], 0, { isError: false, value: { name: "Ada" } }],
    ["call", ["call", "crm/silent"], 0, { value: null, content: [] }],
    ["call", ["call", "crm/long"], 0],
    ["call", ["call", "crm/fail"], 1, { isError: true, value: null }],
    ["error", ["call", "crm/get_contact"], 1, { error: { code: "ARGUMENTS_INVALID" } }],
    ["error", ["call", "crm/hang"], 4, { error: { code: "APPROVAL_NEEDED" } }],
    ["policy-explain", ["policy", "explain", "crm/hang"], 0, { permission: "ask", granted: false }],
    ["policy-explain", ["policy", "explain", "crm/get_contact", "id=1", "--caller", "skill:x"], 0],
    ["error", ["policy", "explain", "crm/get_contact", "--caller", "nobody"], 2],
    ["error", ["exec", "s.ts", "--grant", "crm/hng"], 2, { error: { code: "USAGE" } }],
    ["error", ["grants", "revoke"], 2, { error: { code: "USAGE" } }],
    ["error", ["call", "gone/fail"], 1, { error: { code: "TOOL_UNAVAILABLE" } }],
    ["error", ["call", "crm/fail", "{"], 2, { error: { code: "USAGE" } }],
    ["sync", ["sync", "crm", "--check"], 1, { servers: [{ status: "stale", added: ["added"] }] }],
    [
      "sync",
      ["sync", "--offline"],
      0,
      { servers: [{ name: "broken" }, { name: "crm", tools: 5 }, { name: "gone" }] },
    ],
    [
      "sync",
      ["sync"],
      3,
      {
        servers: [
          { name: "broken", status: "failed", error: { code: "CONFIG_INVALID" } },
          { name: "crm", status: "ok", tools: 6 },
          { name: "gone", status: "disabled", tools: 0 },
        ],
      },
    ],
    ["error", ["sync", "nobody"], 2, { error: { code: "USAGE" } }],
    ["skills-list", ["skills", "list"], 0, []],
    [
      "skills-save",
      ["skills", "save", "s.ts", "--name", "good", "--description", "Does it."],
      0,
      saved(true),
    ],
    [
      "skills-save",
      ["skills", "save", "s.ts", "--name", "good", "--description", "Does it."],
      0,
      saved(false),
    ],
    ["error", ["skills", "save", "s.ts", "--name", "good", "--description", "Else."], 1],
    ["error", ["skills", "save", "s.ts", "--name", "No Good", "--description", "Else."], 1],
    ["skills-list", ["skills", "list"], 0, [{ name: "bad", status: "broken" }, draft, { status: "ok" }]],
    ["error", ["skills"], 2, { error: { code: "USAGE" } }],
    ["add", ["add", "docs", "--builtin", "docs", "--no-sync"], 0, { path: "mcpfs.json", changed: true }],
    ["add", ["add", "docs", "--builtin", "docs"], 0, { name: "docs", changed: false }],
    ["add", ["add", "dead", "--", "node", "no-such-file.mjs"], 3, { changed: true }],
    ["error", ["add", "docs", "--builtin", "crm"], 2],
    ["error", ["add", "docs", "--url", "ftp://host"], 2],
    ["rm", ["rm", "docs"], 0, { name: "docs", path: "mcpfs.json", changed: true }],
    ["error", ["rm", "docs"], 2],
    [
      "servers-search",
      ["servers", "search", "contact"],
      0,
      [
        { name: "gone", enabled: false },
        { name: "crm", tools: 6 },
      ],
    ],
    ["servers-search", ["servers", "search"], 0, [{}, {}, {}, { name: "gone", enabled: false, tools: 5 }]],
    ["servers-disable", ["servers", "disable", "crm"], 0, { name: "crm", changed: true }],
    ["servers-enable", ["servers", "enable", "crm"], 0, { name: "crm", path: "mcpfs.json", changed: true }],
    ["servers-enable", ["servers", "enable", "crm"], 0, { changed: false }],
    ["error", ["servers", "enable", "crn"], 2, { error: { code: "USAGE" } }],
    ["stats", ["stats"], 0, { encoding: "o200k_base", recommendation: { mode: "direct" } }],
    ["trust", ["trust"], 0, { servers: [{}, {}, {}, {}] }],
    ["auth", ["-C", "remote", "auth", "web", "--forget"], 0, { server: "web", signedIn: false }],
    ["error", ["auth", "crm"], 2, { error: { code: "USAGE" } }],
    ["init", ["init", "inner"], 0, { path: join(root, "inner"), changed: true }],
    ["init", ["init", "inner"], 0, { changed: false }],
    ["error", ["init", "workspace-of-others"], 1, { error: { code: "FILE_IN_THE_WAY" } }],
    ["error", ["exec", "no-such-script.ts"], 2],
    ["error", ["no-such-command"], 2],
    ["error", ["ls", "--no-such-option"], 2],
    ["error", ["-C", "/no-such-folder", "ls"], 3, { error: { code: "WORKSPACE_MISSING" } }],
    ["error", ["demo", "."], 1, { error: { code: "FILE_IN_THE_WAY" } }],
  ];

  test("every other command, in the order of a day", async () => {
    writeFiles(root, {
      "s.ts": "export default 1;",
      "workspace-of-others/tsconfig.json": {},
    });
    for (const [shape, words, exitCode, wanted] of COMMANDS) {
      if (words.includes("list") && wanted !== undefined && (wanted as unknown[]).length > 0)
        writeFiles(root, {
          "skills/bad/SKILL.md": "no front matter",
          "skills/draft.ts": "export const a = 1;",
        });
      const value = await run(shape, words, exitCode);
      if (Array.isArray(wanted)) expect(value, words.join(" ")).toHaveLength(wanted.length);
      if (wanted !== undefined) expect(value, words.join(" ")).toMatchObject(wanted as object);
    }
  });

  test("runs: approve and deny; grants: list and revoke", async () => {
    const { runId } = await run("exec", ["exec", "-"], 4, "await Promise.all([crm_hang({}), crm_hang({})]);");
    await run("runs-deny", ["runs", "deny", runId, "--call", "1"], 0);
    const [approved] = await run("runs-approve", ["runs", "approve", runId], 0);
    expect(approved).toMatchObject({ call: 2, decision: "approved" });
    await run("error", ["runs", "approve", runId], 2);
    const grant = { id: "1", server: "crm", identity: "i", tool: "hang", definition: "d", grantedMs: 1 };
    await createGrantStore(root, { MCPFS_HOME: trustHome(root) }).add({ ...grant, untilMs: 2 } as never);
    expect(await run("grants-list", ["grants", "list"], 0)).toMatchObject([{ id: "1", status: "expired" }]);
    expect(await run("grants-revoke", ["grants", "revoke", "1"], 0)).toHaveLength(1);
  });

  test("runs: list, show, resume, export and prune", async () => {
    const script =
      'await crm_getContact({ id: "1" }); if (args === null) throw new Error("no"); export default 1;';
    writeFiles(root, { "job.ts": script, "mended.ts": script.replace("args === null", "false") });
    const { runId } = await run("exec", ["exec", "job.ts"], 1);
    const [listed] = await run("runs-list", ["runs", "list"], 0);
    expect(listed).toMatchObject({ runId, kind: "failed", script: "job.ts", calls: 1, resumable: true });
    const shown = await run("runs-show", ["runs", "show", runId], 0);
    expect(shown).toMatchObject({ runId, kind: "failed", error: { code: "SCRIPT_ERROR" }, repeats: [] });
    const resumed = await run("runs-resume", ["runs", "resume", runId, "mended.ts"], 0);
    expect(resumed).toMatchObject({ runId, kind: "ok", value: 1, calls: { total: 1 }, next: null });
    const spans = await run("runs-export", ["runs", "export", runId], 0);
    expect(spans.resourceSpans[0].scopeSpans[0].spans).toHaveLength(2);
    const { removed } = await run("runs-prune", ["runs", "prune", "--keep", "1", "--dry-run"], 0);
    expect(removed).not.toContain(runId);
    await run("error", ["runs", "show", "20200101-000000-00000000"], 2);
    await run("error", ["runs", "resume", runId], 2);
  });

  test("demo, also when it keeps nothing", async () => {
    const value = await run("demo", ["demo"], 0);
    expect(value.root).toBeNull();
    expect(value.chapters.length).toBeGreaterThan(2);
    const kept = await run("demo", ["demo", "the-demo"], 0);
    expect(kept.root).toBe(join(root, "the-demo"));
  });

  test("watch prints one object a line: each sync, and what keeps it from one", async () => {
    using watched = temporaryFolder();
    await makeWorkspace(watched.path, { crm: scripted({ tools, answers }) });
    const child = startCli(watched.path, ["--json", "watch"]);
    let printed = "";
    child.stdout.on("data", (text) => {
      printed += String(text);
    });
    const lines = (): readonly string[] => printed.split("\n").slice(0, -1);
    try {
      await until("the first sync", () => lines().length >= 1, 15_000);
      // The watch of the file begins after the first sync; a person is slower than this.
      await new Promise((resolve) => setTimeout(resolve, 500));
      writeFileSync(join(watched.path, "mcpfs.json"), '{"mcpServers": {');
      await until("the complaint", () => lines().length >= 2, 10_000);
    } finally {
      child.kill("SIGINT");
      await new Promise((resolve) => child.on("close", resolve));
    }
    const [first, second] = lines().map((line) => parsed("watch", line));
    expect(first).toMatchObject({ servers: [{ name: "crm", tools: 5 }] });
    expect(second).toMatchObject({ error: { code: "CONFIG_INVALID" } });
  });

  test("install and uninstall of a client's config in the workspace", async () => {
    const at = ["--client", "cursor", "--project", "--yes"];
    expect(await run("install", ["install", ...at], 0)).toMatchObject({ client: "cursor", changed: true });
    expect(await run("uninstall", ["uninstall", ...at], 0)).toMatchObject({
      client: "cursor",
      changed: true,
    });
  });

  test("serve over HTTP says where it can be reached", async () => {
    using served = temporaryFolder();
    await makeWorkspace(served.path, { crm: scripted({ tools, answers }) });
    const child = startCli(served.path, ["--json", "serve", "--http", "0"]);
    let printed = "";
    child.stdout.on("data", (text) => {
      printed += String(text);
    });
    try {
      await until("the address", () => printed.endsWith("\n"), 15_000);
    } finally {
      child.kill("SIGINT");
      await new Promise((resolve) => child.on("close", resolve));
    }
    expect(parsed("serve", printed)).toMatchObject({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/) });
  });

  test("each shape was met above, and each ships", () => {
    expect([...compiled.keys()].sort()).toEqual(Object.keys(jsonShapes()).sort());
    const shipped = readdirSync(SCHEMAS).map((name) => name.replace(".schema.json", ""));
    expect(shipped.sort()).toEqual([...Object.keys(jsonShapes()), "mcpfs"].sort());
    for (const [name, shape] of Object.entries(jsonShapes()))
      expect(readFileSync(join(SCHEMAS, `${name}.schema.json`), "utf8")).toBe(jsonShapeText(name, shape));
  });
});

function saved(changed: boolean): object {
  return { name: "good", path: "skills/good", changed };
}

test("a shape refuses a member too many, and one too few", () => {
  const validate = validatorOf("add");
  expect(validate({ name: "a", path: "b", changed: true })).toBe(true);
  expect(validate({ name: "a", path: "b", changed: true, more: 1 })).toBe(false);
  expect(validate({ name: "a", path: "b" })).toBe(false);
});
