import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundler, createBundler } from "../../src/bundle/bundler.ts";
import { createPlaceMapper } from "../../src/bundle/place.ts";
import { runInGuest } from "./guest.ts";
import { makeWorkspace, worldOf } from "./workspace.ts";

let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
let bundler: Bundler;

beforeAll(async () => {
  bundler = createBundler();
  workspace = await makeWorkspace({
    "skills/old/index.ts":
      'import { gone } from "../../servers/salesforce";\n\nexport async function old() {\n  return await gone({});\n}\n',
  });
});
afterAll(async () => {
  await bundler.close();
  await workspace.remove();
});

async function run(text: string, changes = {}) {
  const bundle = await bundler.bundle(
    { path: undefined, name: "<stdin>", text },
    worldOf(workspace.root, changes),
  );
  const end = await runInGuest(bundle.code, (name) => name);
  return { ...end, place: createPlaceMapper(bundle).stack(end.error?.stack ?? "") };
}

// M9
describe("a tool that is not there throws an MCPToolError when it is called, at the line that calls it", () => {
  const cases: readonly [script: string, code: string, tool: string, line: number, column: number][] = [
    ['import { nope } from "./servers/salesforce";\n\nawait nope({});', "TOOL_UNKNOWN", "nope", 3, 7],
    [
      'import { nope as other } from "./servers/salesforce";\n\nawait other({});',
      "TOOL_UNKNOWN",
      "nope",
      3,
      7,
    ],
    ['import * as s from "./servers/salesforce";\n\nawait s.nope({});', "TOOL_UNKNOWN", "nope", 3, 9],
    ['import * as s from "./servers/salesforce";\n\nawait s["nope"]({});', "TOOL_UNKNOWN", "nope", 3, 9],
    ['import { nope } from "./servers/salesforce/query";\n\nawait nope({});', "TOOL_UNKNOWN", "nope", 3, 7],
    ["\n\nawait salesforce_nope({});", "TOOL_UNKNOWN", "nope", 3, 7],
    ["\n\nawait google_drive_nope({});", "TOOL_UNKNOWN", "nope", 3, 7],
    [
      'import { upsertRecord } from "./servers/salesforce";\n\nawait upsertRecord({});',
      "TOOL_UNAVAILABLE",
      "upsertRecord",
      3,
      7,
    ],
    [
      'import * as s from "./servers/salesforce";\nconst all = { ...s };\nawait all.upsertRecord();',
      "TOOL_UNAVAILABLE",
      "upsertRecord",
      3,
      11,
    ],
    [
      'import { upsertRecord } from "./servers/salesforce/upsertRecord.js";\n\nawait upsertRecord({});',
      "TOOL_UNAVAILABLE",
      "upsertRecord",
      3,
      7,
    ],
    ["\n\nawait salesforce_upsertRecord({});", "TOOL_UNAVAILABLE", "upsertRecord", 3, 7],
    ['import * as l from "./servers/legacy";\n\nawait l.ping({});', "TOOL_UNAVAILABLE", "ping", 3, 9],
    ['import { pong } from "./servers/legacy";\n\nawait pong({});', "TOOL_UNKNOWN", "pong", 3, 7],
  ];
  it.each(cases)("%s", async (script, code, tool, line, column) => {
    const { error, place, calls } = await run(script);
    expect(error).toMatchObject({ name: "MCPToolError", code, tool });
    expect(error?.message).toMatch(/\.$/);
    expect(error?.hint).toMatch(
      /Nearest: query, updateRecord\.|Nearest: getDocument, getSheet\.|^Enable the server in mcpfs\.json/,
    );
    expect(calls).toEqual([]);
    if (line > 0) expect(place).toMatchObject({ file: "<stdin>", line, column });
    expect(place.stack).not.toMatch(/stub|prelude/);
  });
});

it("the error can be caught, and the other tools of the server work", async () => {
  const text = [
    'import * as s from "./servers/salesforce";',
    "const caught = await s.nope({}).catch((error: MCPToolError) => error.code);",
    "export default [caught, await s.query({}), typeof s.upsertRecord];",
  ].join("\n");
  expect((await run(text)).value).toEqual(["TOOL_UNKNOWN", "salesforce__query", "function"]);
});

it("nothing is thrown for a name that is never called", async () => {
  expect(
    (await run('import { nope } from "./servers/salesforce";\nif (args) await nope({});\nexport default 1;'))
      .value,
  ).toBe(1);
});

it("a skill that imports a tool which is gone shows the skill's line", async () => {
  const { error, place } = await run('import { old } from "./skills/old";\nexport default await old();');
  expect(error).toMatchObject({ code: "TOOL_UNKNOWN", tool: "gone" });
  expect(place).toMatchObject({ file: "skills/old/index.ts", line: 4, column: 16 });
  expect(place.stack).toContain("<stdin>:2:22");
});

it("a name in use again belongs to its tool, whatever the list of retired names says", async () => {
  const retired = new Map([["salesforce", [{ export: "query", wire: "salesforce__query" }]]]);
  const text = 'import * as s from "./servers/salesforce";\nexport default await s.query({});';
  expect((await run(text, { retired })).value).toBe("salesforce__query");
});
