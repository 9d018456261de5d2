import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { GENERATIONS, type HttpServer, httpServer, makeServed, overHttp, textOf } from "./served.ts";

const folder = temporaryFolder();
const object = { type: "object" };
const point = { type: "object", properties: { x: { type: "integer" } }, required: ["x"] };
/** Schemas whose root does not say `object`, with a value that fits: earlier revisions of the protocol know neither. */
const VALUES: Readonly<Record<string, readonly [schema: object, value: unknown]>> = {
  any_of: [{ anyOf: [point, { type: "null" }] }, { x: 1 }],
  reference: [{ $ref: "#/$defs/point", $defs: { point } }, { x: 2 }],
  list: [{ type: "array", items: point }, [{ x: 3 }]],
  plain: [point, { x: 4 }],
};
const image = { type: "image", data: "A".repeat(4_000), mimeType: "image/png" };
const long = "A line of a text that is too long.\n".repeat(20);
/** Together more than 1 KB, though no block is. */
const BLOCKS = [
  { type: "text", text: `first ${long}` },
  image,
  { type: "resource", resource: { uri: "note://1", text: `second ${long}` } },
  { type: "resource_link", uri: "note://2", name: "third", description: long },
  { type: "text", text: `fourth ${long}` },
];
const names = Object.keys(VALUES);
const box = scripted({
  tools: [
    ...names.map((name) => ({ name, inputSchema: object, outputSchema: VALUES[name]?.[0] })),
    ...["texts", "blocks", "refuse", "falter"].map((name) => ({ name, inputSchema: object })),
  ],
  answers: {
    ...Object.fromEntries(
      names.map((name) => [
        name,
        { result: { content: [{ type: "text", text: "{}" }], structuredContent: VALUES[name]?.[1] } },
      ]),
    ),
    texts: { result: { content: ["one", "two", "three"].map((text) => ({ type: "text", text })) } },
    blocks: { result: { content: BLOCKS } },
    refuse: { result: { content: BLOCKS, isError: true } },
    falter: { error: { code: -32_000, message: "No." } },
  },
});
const token = (name: string): string => `token-of-${name}-0123456789`;
const client = (name: string, more: object): [string, object] => [name, { token: token(name), ...more }];
const limits = { maxOutput: "1kb" };
let http: HttpServer;

beforeAll(async () => {
  const clients = Object.fromEntries([
    client("ann", { mode: "direct" }),
    client("direct", { mode: "direct", limits }),
    client("code", { mode: "code", limits }),
    client("other", { mode: "code" }),
  ]);
  await makeServed(folder.path, { box }, { clients });
  http = await httpServer(folder.path);
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

describe.each(GENERATIONS)("a %s client", (generation) => {
  // The client itself refuses a value that does not fit the schema that it was shown.
  test.each(names)("takes the value of a tool by the schema that was listed: %s", async (name) => {
    await using session = await overHttp(http.url, generation, { token: token("ann") });
    await session.client.listTools();
    const answer: any = await session.client.callTool({ name: `box__${name}`, arguments: {} });
    const value = VALUES[name]?.[1];
    const isWrapped = name !== "plain" && generation !== "modern";
    expect(answer.structuredContent).toEqual(isWrapped ? { result: value } : value);
  });
});

test.each(["texts", "blocks"])(
  "several blocks of a server are the same by call_tool as by the tool itself: %s",
  async (name) => {
    await using direct = await overHttp(http.url, "modern", { token: token("ann") });
    await using other = await overHttp(http.url, "modern", { token: token("other") });
    const itself: any = await direct.client.callTool({ name: `box__${name}`, arguments: {} });
    const called: any = await other.client.callTool({
      name: "call_tool",
      arguments: { name: `box__${name}`, args: {} },
    });
    expect(itself.content.length).toBeGreaterThan(1);
    expect(called.content).toEqual(itself.content);
  },
);

describe("the blocks of an answer have one budget", () => {
  test.each(["box__blocks", "box__refuse"])("of a tool that is listed as itself: %s", async (name) => {
    await using session = await overHttp(http.url, "modern", { token: token("direct") });
    const { content }: any = await session.client.callTool({ name, arguments: {} });
    expect(content.map(({ type }: any) => type)).toEqual([
      "text",
      "image",
      "resource",
      "text",
      "resource_link",
    ]);
    expect(content[1]).toEqual(image);
    expect(content[2].resource.text).toMatch(/^second A line/);
    expect(JSON.stringify(content).length - image.data.length).toBeLessThan(2_000);
    expect(content[3].text).toMatch(/^… cut here: the answer has [\d,]+ bytes; read_file \.mcpfs/);
    const whole: any = await session.client.readResource({ uri: content[4].uri });
    expect(whole.contents[0].text).toMatch(/^first [\s\S]*\nsecond [\s\S]*\n.*third[\s\S]*\nfourth /);
  });

  test("of call_tool; the whole is kept with the call's record, and goes with it", async () => {
    await using session = await overHttp(http.url, "modern", { token: token("code") });
    await using other = await overHttp(http.url, "modern", { token: token("other") });
    const text = await textOf(session.client, "call_tool", { name: "box__blocks" });
    expect(text.length).toBeLessThan(2_000);
    const path = /read_file (\S+) has all/.exec(text)?.[1] ?? "";
    expect(await textOf(session.client, "read_file", { path })).toContain("first A line");
    expect(await textOf(other.client, "read_file", { path })).toContain("FILE_OUTSIDE_WORKSPACE");
    const id = path.split("/")[2] ?? "";
    expect(readFileSync(join(folder.path, ".mcpfs", "runs", id, "journal.jsonl"), "utf8")).toContain("call");
    // Who may read what a call left may not go on with it as somebody else.
    expect(await textOf(session.client, "resume_run", { id, code: "export default 1" })).toMatch(/^USAGE/);
    const { stdout } = await runCli(folder.path, ["--json", "runs", "prune", "--max-size", "1kb"]);
    expect(JSON.parse(stdout).removed).toContain(id);
    expect(await textOf(session.client, "read_file", { path })).toContain("FILE_FAILED");
  });

  test("of a script: calls that ended alike are one line", async () => {
    await using session = await overHttp(http.url, "modern", { token: token("code") });
    const code = `for (let n = 0; n < 300; n += 1) await box_falter({ n }).catch(() => {});
throw new Error("over");`;
    const text = await textOf(session.client, "run_script", { code });
    expect(text).toContain("failed      box/falter (calls 1–300)  may write; what it did before it failed");
    expect(text).toContain("(300 calls: 300 failed)");
    expect(text.length).toBeLessThan(2_000);
  });
});
