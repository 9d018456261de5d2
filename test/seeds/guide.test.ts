import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonOf, makeWorkspace, runCli } from "../cli/run-cli.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { documentText, fenced, hasDocuments } from "./documents.ts";
import { definition, type FakeServers, type FakeTool, fakeServers } from "./servers.ts";

const GUIDE = "000";
const text = { type: "string" };

const logEntry = {
  title: "LogEntry",
  type: "object",
  properties: { timestamp: text, message: text, level: text },
  required: ["timestamp", "message", "level"],
};

const SERVERS: Readonly<Record<string, readonly FakeTool[]>> = {
  logging: [
    {
      definition: definition(
        "getLogs",
        { level: { enum: ["error", "warn", "info"] }, since: { type: "number" } },
        {
          type: "object",
          properties: { entries: { type: "array", items: logEntry } },
          required: ["entries"],
        },
      ),
      answer: {
        entries: ["disk full", "no route", "disk full"].map((message, at) => ({
          timestamp: `2026-01-0${at + 1}`,
          message,
          level: "error",
        })),
      },
    },
  ],
  ticketing: [
    {
      definition: {
        name: "createIssue",
        inputSchema: {
          type: "object",
          properties: { title: text, body: text, priority: { enum: ["low", "medium", "high"] } },
          required: ["title", "priority"],
        },
        outputSchema: { type: "object", properties: { issueId: text }, required: ["issueId"] },
      },
      answer: { issueId: "T-1" },
    },
  ],
};

// M2, M16
describe.skipIf(!hasDocuments)("the guide's samples run as they are written", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let root: string;
  let fakes: FakeServers;
  beforeEach(async () => {
    folder = temporaryFolder();
    root = join(folder.path, "workspace-root");
    fakes = fakeServers(folder.path, SERVERS);
    await makeWorkspace(root, fakes.mcpServers);
  });
  afterEach(() => folder[Symbol.dispose]());

  const exec = async (stdin: string): Promise<string> => {
    const { code, stdout, stderr } = await runCli(root, ["exec", "-"], { stdin });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };

  const script = (): string => fenced(GUIDE, "const uniqueErrors");
  const api = (): string => fenced(GUIDE, "mcp.callTool<");

  const expectTickets = (): void => {
    const [logs] = fakes.calls("logging", "getLogs") as readonly { level: string; since: number }[];
    expect(logs?.level).toBe("error");
    expect(Math.abs((logs?.since ?? 0) - (Date.now() - 3_600_000))).toBeLessThan(60_000);
    expect(fakes.calls("ticketing", "createIssue")).toEqual([
      { title: "Error: disk full", body: "First seen: 2026-01-01\nOccurrences: 2", priority: "high" },
      { title: "Error: no route", body: "First seen: 2026-01-02\nOccurrences: 1", priority: "high" },
    ]);
  };

  test("a script calls tools by their flat names and uses a server's type, all without an import", async () => {
    expect(await exec(script())).toBe("Filed 2 tickets from 3 error logs\n");
    expectTickets();
  });

  test("the functions over mcp.callTool work in front of the same script", async () => {
    expect(await exec(api() + script())).toBe("Filed 2 tickets from 3 error logs\n");
    expectTickets();
  });

  test("the functions alone are a script that calls nothing", async () => {
    expect(await exec(api())).toBe("");
    expect(fakes.calls("logging", "getLogs")).toEqual([]);
  });

  test("the definition that the guide prints becomes a wrapper, and is shown again as it was received", async () => {
    const received = JSON.parse(fenced(GUIDE, '"inputSchema"')) as { name: string };
    await makeWorkspace(root, { ...fakes.mcpServers, crm: scripted({ tools: [received] }) });
    const shown = await jsonOf(root, ["show", `crm/${received.name}`]);
    expect(shown.definition).toEqual(received);
    const wrapper = readFileSync(join(root, shown.file), "utf8");
    for (const name of ["objectType", "recordId", "data"]) expect(wrapper).toMatch(new RegExp(`${name}: `));
    const hits = await jsonOf(root, ["search", "update salesforce record", "-k", "1"]);
    expect(hits).toMatchObject([{ server: "crm", tool: received.name }]);
  });
});

describe.skipIf(!hasDocuments)("no other sample of the documents is a script for a host", () => {
  test("the guide's other blocks are calls that a model makes to its host", () => {
    for (const marker of ["search_tools({ query", "get_tool_details({"])
      expect(fenced(GUIDE, marker)).not.toMatch(/\bawait\b|\bimport\b/);
    const blocks = documentText(GUIDE).match(/^```typescript/gm);
    expect(blocks).toHaveLength(4);
  });

  test("the third document has no code, and the second only code whose spaces are lost", () => {
    expect(documentText("003")).not.toMatch(/\bconst \w+ =|\bawait \w|\bimport .* from/);
    expect(documentText("002")).toContain("constlogsawait");
    expect(documentText("002")).not.toMatch(/\bconst \w+ ?=|\bawait \w/);
  });
});
