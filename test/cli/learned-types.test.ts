import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { real, received, scripted, temporaryFolder } from "../servers/servers.ts";
import { typeCheck } from "../support/type-check.ts";
import { jsonOf, makeWorkspace, runCli, writeFiles } from "./run-cli.ts";

const ROW = { id: 12345678901, email: "ada@example.com", tags: ["vip-secret"], phone: null };
const json = (value: unknown): { text: string } => ({ text: JSON.stringify(value) });

/** A server whose tools declare no output. */
function crm(answers: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}): any {
  const names = Object.keys(answers);
  const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
  return scripted({ tools, answers, ...more });
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The output type in a wrapper, on one line and without spaces; `any` where it has none. */
function outputType(root: string, file: string): string {
  const text = read(root, `servers/${file}.ts`);
  const found = /export type \w+Output = ([\s\S]+?);?\n(?=\n|\/\*\*|export)/.exec(text);
  return found?.[1]?.replace(/\s+/g, "") ?? "any";
}

/** True when the wrapper says that its output type was observed. */
function isObserved(root: string, file: string): boolean {
  return read(root, `servers/${file}.ts`).includes("/** observed, not promised */");
}

function learnedFile(root: string): any {
  return JSON.parse(read(root, "mcpfs.learned.json"));
}

const LIST = 'import { list } from "./servers/crm"; export default (await list({})).rows.length;';

// B2
describe("a tool without output schema", () => {
  test("is any, is learned from a run, and has the observed type after the next sync", async () => {
    using folder = temporaryFolder();
    const root = folder.path;
    await makeWorkspace(root, {
      crm: crm({ list: json({ rows: [ROW, { ...ROW, phone: "+49 170 1" }], next: [] }) }),
    });
    expect(outputType(root, "crm/list")).toBe("any");
    expect(await jsonOf(root, ["exec", "-"], { stdin: LIST })).toMatchObject({ value: 2, warnings: [] });

    const text = read(root, "mcpfs.learned.json");
    expect(JSON.parse(text)).toEqual({
      version: 1,
      servers: {
        crm: {
          list: {
            next: [],
            rows: [{ email: "string", id: "number", phone: "null|string", tags: ["string"] }],
          },
        },
      },
    });
    expect(text).not.toMatch(/ada|vip|170|12345/);
    expect(outputType(root, "crm/list")).toBe("any");
    expect((await runCli(root, ["sync", "--check"])).code).toBe(1);

    const synced = await jsonOf(root, ["sync"]);
    expect(synced).toMatchObject({ servers: [{ status: "ok", warnings: [] }] });
    expect(isObserved(root, "crm/list")).toBe(true);
    expect(outputType(root, "crm/list")).toBe(
      "{next:any[];rows:{email:string;id:number;phone:string|null;tags:string[]}[]}",
    );
    expect((await jsonOf(root, ["sync"])).files).toMatchObject({ written: 0, deleted: 0 });
    expect((await jsonOf(root, ["show", "crm/list"])).signature).toContain("observed, not promised");

    writeFiles(root, {
      "good.ts": `import { list } from "./servers/crm";
const { rows, next } = await list({});
const ids: number[] = rows.map((row) => row.id);
const phones: (string | null)[] = rows.map((row) => row.phone);
// No answer has shown an element of it, so nothing holds a script up.
next.map((item) => item.whatever.it.may.be);
export default { ids, phones };
`,
      "bad.ts": `import { list } from "./servers/crm";\nexport default (await list({})).rows[0]!.Email;\n`,
    });
    expect(typeCheck(root, ["good.ts"])).toBe("");
    expect(typeCheck(root, ["bad.ts"])).toContain("Property 'Email' does not exist");
    expect(await jsonOf(root, ["exec", "good.ts"])).toMatchObject({ kind: "ok", warnings: [] });
  });

  test("a later answer that contradicts widens the type, and the run's report says so once", async () => {
    using folder = temporaryFolder();
    const root = folder.path;
    const server = (answer: unknown): any => ({ crm: crm({ list: json(answer) }) });
    await makeWorkspace(root, server({ rows: [{ id: 1, name: "a" }] }));
    const run = async (): Promise<any> => await jsonOf(root, ["exec", "-"], { stdin: LIST });
    await run();
    const before = read(root, "mcpfs.learned.json");
    expect((await run()).warnings).toEqual([]);
    expect(read(root, "mcpfs.learned.json")).toBe(before);

    writeFiles(root, { "mcpfs.json": { mcpServers: server({ rows: [{ id: "x1" }] }) } });
    expect((await run()).warnings).toEqual([
      "crm/list answered otherwise than before: rows[].id may be a string, rows[].name may be missing. Its observed type is wider after the next sync.",
    ]);
    expect((await run()).warnings).toEqual([]);
    await runCli(root, ["sync"]);
    expect(outputType(root, "crm/list")).toBe("{rows:{id:number|string;name?:string}[]}");
  });

  test("a call says so too", async () => {
    using folder = temporaryFolder();
    await makeWorkspace(folder.path, { crm: crm({ get: [{ text: "plain" }] }) });
    await jsonOf(folder.path, ["call", "crm/get"]);
    expect(learnedFile(folder.path).servers.crm.get).toBe("string");
    writeFiles(folder.path, { "mcpfs.json": { mcpServers: { crm: crm({ get: json({ a: 1 }) }) } } });
    const { warnings } = await jsonOf(folder.path, ["call", "crm/get"]);
    expect(warnings).toEqual([expect.stringContaining("the value may be an object")]);
  });

  test("answers that say isError, and answers without content, teach nothing", async () => {
    using folder = temporaryFolder();
    const answers = { bad: { text: '{"a":1}', isError: true }, none: { result: { content: [] } } };
    await makeWorkspace(folder.path, { crm: crm(answers) });
    await runCli(folder.path, ["call", "crm/bad"]);
    await runCli(folder.path, ["call", "crm/none"]);
    expect(() => read(folder.path, "mcpfs.learned.json")).toThrow();
  });

  test("keys that are data are not in the file", async () => {
    using folder = temporaryFolder();
    const owners = { "ada@example.com": { open: 1 }, "grace@example.com": { open: 2 } };
    await makeWorkspace(folder.path, { crm: crm({ get: json({ owners }) }) });
    await jsonOf(folder.path, ["call", "crm/get"]);
    expect(read(folder.path, "mcpfs.learned.json")).not.toMatch(/ada|grace|@/);
    await runCli(folder.path, ["sync"]);
    expect(outputType(folder.path, "crm/get")).toBe("{owners:Record<string,{open:number}>}");
  });

  test("runs at the same time lose nothing of each other", async () => {
    using folder = temporaryFolder();
    const names = ["a", "b", "c", "d", "e", "f"];
    const answers = Object.fromEntries(names.map((name) => [name, json({ [name]: 1 })]));
    const both = [json({ left: 1 }), json({ right: "x" })];
    await makeWorkspace(folder.path, { crm: crm({ ...answers, both }) });
    await Promise.all([
      ...names.map((name) => runCli(folder.path, ["call", `crm/${name}`])),
      runCli(folder.path, ["exec", "-"], {
        stdin: 'import { both } from "./servers/crm"; await both({}); export default await both({});',
      }),
    ]);
    const { crm: learned } = learnedFile(folder.path).servers;
    expect(learned).toEqual({
      ...Object.fromEntries(names.map((name) => [name, { [name]: "number" }])),
      both: { "left?": "number", "right?": "string" },
    });
  });
});

describe("the config", () => {
  test("learn: false of a server or a tool learns nothing, and the next sync forgets what was known", async () => {
    using folder = temporaryFolder();
    const root = folder.path;
    const answers = { one: json({ a: 1 }), two: json({ b: 1 }) };
    await makeWorkspace(root, { crm: crm(answers) });
    await runCli(root, ["call", "crm/one"]);
    await runCli(root, ["call", "crm/two"]);
    await runCli(root, ["sync"]);
    expect(isObserved(root, "crm/one")).toBe(true);

    writeFiles(root, {
      "mcpfs.json": { mcpServers: { crm: { ...crm(answers), tools: { learn: { "o*": false } } } } },
    });
    await runCli(root, ["sync"]);
    expect(outputType(root, "crm/one")).toBe("any");
    expect(isObserved(root, "crm/two")).toBe(true);
    await runCli(root, ["call", "crm/one"]);
    expect(Object.keys(learnedFile(root).servers.crm)).toEqual(["two"]);

    const off = { ...crm(answers), learn: false, tools: { learn: { one: true } } };
    writeFiles(root, { "mcpfs.json": { mcpServers: { crm: off } } });
    await runCli(root, ["sync"]);
    await runCli(root, ["call", "crm/one"]);
    await runCli(root, ["call", "crm/two"]);
    expect(Object.keys(learnedFile(root).servers.crm)).toEqual(["one"]);
  });

  test("enums keeps the texts of the fields that it names, and of no other", async () => {
    using folder = temporaryFolder();
    const root = folder.path;
    const answers = {
      list: json({
        rows: [
          { status: "open", owner: "Ada" },
          { status: "won", owner: "Bob" },
        ],
      }),
    };
    const tools = { learn: { list: { enums: ["rows.status"] } } };
    await makeWorkspace(root, { crm: { ...crm(answers), tools } });
    await runCli(root, ["call", "crm/list"]);
    await runCli(root, ["sync"]);
    expect(outputType(root, "crm/list")).toBe('{rows:{owner:string;status:"open"|"won"}[]}');
    writeFiles(root, { "mcpfs.json": { mcpServers: { crm: crm(answers) } } });
    await runCli(root, ["sync"]);
    expect(outputType(root, "crm/list")).toBe("{rows:{owner:string;status:string}[]}");
    expect(read(root, "mcpfs.learned.json")).not.toContain("open");
  });

  test("an output schema of the user wins over what is declared and what was learned", async () => {
    using folder = temporaryFolder();
    const root = folder.path;
    const outputSchema = { type: "object", properties: { total: { type: "string" } }, required: ["total"] };
    const server = scripted({
      tools: [
        { name: "declared", inputSchema: { type: "object" }, outputSchema },
        { name: "silent", inputSchema: { type: "object" } },
      ],
      answers: {
        declared: { result: { content: [], structuredContent: { total: 3 } } },
        silent: json({ id: 1 }),
      },
    });
    await makeWorkspace(root, { crm: server });
    expect((await jsonOf(root, ["call", "crm/declared"])).warnings).toHaveLength(1);
    await jsonOf(root, ["call", "crm/silent"]);
    const schema = (key: string): unknown => ({
      type: "object",
      properties: { [key]: { type: "number" } },
      required: [key],
    });
    const tools = { output: { declared: schema("total"), silent: schema("id") } };
    writeFiles(root, { "mcpfs.json": { mcpServers: { crm: { ...server, tools } } } });
    await runCli(root, ["sync"]);
    expect(outputType(root, "crm/declared")).toBe("{total:number}");
    expect(outputType(root, "crm/silent")).toBe("{id:number}");
    expect(isObserved(root, "crm/silent")).toBe(false);
    expect((await jsonOf(root, ["call", "crm/declared"])).warnings).toEqual([]);
    writeFiles(root, { "mcpfs.json": { mcpServers: { crm: server } } });
    await runCli(root, ["sync"]);
    expect(isObserved(root, "crm/silent")).toBe(true);
  });
});

test("a damaged mcpfs.learned.json stops the command and says what to do", async () => {
  using folder = temporaryFolder();
  await makeWorkspace(folder.path, { crm: crm({ get: json({ a: 1 }) }) });
  for (const text of [
    "<<<<<<< ours\n{}",
    '{"version":2}',
    '{"version":1,"servers":{"crm":{"get":"nope"}}}',
  ]) {
    writeFileSync(join(folder.path, "mcpfs.learned.json"), text);
    const { code, stderr } = await runCli(folder.path, ["sync"]);
    expect(code).toBe(3);
    expect(stderr).toContain("CONFIG_INVALID: mcpfs.learned.json");
    expect(stderr).toContain("delete it");
    expect(read(folder.path, "mcpfs.learned.json")).toBe(text);
  }
});

describe("sync --learn", () => {
  const read_ = { readOnlyHint: true };
  const object = { type: "object" };
  const needsId = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
  const tools = [
    { name: "status", inputSchema: object, annotations: read_ },
    { name: "optional", inputSchema: { ...needsId, required: [] }, annotations: read_ },
    { name: "needs", inputSchema: needsId, annotations: read_ },
    { name: "needs_some", inputSchema: { type: "object", minProperties: 1 }, annotations: read_ },
    {
      name: "unjudged",
      inputSchema: { type: "object", $ref: "https://example.com/schema" },
      annotations: read_,
    },
    { name: "unsaid", inputSchema: object },
    { name: "write", inputSchema: object, annotations: { readOnlyHint: false } },
    { name: "odd", inputSchema: object, annotations: { readOnlyHint: "true" } },
    { name: "typed", inputSchema: object, annotations: read_, outputSchema: object },
    { name: "off", inputSchema: object, annotations: read_ },
    { name: "broken", inputSchema: object, annotations: read_ },
  ];
  const answers = { status: json({ up: true }), optional: json([1]), broken: { text: "no", isError: true } };

  test("calls what says it only reads and needs no arguments, and nothing else", async () => {
    using folder = temporaryFolder();
    const root = folder.path;
    const log = join(root, "server.log");
    const server = { ...scripted({ tools, answers }, log), tools: { learn: { off: false } } };
    await makeWorkspace(root, { crm: server });
    const report = await jsonOf(root, ["sync", "crm", "--learn"]);
    const called = received(log, "tools/call").map(({ params }) => params.name);
    expect(called.sort()).toEqual(["broken", "optional", "status"]);
    expect(report).toMatchObject({
      servers: [{ name: "crm", status: "ok", tools: 11 }],
      warnings: ["crm/broken: no"],
      learned: [
        { server: "crm", tool: "optional" },
        { server: "crm", tool: "status" },
      ],
    });
    expect(outputType(root, "crm/status")).toBe("{up:boolean}");
    expect((await jsonOf(root, ["sync", "crm", "--learn"])).learned).toEqual([]);
  });

  test("calls nothing of a server whose annotations the config does not trust, of others than named, or without --learn", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "server.log");
    const server = scripted({ tools, answers }, log);
    await makeWorkspace(folder.path, { crm: { ...server, trustAnnotations: false }, other: server });
    await jsonOf(folder.path, ["sync", "crm", "--learn"]);
    await jsonOf(folder.path, ["sync"]);
    expect(received(log, "tools/call")).toEqual([]);
    expect((await runCli(folder.path, ["sync", "--learn", "--check"])).code).toBe(2);
    expect((await runCli(folder.path, ["sync", "--learn", "--offline"])).code).toBe(2);
  });

  test("learns from real servers what they answer", async () => {
    using folder = temporaryFolder();
    await makeWorkspace(folder.path, { everything: real.everything() });
    const script = `import * as everything from "./servers/everything";
export default [await everything.echo({ message: "hi" }), await everything.getTinyImage({})];`;
    expect(await jsonOf(folder.path, ["exec", "-"], { stdin: script })).toMatchObject({ kind: "ok" });
    await runCli(folder.path, ["sync"]);
    expect(outputType(folder.path, "everything/echo")).toBe("string");
    expect(outputType(folder.path, "everything/getTinyImage")).toBe(
      "{data?:string;mimeType?:string;text?:string;type:string}[]",
    );
  });
});
