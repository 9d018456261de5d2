import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { jsonOf, makeWorkspace, runCli, writeFiles } from "./run-cli.ts";

const tools = [
  {
    name: "get_contact",
    description: "Gets a contact.",
    inputSchema: {
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
      additionalProperties: false,
    },
  },
  { name: "fail", inputSchema: { type: "object" } },
  { name: "hang", inputSchema: { type: "object" } },
];
const answers = { fail: { text: "quota exceeded", isError: true }, hang: { never: true } };

/** Script, flags, and what must come out: code, line in the script, exit code, and a word of the message. */
const CASES: readonly [string, string, readonly string[], string, number | null, number, RegExp][] = [
  ["throws", 'const x = 1;\n\nthrow new Error("no luck");', [], "SCRIPT_ERROR", 3, 1, /^no luck$/],
  [
    "reads a property of undefined",
    "const row: any = undefined;\nconsole.log(row.name);",
    [],
    "SCRIPT_ERROR",
    2,
    1,
    /name/,
  ],
  ["does not parse", "const a = 1;\nconst b = ;\n", [], "SCRIPT_ERROR", 2, 1, /Unexpected/],
  ["loops for ever", "let n = 0;\nwhile (true) {\n  n += 1;\n}", [], "LIMIT_CPU", 2, 5, /computed/],
  [
    "waits for ever on a tool",
    'import { hang } from "./servers/crm";\n\nawait hang({});',
    ["--timeout", "1500ms"],
    "LIMIT_WALL",
    null,
    5,
    /crm__hang/,
  ],
  ["waits for nothing", "\nawait new Promise(() => {});", [], "DEADLOCK", null, 5, /./],
  [
    "reads a file outside",
    '\nconst text = await fs.readFile("../../etc/passwd", "utf8");',
    [],
    "FILE_OUTSIDE_WORKSPACE",
    2,
    1,
    /passwd/,
  ],
  [
    "uses the sync API of node:fs",
    'import { readFileSync } from "node:fs";\n\nreadFileSync("./workspace/a.txt");',
    [],
    "IMPORT_REFUSED",
    3,
    1,
    /readFileSync/,
  ],
  ["imports a package", 'import _ from "lodash";\n_.map([]);', [], "IMPORT_REFUSED", 1, 1, /lodash/],
  ["uses fetch", '\n\nawait fetch("http://example.com");', [], "IMPORT_REFUSED", 3, 1, /fetch/],
  [
    "calls a tool by an unknown name",
    '\nawait callMCPTool("crm__get_contct", {});',
    [],
    "TOOL_UNKNOWN",
    2,
    1,
    /get_contct/,
  ],
  [
    "calls an unknown member",
    'import * as crm from "./servers/crm";\n\nawait crm.getContct({ id: "1" });',
    [],
    "TOOL_UNKNOWN",
    3,
    1,
    /getContct/,
  ],
  [
    "calls a tool that answers isError",
    'import * as crm from "./servers/crm";\n\nawait crm.fail({});',
    [],
    "TOOL_ERROR",
    3,
    1,
    /^quota exceeded$/,
  ],
  [
    "passes arguments that do not fit",
    'import * as crm from "./servers/crm";\nawait crm.getContact({ ID: "1" });',
    [],
    "ARGUMENTS_INVALID",
    2,
    1,
    /id is required/,
  ],
  [
    "fills the memory",
    "const keep = [];\nfor (;;) keep.push({ s: 'x'.repeat(1000) });",
    ["--memory", "16mb"],
    "LIMIT_MEMORY",
    null,
    5,
    /16/,
  ],
  [
    "makes too many calls",
    'import * as crm from "./servers/crm";\nfor (;;) await crm.getContact({ id: "1" });',
    ["--max-calls", "3"],
    "LIMIT_CALLS",
    2,
    1,
    /3/,
  ],
  [
    "mixes export and a top-level return",
    "export const a = 1;\nreturn 2;",
    [],
    "SCRIPT_ERROR",
    2,
    1,
    /return/,
  ],
];

// M15, M17
describe("a script that cannot go on says why: code, sentence, hint, line and exit code", () => {
  const folder = temporaryFolder();
  beforeAll(async () => {
    await makeWorkspace(folder.path, { crm: scripted({ tools, answers }) });
  });
  afterAll(() => folder[Symbol.dispose]());

  test.each(CASES)("a script that %s", async (name, text, flags, code, line, exitCode, message) => {
    const file = `${name.replaceAll(/\W/g, "-")}.ts`;
    writeFiles(folder.path, { [file]: text });
    const json = await runCli(folder.path, ["--json", "exec", file, ...flags]);
    const report = JSON.parse(json.stdout);
    expect(report.error).toMatchObject({ code, file });
    if (line !== null) expect(report.error.line).toBe(line);
    expect(report.error.message).toMatch(message);
    expect(report.error.hint).not.toBe("");
    expect(report.kind).toBe(exitCode === 5 ? "stopped" : "failed");
    expect(json.code).toBe(exitCode);
    // Nothing of ours in the stack: no prelude, no bundle, no host file.
    expect(report.error.stack).not.toMatch(/script\.mjs|guest|dist|node_modules|src\//);
  });

  test("a loop that never ends is found where it is", async () => {
    writeFiles(folder.path, { "loop.ts": "const a = 1;\n\nfor (;;) {\n  Math.sqrt(a);\n}" });
    const report = await jsonOf(folder.path, ["exec", "loop.ts"]);
    expect(report.error.code).toBe("LIMIT_CPU");
    expect([3, 4]).toContain(report.error.line);
  });

  test("for a person the error stands on stderr with the source line and a caret", async () => {
    writeFiles(folder.path, { "oops.ts": 'const a = 1;\nthrow new Error("no luck");' });
    const { stdout, stderr } = await runCli(folder.path, ["exec", "oops.ts"]);
    expect(stdout).toBe("");
    expect(stderr).toContain("error SCRIPT_ERROR: no luck");
    expect(stderr).toContain("at oops.ts:2:");
    expect(stderr).toMatch(/ {6}throw new Error\("no luck"\);\n {6} *\^/);
    expect(stderr).toContain("hint ");
  });
});

test("a script that does not exist, a missing workspace and wrong words have their own codes", async () => {
  using folder = temporaryFolder();
  expect(await jsonOf(folder.path, ["exec", "none.ts"])).toMatchObject({ error: { code: "USAGE" } });
  expect(await jsonOf(folder.path, ["ls"])).toMatchObject({ error: { code: "WORKSPACE_MISSING" } });
  expect((await runCli(folder.path, ["ls"])).code).toBe(3);
  expect(await jsonOf(folder.path, ["lss"])).toMatchObject({ error: { code: "USAGE" } });
  expect((await runCli(folder.path, ["lss"])).code).toBe(2);
  expect((await runCli(folder.path, ["exec", "--timeout", "soon", "x.ts"])).code).toBe(2);
});
