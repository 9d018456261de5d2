import { spawn } from "node:child_process";
import { once } from "node:events";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleDemoServers, type ServerProgram } from "./server-process.ts";

type Name = "docs" | "crm";
type Arguments = Record<string, unknown>;

interface Answer {
  readonly content: { type: string; text?: string }[];
  readonly structuredContent?: any;
  readonly isError?: boolean;
}

interface Peer extends AsyncDisposable {
  readonly protocol: string | undefined;
  readonly tools: () => Promise<any[]>;
  readonly call: (
    name: string,
    args?: Arguments,
    options?: { signal?: AbortSignal; onprogress?: (progress: any) => void },
  ) => Promise<Answer>;
}

let program: ServerProgram;
beforeAll(async () => {
  program = await bundleDemoServers();
});
afterAll(async () => await program[Symbol.asyncDispose]());

/** A real client of each generation: the 1.x SDK, and the 2.x SDK on both revisions of the protocol. */
const CLIENTS: Readonly<Record<string, (name: Name) => Promise<Peer>>> = {
  "the old SDK": async (name) => {
    const client = new OldClient({ name: "test", version: "1.0.0" });
    await client.connect(new OldTransport(program.commandOf(name)));
    return {
      protocol: "2025-11-25",
      tools: async () => (await client.listTools()).tools,
      call: async (tool, args = {}, options = {}) =>
        (await client.callTool({ name: tool, arguments: args }, undefined, options)) as Answer,
      [Symbol.asyncDispose]: () => client.close(),
    };
  },
  "2025-11-25": (name) => connect(name, "legacy"),
  "2026-07-28": (name) => connect(name, { pin: "2026-07-28" }),
};

async function connect(name: Name, mode: "legacy" | { pin: string }): Promise<Peer> {
  const client = new ModernClient({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(new ModernTransport(program.commandOf(name)));
  return {
    protocol: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools,
    call: async (tool, args = {}, options = {}) =>
      (await client.callTool({ name: tool, arguments: args }, options)) as Answer,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const open = (name: Name, client = "2025-11-25"): Promise<Peer> =>
  (CLIENTS[client] as (n: Name) => Promise<Peer>)(name);

/** One good call of each tool that declares an output schema and can be answered. */
const GOOD_CALLS: Readonly<Record<Name, readonly (readonly [string, Arguments])[]>> = {
  docs: [
    ["list_documents", {}],
    ["get_document", { document_id: "call-2026-09-14" }],
    ["search_documents", { query: "ALLERGEN", limit: 3 }],
    ["create_document", { title: "t", content: "c" }],
    ["list_sheets", {}],
    ["get_sheet", { sheet_id: "orders-2026" }],
    ["get_channel_history", { channel: "general", limit: 2 }],
    ["post_message", { channel: "general", text: "hello" }],
  ],
  crm: [
    ["describe_object", { object_type: "Lead" }],
    ["query", { object_type: "Account", where: { Owner: "Maya Ortiz" } }],
    ["get_record", { object_type: "SalesMeeting", record_id: "M-0914" }],
    ["create_record", { object_type: "Lead", data: { Name: "New Person" } }],
    ["update_record", { object_type: "Lead", record_id: "L-0001", data: { Stage: "lost" } }],
    ["delete_record", { object_type: "Lead", record_id: "L-0002" }],
    ["run_backup", { seconds: 0 }],
  ],
};

describe.each(Object.keys(CLIENTS))("to %s", (client) => {
  test.each(["docs", "crm"] as const)(
    "%s lists its tools, and every answer fits its output schema",
    async (name) => {
      await using peer = await open(name, client);
      expect(peer.protocol).toBe(client === "2026-07-28" ? client : "2025-11-25");
      const tools = await peer.tools();
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
      const answered = new Map(GOOD_CALLS[name]);
      for (const tool of tools) {
        expect(tool.name).toMatch(/^[a-z]+(_[a-z]+)*$/);
        expect(tool.title).toBeTruthy();
        expect(tool.description).toMatch(/\.$/);
        ajv.compile(tool.inputSchema);
        const args = answered.get(tool.name);
        if (args === undefined) {
          expect(["export_report", "recent_changes"]).toContain(tool.name);
          continue;
        }
        const answer = await peer.call(tool.name, args);
        expect(answer.isError, JSON.stringify(answer.content).slice(0, 200)).toBeFalsy();
        const validate = ajv.compile(tool.outputSchema);
        expect(validate(answer.structuredContent), `${tool.name}: ${ajv.errorsText(validate.errors)}`).toBe(
          true,
        );
      }
    },
  );

  test("a tool that says no answers isError, and so do arguments that do not fit", async () => {
    await using peer = await open("crm", client);
    const quota = await peer.call("export_report", { report: "pipeline" });
    expect(quota).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Quota exceeded") }],
    });
    const wrong = await peer.call("update_record", { object_type: "Deal", record_id: "L-0001", data: {} });
    expect(wrong).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("object_type") }],
    });
    await expect(peer.call("no_such_tool")).rejects.toThrow("no_such_tool");
  });

  test("a slow call reports progress and ends when it is cancelled; the server goes on", async () => {
    await using peer = await open("crm", client);
    const seen: number[] = [];
    const stop = new AbortController();
    const started = Date.now();
    const backup = peer.call(
      "run_backup",
      { seconds: 60 },
      {
        signal: stop.signal,
        onprogress: ({ progress }) => {
          seen.push(progress);
          if (progress === 2) stop.abort();
        },
      },
    );
    await expect(backup).rejects.toThrow();
    expect(seen).toEqual([1, 2]);
    expect(Date.now() - started).toBeLessThan(30_000);
    expect((await peer.call("run_backup", { seconds: 0 })).structuredContent).toEqual({ records: 428 });
  });
});

describe("docs", () => {
  test("has a transcript of two hours that is the same in every process", async () => {
    await using one = await open("docs");
    await using other = await open("docs");
    const read = async (peer: Peer): Promise<string> =>
      JSON.stringify(await peer.call("get_document", { document_id: "call-2026-09-14" }));
    const [first, second] = [await read(one), await read(other)];
    expect(first).toBe(second);
    const { content } = (JSON.parse(first) as Answer).structuredContent;
    expect(content.length).toBeGreaterThan(60_000);
    expect(content.length).toBeLessThan(80_000);
    const turns = content.split("\n").filter((line: string) => line.startsWith("["));
    expect(turns.length).toBeGreaterThan(400);
    for (const turn of turns) expect(turn).toMatch(/^\[\d\d:\d\d:\d\d\] [A-Z][a-z]+ [A-Z][a-z]+: [A-Z]/);
    const times = turns.map((turn: string) => turn.slice(1, 9));
    expect(times).toEqual([...times].sort());
    expect(times.at(-1) > "01:45:00" && times.at(-1) < "02:05:00").toBe(true);
    expect(content).not.toMatch(/[{}]|undefined|NaN/);
    expect(turns.filter((turn: string) => turn.includes("Action item")).length).toBe(5);
  });

  test("has a sheet of 10,000 orders, the same in every process, of which five are pending and large", async () => {
    await using one = await open("docs");
    await using other = await open("docs");
    const [first, second] = [
      await one.call("get_sheet", { sheet_id: "orders-2026" }),
      await other.call("get_sheet", { sheet_id: "orders-2026" }),
    ];
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
    const { rows, total } = first.structuredContent;
    expect([rows.length, total]).toEqual([10_000, 10_000]);
    const urgent = rows.filter((row: any) => row.Status === "pending" && row.Amount >= 6_000);
    expect(urgent).toHaveLength(5);
    expect(rows.filter((row: any) => row.Amount >= 6_000).length).toBeGreaterThan(50);
    expect(rows.filter((row: any) => row.Status === "pending").length).toBeGreaterThan(300);
    expect(new Set(rows.map((row: any) => row.Order)).size).toBe(10_000);
  });

  test("names only people who cannot exist: example domains, 555-01xx numbers, and leads that the CRM has", async () => {
    await using docs = await open("docs");
    await using crm = await open("crm");
    const { rows } = (await docs.call("get_sheet", { sheet_id: "orders-2026" })).structuredContent;
    for (const row of rows) {
      expect(row.Email).toMatch(/^[a-z]+\.[a-z]+@example\.(com|net|org)$/);
      expect(row.Phone).toMatch(/^\+1-\d{3}-555-01\d\d$/);
    }
    const { content } = (await docs.call("get_document", { document_id: "call-2026-09-14" }))
      .structuredContent;
    for (const address of content.match(/\S+@\S+/g)) expect(address).toMatch(/@example\.(com|org)\b/);
    const leads = (await crm.call("query", { object_type: "Lead", limit: 1_000 })).structuredContent.records;
    const names = new Map(leads.map((lead: any) => [lead.record_id, lead.data.Name]));
    for (const row of rows) expect(names.get(row.Lead)).toBe(row.Customer);
  });

  test("pages through a sheet", async () => {
    await using peer = await open("docs");
    const page = (args: Arguments) => peer.call("get_sheet", { sheet_id: "orders-2026", ...args });
    const orders = async (args: Arguments): Promise<string[]> =>
      (await page(args)).structuredContent.rows.map((row: any) => row.Order);
    expect(await orders({ limit: 2 })).toEqual(["SO-20001", "SO-20002"]);
    expect(await orders({ offset: 9_999, limit: 5 })).toEqual(["SO-30000"]);
    expect(await orders({ offset: 20_000 })).toEqual([]);
  });

  test("says that a deployment is complete with the third look", async () => {
    await using peer = await open("docs");
    const looks: boolean[] = [];
    for (let look = 1; look <= 4; look += 1) {
      const answer = await peer.call("get_channel_history", { channel: "deployments" });
      const texts = answer.structuredContent.messages.map((message: any) => message.text);
      looks.push(texts.some((text: string) => text.includes("deployment complete")));
    }
    expect(looks).toEqual([false, false, true, true]);
  });

  test("keeps what was written, until it ends", async () => {
    await using peer = await open("docs");
    const { id } = (await peer.call("create_document", { title: "Mine", content: "zebra" }))
      .structuredContent;
    const found = (await peer.call("search_documents", { query: "Zebra" })).structuredContent;
    expect(found).toEqual({ total: 1, matches: [{ document_id: id, line: 1, text: "zebra" }] });
    await peer.call("post_message", { channel: "general", text: "done" });
    const { messages } = (await peer.call("get_channel_history", { channel: "general" })).structuredContent;
    expect(messages.at(-1)).toEqual({ at: "2026-09-14T12:00:00Z", user: "you", text: "done" });
  });

  test.each([
    ["get_document", { document_id: "abc123" }, "Known: call-2026-09-14"],
    ["get_sheet", { sheet_id: "abc123" }, "Known: orders-2026"],
    ["get_channel_history", { channel: "C123456" }, "Known: general, deployments"],
    ["post_message", { channel: "nowhere", text: "x" }, "Known: general, deployments"],
  ])("%s of an unknown id says which there are", async (tool, args, want) => {
    await using peer = await open("docs");
    expect(await peer.call(tool, args)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(want) }],
    });
  });
});

describe("crm", () => {
  test("an update is kept, counted, and the same again changes nothing", async () => {
    await using peer = await open("crm");
    const reference = { object_type: "SalesMeeting", record_id: "M-0914" };
    const Notes = "n".repeat(70_000);
    const update = async (): Promise<any> =>
      (await peer.call("update_record", { ...reference, data: { Notes } })).structuredContent;
    expect(await update()).toEqual({ ...reference, version: 2, changed: ["Notes"] });
    expect(await update()).toEqual({ ...reference, version: 2, changed: [] });
    const { data } = (await peer.call("get_record", reference)).structuredContent;
    expect(data.Notes).toBe(Notes);
    await peer.call("delete_record", reference);
    expect((await peer.call("get_record", reference)).isError).toBe(true);
    const changes = (await peer.call("recent_changes")).content[0]?.text;
    expect(changes).toBe("2. delete_record M-0914\n1. update_record M-0914: Notes");
  });

  test("finds records by their fields", async () => {
    await using peer = await open("crm");
    const query = async (args: Arguments): Promise<any> => (await peer.call("query", args)).structuredContent;
    const all = await query({ object_type: "Lead", limit: 1_000 });
    expect([all.total, all.records.length]).toEqual([400, 400]);
    const some = await query({
      object_type: "Lead",
      where: { Stage: "qualified", Owner: "Lena Brooks" },
      limit: 2,
    });
    expect(some.records).toHaveLength(2);
    expect(some.total).toBe(
      all.records.filter(({ data }: any) => data.Stage === "qualified" && data.Owner === "Lena Brooks")
        .length,
    );
    expect((await query({ object_type: "Lead", where: { Email: null } })).total).toBe(400);
  });

  test.each([
    ["update_record", { object_type: "Lead", record_id: "M-0914", data: {} }, 'There is no Lead "M-0914".'],
    ["delete_record", { object_type: "Lead", record_id: "" }, 'There is no Lead "".'],
    ["create_record", { object_type: "Lead", data: { Emial: "x" } }, 'Lead has no field "Emial".'],
    ["query", { object_type: "Lead", where: { constructor: null } }, 'Lead has no field "constructor".'],
    ["update_record", { object_type: "Lead", record_id: "L-0001", data: { Name: {} } }, "Name"],
  ])("%s %j answers isError with the reason", async (tool, args, want) => {
    await using peer = await open("crm");
    const answer = await peer.call(tool, args);
    expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(want) }] });
  });

  test("its annotations say what each tool may do", async () => {
    await using peer = await open("crm");
    const claims = new Map((await peer.tools()).map(({ name, annotations }) => [name, annotations]));
    expect(claims.get("query")).toMatchObject({ readOnlyHint: true });
    expect(claims.get("update_record")).toMatchObject({ destructiveHint: false, idempotentHint: true });
    expect(claims.get("delete_record")).toMatchObject({ destructiveHint: true });
    expect(claims.get("run_backup")).toBeUndefined();
  });
});

describe("a demo server's process", () => {
  test.each(["docs", "crm"] as const)(
    "%s writes nothing but the protocol, and ends when stdin ends",
    async (name) => {
      const { command, args } = program.commandOf(name);
      const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
      const output: string[] = [];
      const complaints: string[] = [];
      child.stdout.setEncoding("utf8").on("data", (text: string) => output.push(text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => complaints.push(text));
      const version = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "t", version: "1" },
      };
      const messages = [
        { jsonrpc: "2.0", id: 1, method: "initialize", params: version },
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 2, method: "tools/list" },
        { jsonrpc: "2.0", id: 3, method: "ping" },
      ];
      child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
      const isAnswered = (): boolean => [1, 2, 3].every((id) => output.join("").includes(`"id":${id}`));
      while (!isAnswered()) await once(child.stdout, "data");
      child.stdin.end();
      const [code, signal] = await once(child, "exit");
      expect([code, signal]).toEqual([0, null]);
      expect(complaints.join("")).toBe("");
      const lines = output.join("").trimEnd().split("\n");
      expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual([1, 2, 3]);
    },
  );

  test("ends when its client died in the middle of a slow call", async () => {
    const { command, args } = program.commandOf("crm");
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
    const call = { name: "run_backup", arguments: { seconds: 600 }, _meta: { progressToken: 1 } };
    const version = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    for (const message of [
      { jsonrpc: "2.0", id: 1, method: "initialize", params: version },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: call },
    ])
      child.stdin.write(`${JSON.stringify(message)}\n`);
    await once(child.stdout, "data");
    child.stdout.destroy();
    child.stdin.destroy();
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
  });
});
