import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Host } from "../../src/engine/host.ts";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import type { Json } from "../../src/kernel/json.ts";
import { type ModelRequest, startModelServer, toyEmbeddings } from "../models/model-server.ts";
import { writeStaticModel } from "../models/write-static-model.ts";
import { makeWorkspace } from "./search-workspace.ts";

const KEY = "sk-live-9876543210";

/** The tools that a request finds, and the answer's other parts. */
async function found(host: Host, query: string, extra: Parameters<Host["searchTools"]>[0] | object = {}) {
  const answer = await host.searchTools({ query, ...extra });
  return { ...answer, hits: answer.hits.map(({ tool }) => `${tool.server}/${tool.raw}`) };
}

// M4, M5
test("without any configuration tools are found by words, in a namespace and page by page", async () => {
  await using workspace = await makeWorkspace({});
  const { host } = workspace;
  expect(await found(host, "pay a bill", { limit: 1 })).toMatchObject({
    hits: ["bank/settle_invoice"],
    strategy: "keyword",
    notes: [],
  });
  const all = await found(host, "", { limit: 50, server: "bank" });
  expect(all.hits).toEqual(["bank/feed", "bank/get_rate", "bank/retire", "bank/settle_invoice"]);
  expect(await found(host, "", { server: "bank", limit: 1, offset: 3 })).toMatchObject({
    hits: ["bank/settle_invoice"],
    hasMore: false,
  });
  expect((await found(host, "", { limit: 2 })).hasMore).toBe(true);
});

test("a namespace that is none says which are near", async () => {
  await using workspace = await makeWorkspace({});
  await expect(workspace.host.searchTools({ query: "", server: "bnak" })).rejects.toMatchObject({
    code: "USAGE",
    hint: expect.stringContaining("bank"),
  });
});

test("regex finds by names and description; a pattern that is none is refused", async () => {
  await using workspace = await makeWorkspace({});
  const { host } = workspace;
  const all = ["bank/feed", "bank/get_rate", "bank/retire", "bank/settle_invoice"];
  expect((await found(host, "^bank__", { strategy: "regex" })).hits).toEqual(all);
  expect((await found(host, "umbrella|coat", { strategy: "regex" })).hits).toEqual(["sky/outlook"]);
  expect((await found(host, "^(bank|sky)+__(get|out)+", { strategy: "regex" })).hits).toEqual([
    "bank/get_rate",
    "sky/outlook",
  ]);
  // The last two would compile for years, and nothing can stop that.
  for (const pattern of ["(", "x".repeat(300), "(|)".repeat(60), "[)](?:^|$)".repeat(19)])
    await expect(host.searchTools({ query: pattern, strategy: "regex" })).rejects.toMatchObject({
      code: "USAGE",
    });
});

// Each would take longer than the universe has, on these tools.
test.each([
  ["choices one after another", `${".?".repeat(60)}~`],
  ["repeats one after another", `${".*".repeat(40)}~`],
  ["a repeat within a repeat", "^(.*)*~"],
  ["choices that repeat", "^(.|.)*~"],
  ["a look ahead", "(?=(.*)*~)"],
  ["a look behind", "(?<=~(.*)*)e"],
])("a search by a pattern ends, and says that it took too long: %s", async (_what, query) => {
  await using workspace = await makeWorkspace({});
  await expect(workspace.host.searchTools({ query, strategy: "regex" })).rejects.toMatchObject({
    code: "USAGE",
    message: expect.stringContaining("takes too long"),
    hint: expect.stringContaining("Use fewer"),
  });
});

test("semantic asks a real endpoint, once for each definition in its life, and hybrid joins it with words", async () => {
  await using server = await startModelServer(toyEmbeddings);
  const models = { embeddings: { url: server.url, model: "toy", apiKey: "${TOY_KEY}" } };
  await using workspace = await makeWorkspace({ models }, { TOY_KEY: KEY });
  await workspace.host.trust();
  // No word of the query stands in the tool.
  expect((await found(workspace.host, "rain", { strategy: "semantic", limit: 1 })).hits).toEqual([
    "sky/outlook",
  ]);
  const texts = textsIn(server.requests);
  expect(texts.filter((text) => text !== "rain")).toHaveLength(workspace.toolCount);
  expect((await found(workspace.host, "cash", { strategy: "hybrid", limit: 1 })).hits[0]).toMatch(/^bank\//);
  await using again = await openWorkspace(workspace.root, workspace.options);
  expect((await found(again, "song", { strategy: "semantic", limit: 1 })).hits).toEqual(["radio/play"]);
  expect(textsIn(server.requests)).toHaveLength(texts.length + 2);
  expect(server.requests.every(({ authorization }) => authorization === `Bearer ${KEY}`)).toBe(true);
});

test("a model that was not there is used once it is, and one that was replaced leaves no vector behind", async () => {
  await using workspace = await makeWorkspace({ models: { embeddings: { path: "./model" } } });
  const { root, host } = workspace;
  await host.trust();
  const search = async (asked: Host) => await found(asked, "rain", { strategy: "semantic", limit: 1 });
  expect(await search(host)).toMatchObject({
    strategy: "keyword",
    notes: [expect.stringContaining("model")],
  });
  await writeStaticModel(join(root, "model"));
  expect(await search(host)).toMatchObject({ strategy: "semantic", hits: ["sky/outlook"] });
  await writeStaticModel(join(root, "model"), {
    pieces: { "[UNK]": [9, 9], rain: [1, 0], weather: [0, 1], fore: [0, 1], invoice: [1, 0] },
  });
  await using again = await openWorkspace(root, workspace.options);
  expect(await search(again)).toMatchObject({ strategy: "semantic", hits: ["bank/settle_invoice"] });
});

test("vectors of another length than the query's are made anew: another model answers under the same name", async () => {
  let length = 4;
  await using server = await startModelServer((request) => {
    const answer = toyEmbeddings(request) as { data: { embedding: number[] }[] };
    // Turned round, so that an old vector would be near to the wrong text.
    for (const item of answer.data)
      item.embedding = length === 4 ? item.embedding : [0.01, ...item.embedding.toReversed()];
    return answer;
  });
  const models = { embeddings: { url: server.url, model: "toy" } };
  await using workspace = await makeWorkspace({ models });
  await workspace.host.trust();
  const search = { strategy: "semantic", limit: 1 };
  expect((await found(workspace.host, "rain", search)).hits).toEqual(["sky/outlook"]);
  length = 5;
  expect((await found(workspace.host, "rain", search)).hits).toEqual(["sky/outlook"]);
  expect((await found(workspace.host, "song", search)).hits).toEqual(["radio/play"]);
});

test("a small model chooses among the candidates; what it writes besides a list of numbers does nothing", async () => {
  await using server = await startModelServer(({ body }) => {
    const prompt = (body.messages as { content: string }[])[0]?.content ?? "";
    const line = prompt.split("\n").find((text) => text.includes("bank/getRate"));
    return { choices: [{ message: { content: `I think [${line?.split(".")[0]}, 99] is best.` } }] };
  });
  const models = { small: { url: server.url, model: "toy" } };
  await using workspace = await makeWorkspace({ models, search: { strategy: "model" } });
  await workspace.host.trust();
  const answer = await found(workspace.host, "settle the invoice at today's rate of money");
  expect(answer).toMatchObject({ strategy: "model", notes: [] });
  expect(answer.hits[0]).toBe("bank/get_rate");
  expect(answer.hits).toContain("bank/settle_invoice");
});

test.each<[string, Json | number]>([
  ["down", 503],
  ["answering nonsense", { nonsense: true }],
])("an endpoint that is %s costs nothing but a note", async (_what, answer) => {
  await using server = await startModelServer(() => answer);
  const models = {
    embeddings: { url: server.url, model: "toy", apiKey: "${TOY_KEY}" },
    small: { url: server.url, model: "toy" },
  };
  await using workspace = await makeWorkspace({ models }, { TOY_KEY: KEY });
  await workspace.host.trust();
  for (const strategy of ["semantic", "model", "hybrid"] as const) {
    const fallen = await found(workspace.host, "settle an invoice for money", { strategy });
    expect(fallen).toMatchObject({ strategy: "keyword", notes: [expect.stringContaining(strategy)] });
    expect(fallen.hits[0]).toBe("bank/settle_invoice");
    expect(fallen.notes.join()).not.toContain(KEY);
  }
});

test("an endpoint that the user has not approved gets no definition, no query and no key", async () => {
  await using server = await startModelServer(toyEmbeddings);
  const models = { embeddings: { url: server.url, model: "toy", apiKey: "${TOY_KEY}" } };
  await using workspace = await makeWorkspace({ models, search: { strategy: "hybrid" } }, { TOY_KEY: KEY });
  const answer = await found(workspace.host, "settle an invoice");
  expect(answer).toMatchObject({ strategy: "keyword", notes: [expect.stringContaining("mcpfs trust")] });
  expect(server.requests).toEqual([]);
});

test("a strategy without its model says so, and words are used", async () => {
  await using workspace = await makeWorkspace({});
  for (const strategy of ["semantic", "model", "hybrid"] as const)
    expect(await found(workspace.host, "settle an invoice", { strategy })).toMatchObject({
      strategy: "keyword",
      notes: [expect.stringContaining("models")],
    });
});

test("a script finds tools by the same function", async () => {
  await using workspace = await makeWorkspace({});
  const text = `
    import { searchTools } from "./servers/mcpfs/searchTools";
    const hits = await searchTools({ query: "settle an invoice", limit: 1 });
    const page = await searchTools({ query: "", server: "bank", offset: 3 });
    const [full] = await searchTools({ query: "settle an invoice", limit: 1, detail: "full" });
    export default [hits[0], page.map((hit) => hit.tool), full.signature];`;
  const report = await workspace.host.run({ path: undefined, name: "find.ts", text });
  expect(report.error).toBeNull();
  expect(report.value).toMatchObject([
    { server: "bank", tool: "settle_invoice", permission: "allow" },
    ["settle_invoice"],
    expect.stringContaining("settleInvoice"),
  ]);
});

test("why a tool was found, and why another was not", async () => {
  await using workspace = await makeWorkspace({});
  const { host } = workspace;
  const lookup = await host.lookup();
  const why = await host.explainSearch("pay the yeti bill", lookup.find("bank/settle_invoice"));
  expect(why.rank).toBe(1);
  expect(why.words).toContainEqual({
    word: "bill",
    rarity: expect.any(Number),
    found: [{ stem: "invoic", parts: expect.arrayContaining(["name"]) }],
  });
  expect(why.words).toContainEqual({ word: "yeti", rarity: 0, found: [] });
  expect((await host.explainSearch("pay the bill", lookup.find("radio/play"))).rank).toBe(0);
});

test("a tool that its server takes away is found no more, and the others are", async () => {
  await using workspace = await makeWorkspace({});
  const { host } = workspace;
  expect((await found(host, "zebra")).hits).toEqual(["bank/feed"]);
  await host.call("bank/retire", {});
  await host.sync();
  expect((await found(host, "zebra")).hits).toEqual([]);
  expect((await found(host, "settle an invoice", { limit: 1 })).hits).toEqual(["bank/settle_invoice"]);
});

test("the key stands in no file of the workspace", async () => {
  await using server = await startModelServer(() => 500);
  const models = { embeddings: { url: server.url, model: "toy", apiKey: "${TOY_KEY}" } };
  await using workspace = await makeWorkspace({ models }, { TOY_KEY: KEY });
  await workspace.host.trust();
  await found(workspace.host, KEY, { strategy: "semantic" });
  expect(workspace.host.config().secrets).toContain(KEY);
  expect(await readFile(join(workspace.root, ".mcpfs/ledger.jsonl"), "utf8").catch(() => "")).not.toContain(
    KEY,
  );
});

function textsIn(requests: readonly ModelRequest[]): readonly string[] {
  return requests.flatMap(({ body }) => body.input as string[]);
}
