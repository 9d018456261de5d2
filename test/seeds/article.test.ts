import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeWorkspace, runCli, writeFiles } from "../cli/run-cli.ts";
import { temporaryFolder } from "../servers/servers.ts";
import { hasDocuments, sample } from "./documents.ts";
import { definition, each, type FakeServers, type FakeTool, fakeServers } from "./servers.ts";

const text = { type: "string" };
const ARTICLE = "004";

/** Where a snippet uses a namespace without an import, this line of the document's own earlier snippets stands in front. */
const GDRIVE = sampleLine("import * as gdrive from", "';");
const SALESFORCE = sampleLine("import * as salesforce from", "';");

function sampleLine(start: string, end: string): string {
  return hasDocuments ? `${sample(ARTICLE, start, end)}\n` : "";
}

const getDocument = (answer: unknown): FakeTool => ({
  definition: definition(
    "get_document",
    { documentId: text },
    {
      type: "object",
      properties: { content: text },
      required: ["content"],
    },
  ),
  answer,
});
const getSheet = (answer: unknown): FakeTool => ({
  definition: definition("get_sheet", { sheetId: text }),
  answer,
});
const updateRecord: FakeTool = {
  definition: definition("update_record", { objectType: text, recordId: text, data: { type: "object" } }),
  answer: { updated: true },
};
const query = (answer: unknown): FakeTool => ({ definition: definition("query", { query: text }), answer });

// M2, M14, M16, M23, M24
describe.skipIf(!hasDocuments)("the article's samples run as they are written", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let root: string;
  beforeEach(() => {
    folder = temporaryFolder();
    root = join(folder.path, "workspace-root");
  });
  afterEach(() => folder[Symbol.dispose]());

  const serve = async (servers: Readonly<Record<string, readonly FakeTool[]>>): Promise<FakeServers> => {
    const fakes = fakeServers(folder.path, servers);
    await makeWorkspace(root, fakes.mcpServers);
    return fakes;
  };

  /** Runs a script in a process of its own, and gives its lines. */
  const exec = async (script: string): Promise<readonly string[]> => {
    writeFiles(root, { "script.ts": script });
    const { code, stdout, stderr } = await runCli(root, ["exec", "script.ts"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout.split("\n").slice(0, -1);
  };

  test("a document's transcript goes into a record of another server", async () => {
    const { calls } = await serve({
      "google-drive": [getDocument({ content: "We spoke of the goals." })],
      salesforce: [updateRecord],
    });
    await exec(sample(ARTICLE, "import * as gdrive from './servers/google-drive';", "});"));
    expect(calls("google-drive", "get_document")).toEqual([{ documentId: "abc123" }]);
    expect(calls("salesforce", "update_record")).toEqual([
      expect.objectContaining({ objectType: "SalesMeeting", data: { Notes: "We spoke of the goals." } }),
    ]);
  });

  test("the wrapper that the article shows works in the tree in place of ours, its import of ../../../client.js too", async () => {
    const { calls } = await serve({
      "google-drive": [getDocument({ content: "By hand." })],
      salesforce: [updateRecord],
    });
    // From the comment that names its path to its end.
    const wrapper = sample(ARTICLE, "// ./servers/google-drive/getDocument.ts", ", input);\n}");
    writeFiles(root, { "servers/google-drive/getDocument.ts": wrapper });
    await exec(sample(ARTICLE, "import * as gdrive from './servers/google-drive';", "});"));
    expect(calls("salesforce", "update_record")).toEqual([
      expect.objectContaining({ data: { Notes: "By hand." } }),
    ]);
    // It is no generated file: a sync says so before it puts its own there.
    const synced = await runCli(root, ["sync"]);
    expect(synced.stderr).toContain("servers/google-drive/getDocument.ts was edited by hand");
  });

  test("of a sheet's 10,000 rows a count and five are printed", async () => {
    const rows = Array.from({ length: 10_000 }, (_, row) => ({
      Id: row,
      Status: row % 4 === 0 ? "pending" : "done",
    }));
    const { calls } = await serve({ "google-drive": [getSheet(rows)] });
    const lines = await exec(
      GDRIVE + sample(ARTICLE, "const allRows = await gdrive.getSheet", "pendingOrders.slice(0, 5));"),
    );
    expect(calls("google-drive", "get_sheet")).toEqual([{ sheetId: "abc123" }]);
    expect(lines[0]).toContain("2500");
    expect(lines.slice(1).join("\n").match(/Id: /g)).toHaveLength(5);
  });

  test("a loop polls a channel, and waits between with a timer", async () => {
    const { calls } = await serve({
      slack: [
        {
          definition: definition("get_channel_history", { channel: text }),
          answer: each([{ text: "building" }], [{ text: "the deployment complete at noon" }]),
        },
      ],
    });
    // The document never imports its slack server; the line is the gdrive one's with the other name.
    const slack = GDRIVE.replace("gdrive", "slack").replace("google-drive", "slack");
    const before = Date.now();
    const lines = await exec(slack + sample(ARTICLE, "let found = false;", "console.log('部署通知已收到');"));
    expect(calls("slack", "get_channel_history")).toEqual([{ channel: "C123456" }, { channel: "C123456" }]);
    expect(Date.now() - before).toBeGreaterThanOrEqual(5_000);
    expect(lines).toHaveLength(1);
  });

  test("each row of a sheet updates a record", async () => {
    const rows = [1, 2, 3].map((number) => ({
      salesforceId: `00Q${number}`,
      email: `person${number}@example.com`,
      phone: `555-010${number}`,
      name: `Person ${number}`,
    }));
    const { calls } = await serve({
      "google-drive": [getSheet({ rows })],
      salesforce: [updateRecord],
    });
    const lines = await exec(
      GDRIVE + SALESFORCE + sample(ARTICLE, "const sheet = await gdrive.getSheet", "个潜在客户`);"),
    );
    expect(calls("salesforce", "update_record")).toEqual(
      rows.map(({ salesforceId, email, phone, name }) => ({
        objectType: "Lead",
        recordId: salesforceId,
        data: { Email: email, Phone: phone, Name: name },
      })),
    );
    expect(lines.join()).toContain("3");
  });

  test("a result is written to a file, and a later run of another process reads it", async () => {
    await serve({
      salesforce: [
        query([
          { Id: "1", Email: "ada@example.com" },
          { Id: "2", Email: "grace@example.com" },
        ]),
      ],
    });
    await exec(SALESFORCE + sample(ARTICLE, "const leads = await salesforce.query", "leads.csv', csvData);"));
    expect(readFileSync(join(root, "workspace/leads.csv"), "utf8")).toBe(
      "1,ada@example.com\n2,grace@example.com",
    );
    // The later run as written, and a line that shows what it read.
    const later = sample(ARTICLE, "const saved = await fs.readFile", "'utf-8');");
    expect(await exec(`${later}\nconsole.log(saved);`)).toEqual(["1,ada@example.com", "2,grace@example.com"]);
  });

  test("writing and reading also work as the one block in which the article prints them", async () => {
    await serve({ salesforce: [query([{ Id: "1", Email: "ada@example.com" }])] });
    await exec(SALESFORCE + sample(ARTICLE, "const leads = await salesforce.query", "'utf-8');"));
    expect(existsSync(join(root, "workspace/leads.csv"))).toBe(true);
  });

  test("a skill kept as one file is imported by a later run, its own import of ./servers and bare fs included", async () => {
    const { calls } = await serve({
      "google-drive": [
        getSheet([
          ["a", "b"],
          ["c", "d"],
        ]),
      ],
    });
    const skill = sample(ARTICLE, "// 在 ./skills/save-sheet-as-csv.ts", "\n}\n");
    writeFiles(root, { "skills/save-sheet-as-csv.ts": skill });
    const later = sample(ARTICLE, "import { saveSheetAsCsv }", "saveSheetAsCsv('abc123');");
    expect(await exec(`${later}\nconsole.log(csvPath);`)).toEqual(["./workspace/sheet-abc123.csv"]);
    expect(calls("google-drive", "get_sheet")).toEqual([{ sheetId: "abc123" }]);
    expect(readFileSync(join(root, "workspace/sheet-abc123.csv"), "utf8")).toBe("a,b\nc,d");
  });
});
