import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundler, createBundler } from "../../src/bundle/bundler.ts";
import { packageFile } from "../../src/kernel/paths.ts";
import { runInGuest } from "./guest.ts";
import { makeWorkspace, worldOf } from "./workspace.ts";

/** The four original documents lie beside the repository, where they lie at all. */
const SEEDS = packageFile("../shared/seeds");
const hasSeeds = existsSync(join(SEEDS, "000_df8c4f7626fac2d2.txt"));
if (!hasSeeds) console.log("seeds.test.ts: ../shared/seeds is absent, so the samples are not run.");

const ANSWERS: Readonly<Record<string, unknown>> = {
  google_drive__get_document: { content: "transcript" },
  salesforce__query: [
    { Id: "1", Email: "a@example.com" },
    { Id: "2", Email: "b@example.com" },
  ],
  slack__get_channel_history: [{ text: "deployment complete" }],
  logging__get_logs: {
    entries: [
      { timestamp: "t1", message: "disk full", level: "error" },
      { timestamp: "t2", message: "disk full", level: "error" },
      { timestamp: "t3", message: "no route", level: "error" },
    ],
  },
};

let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
let bundler: Bundler;

beforeAll(async () => {
  bundler = createBundler();
  workspace = await makeWorkspace();
});
afterAll(async () => {
  await bundler.close();
  await workspace.remove();
});

/** The text of a document from the first `start` up to and with the next `end`. */
function sample(file: string, start: string, end: string): string {
  const text = readFileSync(join(SEEDS, file), "utf8");
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${file} has no sample from ${start} to ${end}`);
  return text.slice(from, to + end.length);
}

async function run(text: string, answers: Readonly<Record<string, unknown>> = ANSWERS) {
  const bundle = await bundler.bundle({ path: undefined, name: "<stdin>", text }, worldOf(workspace.root));
  const end = await runInGuest(bundle.code, (name) => answers[name] ?? null);
  expect(end.error).toBeUndefined();
  return end;
}

describe.skipIf(!hasSeeds)("the code samples of the original documents run as they are written", () => {
  const ARTICLE = "004_d3723d7d427eec43.txt";
  const GUIDE = "000_df8c4f7626fac2d2.txt";

  it("a transcript goes from one server to the other", async () => {
    const { calls } = await run(sample(ARTICLE, "import * as gdrive from './servers/google-drive';", "});"));
    expect(calls.map((call) => call.name)).toEqual([
      "google_drive__get_document",
      "salesforce__update_record",
    ]);
    expect(JSON.parse(calls[1]?.args ?? "")).toMatchObject({ data: { Notes: "transcript" } });
  });

  it("a sheet is filtered where it is", async () => {
    const rows = Array.from({ length: 1000 }, (_, i) => ({ Status: i % 100 === 0 ? "pending" : "done" }));
    const code = sample(ARTICLE, "const allRows = await gdrive.getSheet", "pendingOrders.slice(0, 5));");
    const text = `import * as gdrive from "./servers/google-drive";\n${code}`;
    const { printed } = await run(text, { google_drive__get_sheet: rows });
    expect(printed[0]).toContain("10");
    expect(printed).toHaveLength(2);
  });

  it("a loop polls until a message is there", async () => {
    const code = sample(ARTICLE, "let found = false;", "console.log('部署通知已收到');");
    const { printed } = await run(`import * as slack from './servers/slack';\n${code}`);
    expect(printed).toHaveLength(1);
  });

  it("results are written to a file by the global fs, and read again", async () => {
    const code = sample(ARTICLE, "const leads = await salesforce.query", "'utf-8');");
    const { value } = await run(
      `import * as salesforce from './servers/salesforce';\n${code}\nreturn saved;`,
    );
    expect(value).toBe("1,a@example.com\n2,b@example.com");
  });

  it("a skill in one file is imported by name, its servers as ./servers", async () => {
    const skill = sample(ARTICLE, "// 在 ./skills/save-sheet-as-csv.ts", "}\n\n").trim();
    const made = await makeWorkspace({ "skills/save-sheet-as-csv.ts": `${skill}\n` });
    const text = sample(ARTICLE, "import { saveSheetAsCsv }", "saveSheetAsCsv('abc123');");
    const bundle = await bundler.bundle(
      {
        path: undefined,
        name: "<stdin>",
        text: `${text}\nexport default [csvPath, await fs.readFile(csvPath)];`,
      },
      worldOf(made.root),
    );
    const end = await runInGuest(bundle.code, () => [
      ["a", "b"],
      ["c", "d"],
    ]);
    expect(end.value).toEqual(["./workspace/sheet-abc123.csv", "a,b\nc,d"]);
    await made.remove();
  });

  it("a script calls tools by their flat names and uses a server's type, without an import", async () => {
    // The document's own text holds a template.
    const code = sample(
      GUIDE,
      "const logs = await logging_getLogs({",
      "logs.entries.length} error logs`,\n);",
    );
    const { calls, printed } = await run(code);
    expect(calls.map((call) => call.name)).toEqual([
      "logging__get_logs",
      "ticketing__create_issue",
      "ticketing__create_issue",
    ]);
    expect(printed).toEqual(["Filed 2 tickets from 3 error logs"]);
  });

  it("a wrapper in a document's own words works in the tree", async () => {
    const wrapper = sample(ARTICLE, 'import { callMCPTool } from "../../../client.js";', "input);\n}");
    const made = await makeWorkspace({ "servers/google-drive/getDocument.ts": wrapper });
    const text =
      "import * as gdrive from './servers/google-drive';\nexport default await gdrive.getDocument({ documentId: 'x' });";
    const bundle = await bundler.bundle({ path: undefined, name: "<stdin>", text }, worldOf(made.root));
    expect((await runInGuest(bundle.code, (name) => name)).value).toBe("google_drive__get_document");
    await made.remove();
  });

  it("functions over mcp.callTool, as the guide generates them, run too", async () => {
    const code = sample(GUIDE, "interface LogEntry {", '"ticketing_createIssue", input);\n}');
    const { calls } = await run(`${code}\nawait ticketing_createIssue({ title: "t", priority: "low" });`);
    expect(calls.map((call) => call.name)).toEqual(["ticketing_createIssue"]);
  });
});
