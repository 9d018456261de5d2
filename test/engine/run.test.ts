import { getEventListeners } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Host, RunOptions } from "../../src/engine/host.ts";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import { excerptOf } from "../../src/engine/run/excerpt.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { RunReport } from "../../src/model/run.ts";

let root: string;
let host: Host;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "mcpfs-run-"));
  await writeFile(
    join(root, "mcpfs.json"),
    '{"mcpServers":{"docs":{"builtin":"docs"},"crm":{"builtin":"crm"}}}',
  );
  host = await openWorkspace(root);
  await host.sync();
});
afterAll(async () => {
  await host.close();
  await rm(root, { recursive: true });
});

async function run(text: string, options: RunOptions = {}): Promise<RunReport> {
  return await host.run({ path: undefined, name: "report.ts", text }, options);
}

describe("a value within the limit of results but not of output", () => {
  test("is LIMIT_OUTPUT; the sentence names both sizes and the file, the hint the ways out", async () => {
    const report = await run(
      "const rows = Array.from({ length: 1000 }, (_, id) => ({ id }));\nexport default rows;",
      {
        limits: { outputBytes: 2_048 },
      },
    );
    expect(report.kind).toBe("stopped");
    expect(report.value).toBeUndefined();
    expect(report.error).toMatchObject({
      code: "LIMIT_OUTPUT",
      message: expect.stringMatching(
        /10,891 bytes of JSON, more than the 2kb .* The whole is in \.mcpfs\/runs\//,
      ),
      hint: expect.stringMatching(/Return a summary.*--max-output 4kb/),
    });
    const path = /\.mcpfs\/runs\/\S+\.json/.exec(report.error?.message ?? "")?.[0] ?? "";
    expect(parseJson(await readFile(join(root, path), "utf8"))).toHaveLength(1_000);
  });

  test("a smaller one takes its part of the budget from the console's lines", async () => {
    const report = await run(
      "for (let i = 0; i < 100; i += 1) console.log('line', i);\nexport default 'x'.repeat(1000);",
      { limits: { outputBytes: 1_200 } },
    );
    expect(report).toMatchObject({ kind: "ok", value: "x".repeat(1_000) });
    expect(report.output.join("\n").length).toBeLessThan(500);
    expect(report.output.at(-1)).toMatch(/the whole is in \.mcpfs\/runs\/.*output\.txt/);
    const path = /\.mcpfs\S+output\.txt/.exec(report.output.at(-1) ?? "")?.[0] ?? "";
    expect((await readFile(join(root, path), "utf8")).split("\n")).toHaveLength(101);
  });
});

test("calls that nobody awaited are finished, and named with the line that made them", async () => {
  const report = await run(
    'import { listDocuments } from "./servers/docs";\nlistDocuments({});\nconst awaited = await listDocuments({});\nlistDocuments({});\nexport default 1;',
  );
  expect(report).toMatchObject({ kind: "ok", value: 1, calls: { total: 3, ok: 3 } });
  expect(report.warnings).toContain(
    "docs__list_documents (report.ts:4) was still open when the script had ended: write await in front of the call.",
  );
});

test("a signal that outlives its runs holds none of them", async () => {
  const stop = new AbortController();
  for (const text of ["export default 1;", "throw new Error('no');", "no script"])
    await run(text, { signal: stop.signal });
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});

test("a loop that makes calls too fast is told so, can catch it, and its other calls are made", async () => {
  const report = await run(
    "const codes = [];\nfor (let i = 0; i < 4; i += 1) try { await docs_listDocuments({}); codes.push('ok'); } catch (e) { codes.push(e.code); }\nexport default codes;",
    { limits: { callsPerSecond: 2 } },
  );
  expect(report.value).toEqual(["ok", "ok", "LIMIT_RATE", "LIMIT_RATE"]);
  expect(report.effects.map(({ status }) => status)).toEqual(["done", "done", "never-sent", "never-sent"]);
});

test("one slow call ends by LIMIT_CALL, and what it did is unknown", async () => {
  const report = await run("await crm_runBackup({ seconds: 30 });", {
    limits: { callMs: 300 },
    granted: ["crm/run_backup"],
  });
  expect(report).toMatchObject({
    kind: "failed",
    error: { code: "LIMIT_CALL", hint: expect.stringContaining('"limits": {"call": "600ms"}') },
    effects: [{ status: "unknown" }],
  });
});

test("the place of an error gives the line of the script with a caret at the column", async () => {
  const text = "const rows: any = null;\nconst first = rows.first;\nexport default first;";
  const { error } = await run(text);
  expect(error).toMatchObject({ file: "report.ts", line: 2 });
  const source = { path: undefined, name: "report.ts", text };
  const caret = `${" ".repeat((error?.column ?? 0) - 1)}^`;
  expect(excerptOf(source, error ?? { file: null, line: null, column: null })).toBe(
    `const first = rows.first;\n${caret}`,
  );
});

test("a limit beyond its maximum is refused before anything runs", async () => {
  await expect(run("export default 1;", { limits: { memoryBytes: 2 ** 31 } })).rejects.toMatchObject({
    code: "USAGE",
    message: "The limit memory is at most 1gb, not 2gb.",
  });
});

test("--timeout none is the longest time there is, and a run under it ends as any other", async () => {
  expect(await run("export default 1;", { limits: { wallMs: 2 ** 31 - 1 } })).toMatchObject({ kind: "ok" });
});
