import { expect, test } from "vitest";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { jsonOf, makeWorkspace, runCli } from "./run-cli.ts";

const ROW = {
  type: "object",
  properties: { id: { type: "integer" } },
  required: ["id"],
  additionalProperties: false,
};
const CLOSED = {
  type: "object",
  properties: { total: { type: "integer" }, rows: { type: "array", items: ROW } },
  required: ["total"],
  additionalProperties: false,
};
const structured = (value: unknown): unknown => ({
  result: { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value },
});
const text = (value: string): unknown => ({ text: value });

/** What each answer breaks: its value is delivered as it came, and the warnings name the place. */
const CASES: readonly (readonly [
  name: string,
  answer: unknown,
  value: unknown,
  warnings: readonly RegExp[],
])[] = [
  ["fits", structured({ total: 1 }), { total: 1 }, []],
  [
    "extra",
    structured({ total: 3, perBox: { a: 3 } }),
    { total: 3, perBox: { a: 3 } },
    [/perBox is not known/],
  ],
  [
    "extra_below",
    structured({ total: 1, rows: [{ id: 1, x: 2 }] }),
    { total: 1, rows: [{ id: 1, x: 2 }] },
    [/rows\[0\]\.x is not known/],
  ],
  ["missing", structured({ rows: [{}] }), { rows: [{}] }, [/total is required/, /rows\[0\]\.id is required/]],
  ["type", structured({ total: "3" }), { total: "3" }, [/total must be integer, got "3"/]],
  ["list", structured([1]), [1], [/The value must be object, got an array/]],
  ["text_fits", text('{"total":4}'), { total: 4 }, []],
  ["text_wrong", text('{"total":"4"}'), { total: "4" }, [/total must be integer/]],
  ["text_plain", text("No rows."), "No rows.", [/The value must be object, got "No rows\."/]],
  ["nothing", { result: { content: [] } }, undefined, [/answered nothing, against its output schema/]],
];

const server = scripted({
  tools: CASES.map(([name]) => ({ name, inputSchema: { type: "object" }, outputSchema: CLOSED })),
  answers: Object.fromEntries(CASES.map(([name, answer]) => [name, answer])),
});

test("an answer against its declared schema is delivered as it came, with warnings in the report: exec", async () => {
  using folder = temporaryFolder();
  await makeWorkspace(folder.path, { mail: server });
  const script = `import { callMCPTool } from "./client";
const values: unknown[] = [];
for (const name of ${JSON.stringify(CASES.map(([name]) => name))}) values.push(await callMCPTool("mail__" + name, {}));
export default values.map((value) => value === undefined ? "undefined" : value);`;
  const report = await jsonOf(folder.path, ["exec", "-"], { stdin: script });
  expect(report).toMatchObject({ kind: "ok", calls: { ok: CASES.length, failed: 0 } });
  expect(report.value).toEqual(CASES.map(([, , value]) => value ?? "undefined"));
  for (const [name, , , wanted] of CASES) {
    const warnings = report.warnings.filter((warning: string) => warning.startsWith(`mail/${name} `));
    expect([name, warnings]).toEqual([name, wanted.map((pattern) => expect.stringMatching(pattern))]);
  }
  expect((await runCli(folder.path, ["exec", "-"], { stdin: script })).stderr).toContain(
    "perBox is not known",
  );
});

test("an answer against its declared schema is delivered as it came, with warnings in the report: call", async () => {
  using folder = temporaryFolder();
  await makeWorkspace(folder.path, { mail: server });
  for (const [name, , value, wanted] of CASES.filter(([name]) =>
    ["fits", "extra", "text_plain"].includes(name),
  )) {
    const outcome = await jsonOf(folder.path, ["call", `mail/${name}`]);
    expect(outcome).toMatchObject({ isError: false, value });
    expect(outcome.warnings).toEqual(wanted.map((pattern) => expect.stringMatching(pattern)));
  }
  const { code, stdout, stderr } = await runCli(folder.path, ["call", "mail/extra"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{"total":3,"perBox":{"a":3}}\n' });
  expect(stderr).toContain("mail/extra answered against its output schema: perBox is not known");
});
