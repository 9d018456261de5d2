import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { McpfsError } from "../../src/kernel/errors.ts";
import { createChatEndpoint, createEmbeddingsEndpoint } from "../../src/models/endpoints.ts";
import { openEmbedder } from "../../src/models/open-model.ts";
import { createVectorStore } from "../../src/models/vector-store.ts";
import { startModelServer, toyEmbeddings } from "./model-server.ts";
import { writeStaticModel } from "./write-static-model.ts";

const KEY = "sk-test-0123456789";
const signal = new AbortController().signal;
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcpfs-models-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

function endpoint(url: string, timeoutMs = 5_000): Parameters<typeof createEmbeddingsEndpoint>[0] {
  return { url, model: "toy", apiKey: KEY, timeoutMs };
}

// M4
test("embeddings come from /v1/embeddings, in the order of the texts, of length 1, with the key as a bearer", async () => {
  await using server = await startModelServer(toyEmbeddings);
  const vectors = await createEmbeddingsEndpoint(endpoint(server.url)).embed(
    ["money money", "weather"],
    signal,
  );
  expect(vectors.map((vector) => vector.indexOf(Math.max(...vector)))).toEqual([0, 1]);
  expect(vectors[0]?.reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(1);
  expect(server.requests).toEqual([
    {
      path: "/v1/embeddings",
      authorization: `Bearer ${KEY}`,
      body: { model: "toy", input: ["money money", "weather"] },
    },
  ]);
});

test("a small model answers at /v1/chat/completions", async () => {
  await using server = await startModelServer(() => ({ choices: [{ message: { content: "[2]" } }] }));
  const messages = [{ role: "user" as const, text: "which?" }];
  const answer = await createChatEndpoint(endpoint(server.url)).answer({ messages, maxTokens: 5 }, signal);
  expect(answer).toEqual({ text: "[2]", model: "toy", isCut: false, tokens: { input: 3, output: 3 } });
  expect(server.requests[0]?.body).toMatchObject({ model: "toy", temperature: 0, max_tokens: 5 });
});

test("a model that takes neither a temperature nor max_tokens is asked once more without", async () => {
  await using server = await startModelServer(({ body }) =>
    "max_tokens" in body || "temperature" in body ? 400 : { choices: [{ message: { content: "yes" } }] },
  );
  const messages = [{ role: "user" as const, text: "which?" }];
  const model = createChatEndpoint(endpoint(server.url));
  expect(await model.answer({ messages, maxTokens: 5 }, signal)).toMatchObject({ text: "yes" });
  expect(server.requests[1]?.body).toEqual({
    model: "toy",
    messages: [{ role: "user", content: "which?" }],
    max_completion_tokens: 5,
  });
  await using broken = await startModelServer(() => 400);
  const asked = createChatEndpoint(endpoint(broken.url)).answer({ messages, maxTokens: 5 }, signal);
  expect(await failureOf(asked)).toMatchObject({ code: "SERVER_FAILED" });
  expect(broken.requests).toHaveLength(2);
});

test.each([
  ["refuses the key", () => 401, "AUTH_REQUIRED"],
  ["has no such path", () => 404, "SERVER_FAILED"],
  ["is broken", () => 500, "SERVER_FAILED"],
  ["does not answer JSON", () => `<html>${KEY}</html>`, "SERVER_FAILED"],
  ["answers in another form", () => ({ embeddings: [[1]] }), "SERVER_FAILED"],
  ["gives too few vectors", () => ({ data: [] }), "SERVER_FAILED"],
  [
    "gives vectors of other lengths",
    () => ({ data: [{ embedding: [1] }, { embedding: [1, 2] }] }),
    "SERVER_FAILED",
  ],
  ["gives texts for numbers", () => ({ data: [{ embedding: ["a"] }, { embedding: [1] }] }), "SERVER_FAILED"],
])("an endpoint that %s is an error without the key", async (_what, answer, code) => {
  await using server = await startModelServer(answer);
  const error = await failureOf(createEmbeddingsEndpoint(endpoint(server.url)).embed(["a", "b"], signal));
  expect(error.code).toBe(code);
  expect(`${error.message} ${error.hint} ${JSON.stringify(error.data)}`).not.toContain(KEY);
  expect(error.hint).not.toBe("");
});

test("an endpoint that nobody serves, and one that is too slow, are errors of their own", async () => {
  const closed = await startModelServer(() => ({}));
  await closed[Symbol.asyncDispose]();
  const refused = await failureOf(createEmbeddingsEndpoint(endpoint(closed.url)).embed(["a"], signal));
  expect(refused).toMatchObject({ code: "SERVER_FAILED", message: expect.stringContaining("ECONNREFUSED") });
  await using slow = await startModelServer(async () => await new Promise(() => {}));
  const late = await failureOf(createEmbeddingsEndpoint(endpoint(slow.url, 50)).embed(["a"], signal));
  expect(late.code).toBe("SERVER_TIMEOUT");
});

test("a redirect does not carry the key elsewhere", async () => {
  await using thief = await startModelServer(toyEmbeddings);
  const { createServer } = await import("node:http");
  const server = createServer((_request, response) => {
    response.writeHead(307, { location: `${thief.url}/embeddings` }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const error = await failureOf(
    createEmbeddingsEndpoint(endpoint(`http://127.0.0.1:${port}/v1`)).embed(["a"], signal),
  );
  server.close();
  expect(error.code).toBe("SERVER_FAILED");
  expect(thief.requests).toEqual([]);
});

async function staticModel(dtype: "F32" | "F16"): Promise<string> {
  const path = await mkdtemp(join(folder, "static-"));
  await writeStaticModel(path, { dtype });
  return path;
}

test.each(["F32", "F16"] as const)(
  "a static model of %s lies in a folder and needs no package",
  async (dtype) => {
    const embedder = await openEmbedder({ kind: "folder", path: await staticModel(dtype) });
    const [rain, forecast, invoice, unknown] = await embedder.embed(
      ["Ràin!", "forecast", "invoice", "xyz"],
      signal,
    );
    expect(rain && Array.from(rain)).toEqual([1, 0]);
    expect(forecast?.[0]).toBeCloseTo(0.97, 2);
    expect(invoice && Array.from(invoice)).toEqual([0, 1]);
    expect(unknown && Array.from(unknown)).toEqual([0, 0]);
  },
);

test.each([
  ["is empty", {}],
  ["has another tokenizer", { "tokenizer.json": '{"model":{"type":"BPE","vocab":{}}}' }],
  ["has no table", { "model.safetensors": Buffer.from("nonsense and more nonsense") }],
])("a folder that %s is an error that says what a model needs", async (_what, files) => {
  const path =
    Object.keys(files).length === 0 ? await mkdtemp(join(folder, "empty-")) : await staticModel("F32");
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  expect(await failureOf(openEmbedder({ kind: "folder", path }))).toMatchObject({ code: "FILE_FAILED" });
});

test("a package that is not installed says how to install it", async () => {
  const embedder = await openEmbedder({ kind: "package", name: "@energetic-ai/embeddings" });
  const error = await failureOf(embedder.embed(["a"], signal));
  expect(error).toMatchObject({ code: "SERVER_FAILED", hint: expect.stringContaining("npm install") });
});

test("vectors that were kept are the same, and a file that was cut holds none", async () => {
  const root = await mkdtemp(join(folder, "store-"));
  const store = createVectorStore(root);
  expect((await store.read("toy")).size).toBe(0);
  const kept = new Map([
    ["a".repeat(64), Float32Array.of(1, 0.5)],
    ["b".repeat(64), Float32Array.of(-1, 2)],
  ]);
  await store.write("toy", kept);
  expect(await createVectorStore(root).read("toy")).toEqual(kept);
  const file = join(root, ".mcpfs/vectors/toy.bin");
  await writeFile(file, (await readFile(file)).subarray(0, -1));
  expect((await store.read("toy")).size).toBe(0);
});

async function failureOf(work: Promise<unknown>): Promise<McpfsError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof McpfsError) return error;
  throw new Error(`no failure of ours: ${String(error)}`);
}
