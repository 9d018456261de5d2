import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundler, createBundler } from "../../src/bundle/bundler.ts";
import { createPlaceMapper } from "../../src/bundle/place.ts";
import { McpfsError } from "../../src/kernel/errors.ts";
import { runInGuest } from "./guest.ts";
import { makeWorkspace, worldOf } from "./workspace.ts";

let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
let bundler: Bundler;

beforeAll(async () => {
  bundler = createBundler();
  workspace = await makeWorkspace({
    "skills/throws.ts":
      "interface Never { a: 1 }\n\nexport function throws(x: any): Never {\n  return x.y.z;\n}\n",
    "skills/unclosed.ts": "export function unclosed() {\n  if (true) {\n}\n",
  });
});
afterAll(async () => {
  await bundler.close();
  await workspace.remove();
});

const bundle = (text: string, name = "report.ts") =>
  bundler.bundle({ path: undefined, name, text }, worldOf(workspace.root));

async function thrownPlace(text: string) {
  const built = await bundle(text);
  const end = await runInGuest(built.code, () => new Error("no"));
  expect(end.error).toBeDefined();
  return createPlaceMapper(built).stack(end.error?.stack ?? "");
}

describe("an error that a script throws is at the script's own line and column", () => {
  const cases: readonly [name: string, script: string, line: number, column: number][] = [
    [
      "in a function with types",
      "type X = { y?: { z: number } };\n\nfunction inner(x: X) {\n  return x.y!.z;\n}\nexport default inner({});",
      4,
      15,
    ],
    ["on the first line", "null.x;", 1, 6],
    [
      "behind an enum and an interface",
      "enum A {\n  B = 1,\n}\ninterface C {\n  d: A;\n}\nthrow new Error(String(A.B));",
      7,
      11,
    ],
    ["behind characters of two and four bytes", 'const é = "ü😀"; const n = null; n.x;', 1, 36],
    ["behind a byte order mark", "\ufeffnull.x;", 1, 6],
    ["behind a hash-bang", "#!/usr/bin/env -S mcpfs exec\nnull.x;", 2, 6],
    ["with CRLF", "const a = 1;\r\nconst b = null;\r\nb.x;\r\n", 3, 3],
    ["in a default function", "export default async () => {\n  const a = null;\n  return a.b;\n};", 3, 12],
    [
      "behind imports that are gone",
      'import { query } from "./servers/salesforce";\nimport type { X } from "./servers/salesforce";\nquery;\nnull.x;',
      4,
      6,
    ],
    ["with a top-level return", "const a = null;\nif (a) return 1;\nreturn a.b;", 3, 10],
    ["with a top-level return on the first line", "return null.x;", 1, 13],
    [
      "with a top-level return behind an import on one line",
      'import { query } from "./servers/salesforce"; const q = query; return null.x;',
      1,
      76,
    ],
    [
      "with a top-level return behind an import of many lines",
      'import {\n  query, // all\n} from "./servers/salesforce"; return query.x.y;',
      3,
      47,
    ],
  ];
  it.each(cases)("%s", async (_name, script, line, column) => {
    expect(await thrownPlace(script)).toMatchObject({ file: "report.ts", line, column });
  });
});

describe("a tool's error is at the line that calls it", () => {
  const cases: readonly [script: string, line: number, column: number][] = [
    ['import { query } from "./servers/salesforce";\n\nawait query({});', 3, 7],
    [
      'import * as s from "./servers/salesforce";\nasync function f() {\n  return s.query({});\n}\nawait f();',
      3,
      12,
    ],
    ['import { query } from "./servers/salesforce"; return await query({});', 1, 60],
    ["\nawait logging_getLogs({});", 2, 7],
    ['\nawait callMCPTool("x__y", {});', 2, 7],
    ['import { callMCPTool as call } from "./client";\nawait call("x__y", {});', 2, 7],
  ];
  it.each(cases)("%s", async (script, line, column) => {
    const place = await thrownPlace(script);
    expect(place).toMatchObject({ file: "report.ts", line, column });
  });
  it("and the stack shows the wrapper above it", async () => {
    const { stack } = await thrownPlace('import { query } from "./servers/salesforce";\n\nawait query({});');
    expect(stack).toBe("    at query (servers/salesforce/query.ts:5:10)\n    at report.ts:3:7");
  });
});

it("an error inside a skill names the skill's file, and the script below it", async () => {
  const place = await thrownPlace(
    'import { throws } from "./skills/throws";\nfunction call() {\n  return throws({});\n}\ncall();',
  );
  expect(place).toMatchObject({ file: "skills/throws.ts", line: 4, column: 14 });
  expect(place.stack.split("\n")).toEqual([
    "    at throws (skills/throws.ts:4:14)",
    "    at call (report.ts:3:3)",
    "    at report.ts:5:1",
  ]);
});

it("a stack without frames of the script has no place", async () => {
  const mapper = createPlaceMapper(await bundle("export default 1;"));
  const nowhere = { stack: "", file: null, line: null, column: null };
  expect(mapper.stack("")).toEqual(nowhere);
  expect(mapper.stack("    at native\n    at x (prelude:1:1)\n    at y (script.js:999:1)")).toEqual(nowhere);
});

describe("a syntax error is at its own line, with that line in the hint", () => {
  const cases: readonly [name: string, script: string, line: number, column: number, hint: RegExp][] = [
    ["a missing value", "const a = 1;\n  const b = ;", 2, 13, /^Line 2: const b = ;$/],
    ["behind wide characters", 'const é = "ü😀"; const b = ;', 1, 28, /const b = ;/],
    [
      "in a script with a top-level return",
      'import { query } from "./servers/salesforce"; const a = ;\nreturn query;',
      1,
      57,
      /const a = ;/,
    ],
    ["await in a function that is not async", "function f() {\n  await g();\n}", 2, 3, /await g\(\)/],
    ["a name declared twice", "const a = 1;\nconst a = 2;", 2, 7, /const a = 2/],
    ["a function that is not closed", "function f() {\n  g();", 2, 7, /g\(\);/],
    ["a template that is not closed", "const a = `x\n\ny", 3, 2, /y/],
    ["a function that is not closed, with a return", "if (args) {\n  return 1;\n", 3, 1, /^$/],
  ];
  it.each(cases)("%s", async (_name, script, line, column, hint) => {
    const error = await bundle(script).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof McpfsError)) throw error;
    expect(error.code).toBe("SCRIPT_ERROR");
    expect(error.data).toMatchObject({ file: "report.ts", line, column });
    expect(error.hint).toMatch(hint);
    expect(error.message).not.toContain("export");
  });
  it("also in a skill", async () => {
    const bundling = bundle('import { unclosed } from "./skills/unclosed"; export default unclosed;');
    await expect(bundling).rejects.toMatchObject({
      code: "SCRIPT_ERROR",
      data: { file: "skills/unclosed.ts", line: 4, column: 1 },
    });
  });
});

it("a top-level return and an export are one value too many, at the return", async () => {
  const bundling = bundle("export const a = 1;\nif (a) {\n  return a;\n}");
  await expect(bundling).rejects.toMatchObject({
    code: "SCRIPT_ERROR",
    data: { file: "report.ts", line: 3, column: 3 },
    message: "The script has both an export and a return outside of functions.",
  });
});
