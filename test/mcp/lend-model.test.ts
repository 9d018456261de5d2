import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { McpfsError } from "../../src/kernel/errors.ts";
import type { Json } from "../../src/kernel/json.ts";
import { createSampling, type SamplingParts } from "../../src/mcp/lend-model.ts";
import type { ModelRequest, TextModel } from "../../src/model/text-model.ts";
import { createChatEndpoint } from "../../src/models/endpoints.ts";
import { httpServer } from "../servers/http-server.ts";
import { answerModern } from "../servers/modern-http.ts";
import { scripted, serverEntry } from "../servers/servers.ts";
import { rawName, rejection, serverName, testHub, testHubWith } from "./fixtures.ts";

const odd = serverName("odd");
const say = (text: string) => ({ role: "user", content: { type: "text", text } });
const ask = {
  method: "sampling/createMessage",
  params: {
    messages: [say("How are you?")],
    systemPrompt: "Be brief.",
    maxTokens: 20,
    includeContext: "allServers",
  },
};
const asking = scripted({ tools: [{ name: "a" }], answers: { a: { ask } } });

/** A model that repeats what it was asked. */
function echo(asked: ModelRequest[] = []): TextModel {
  return {
    answer: async (request) => {
      asked.push(request);
      const text = request.messages.map((message) => message.text).join("|");
      return { text, model: "echo", isCut: false, tokens: { input: 1, output: 1 } };
    },
  };
}

// M26
describe("a server that may ask a model", () => {
  test("of the config gets its answer, and the model what it was asked", async () => {
    const asked: ModelRequest[] = [];
    const lendModel = async () => echo(asked);
    await using hub = testHubWith({ lendModel }, serverEntry("odd", asking, { sampling: "model" }));
    const { structured } = await (await hub.link(odd)).callTool(rawName("a"), {});
    expect(structured).toEqual({
      result: {
        role: "assistant",
        content: { type: "text", text: "How are you?" },
        model: "echo",
        stopReason: "endTurn",
      },
    });
    expect(asked).toEqual([
      { system: "Be brief.", messages: [{ role: "user", text: "How are you?" }], maxTokens: 20 },
    ]);
  });

  test("of the client gets that of the caller, who is told which server asks and nothing of other servers", async () => {
    const asked: Json[] = [];
    const side = {
      askModel: async (params: Json) => {
        asked.push(params);
        return {
          role: "assistant",
          content: { type: "text", text: "Fine." },
          model: "lent",
          _meta: { more: 1 },
        };
      },
    };
    await using hub = testHub(serverEntry("odd", asking, { sampling: "client" }));
    const { structured } = await (await hub.link(odd)).callTool(rawName("a"), {}, { side });
    expect(structured).toEqual({
      result: { role: "assistant", content: { type: "text", text: "Fine." }, model: "lent" },
    });
    expect(asked).toEqual([
      {
        messages: [say("How are you?")],
        maxTokens: 20,
        systemPrompt: "This request comes from the MCP server odd; mcpfs passes it on.\n\nBe brief.",
      },
    ]);
  });

  test("of revision 2026-07-28 gets it in another round of its call; declined, the call fails with the reason", async () => {
    const handler = createMcpHandler(
      () => {
        const server = new McpServer({ name: "asks", version: "1" }, { capabilities: { tools: {} } });
        server.registerTool("think", { inputSchema: z.object({}) }, (_args, { mcpReq }) => {
          const reply = mcpReq.inputResponses?.thought as { content: { text: string } } | undefined;
          if (reply !== undefined) return { content: [{ type: "text", text: reply.content.text }] };
          const thought = inputRequired.createMessage({ messages: [say("Think.")] as never, maxTokens: 10 });
          return inputRequired({ inputRequests: { thought } });
        });
        return server;
      },
      { legacy: "reject" },
    );
    await using server = await httpServer((exchange) => answerModern(handler, exchange).catch(() => {}));
    const transport = { kind: "http", url: server.url, headers: {} } as const;
    const lendModel = async () => echo();
    await using hub = testHubWith({ lendModel }, serverEntry("odd", transport, { sampling: "model" }));
    const { content } = await (await hub.link(odd)).callTool(rawName("think"), {});
    expect(content).toEqual([{ type: "text", text: "Think." }]);
    await using without = testHub(serverEntry("odd", transport, { sampling: "model" }));
    const error = await rejection((await without.link(odd)).callTool(rawName("think"), {}));
    expect(error).toMatchObject({ code: "TOOL_ERROR", message: expect.stringContaining("names no model") });
  });
});

describe("is declined with a reason", () => {
  const warnings: string[] = [];
  const log = { debug: () => {}, info: () => {}, warn: (text: string) => void warnings.push(text) };
  const sampling = (parts: Partial<SamplingParts>, whose?: "client" | "model") =>
    createSampling({
      entry: serverEntry("odd", asking, whose === undefined ? {} : { sampling: whose }),
      log,
      side: () => ({}),
      lendModel: async () => echo(),
      isInCall: () => true,
      ...parts,
    });
  const { signal } = new AbortController();
  const params = ask.params as unknown as Json;
  const picture = {
    messages: [{ role: "user", content: { type: "image", data: "", mimeType: "image/png" } }],
  };
  test.each<[string, "client" | "model" | undefined, Partial<SamplingParts>, Json, RegExp, number]>([
    ["an entry that says nothing", undefined, {}, params, /"sampling" of the server/, -32601],
    ["a request outside of a call", "model", { isInCall: () => false }, params, /middle of a call/, -1],
    ["a client that lends none", "client", {}, params, /lends no model/, -1],
    [
      "a client that says no",
      "client",
      { side: () => ({ askModel: async () => undefined }) },
      params,
      /did not answer/,
      -1,
    ],
    ["a config that names none", "model", { lendModel: async () => undefined }, params, /names no model/, -1],
    ["a picture", "model", {}, picture, /takes text/, -1],
    ["tools", "model", {}, { ...ask.params, tools: [] } as unknown as Json, /has none/, -1],
    ["no messages", "model", {}, { maxTokens: 5 }, /messages is missing/, -32602],
    [
      "a message of nobody",
      "model",
      {},
      { messages: [{ content: { type: "text", text: "x" } }] },
      /role/,
      -32602,
    ],
    ["far too much", "model", {}, { messages: [say("x".repeat(500_000))] }, /characters/, -32602],
  ])("%s", async (_name, whose, parts, asked, reason, code) => {
    warnings.length = 0;
    const answer = await sampling(parts, whose)(asked, signal);
    expect(answer).toMatchObject({ kind: "error", code, message: expect.stringMatching(reason) });
    if (code !== -32602) expect(warnings.join()).toMatch(/Server odd asks for a language model/);
  });

  test.each<[string, "client" | "model", Partial<SamplingParts>, RegExp]>([
    [
      "an endpoint that cannot be reached",
      "model",
      {
        lendModel: async () =>
          createChatEndpoint({
            url: "http://127.0.0.1:1/v1",
            model: "m",
            apiKey: undefined,
            timeoutMs: 2_000,
          }),
      },
      /127\.0\.0\.1:1\/v1.* cannot be used/,
    ],
    [
      "a model that is not trusted",
      "model",
      { lendModel: () => Promise.reject(new McpfsError("UNTRUSTED", "/home/ann/m is not trusted.")) },
      /\/home\/ann\/m is not trusted/,
    ],
    [
      "a client that fails",
      "client",
      { side: () => ({ askModel: () => Promise.reject(new Error("no key for ann@example.org")) }) },
      /ann@example\.org/,
    ],
  ])("which the server is not told where it is ours: %s", async (_name, whose, parts, reason) => {
    warnings.length = 0;
    expect(await sampling(parts, whose)(params, signal)).toEqual({
      kind: "error",
      code: -1,
      message: "The model could not be asked.",
    });
    expect(warnings.join()).toMatch(reason);
  });

  test("the fifth at the same time", async () => {
    const answer = sampling({ lendModel: () => new Promise(() => {}) }, "model");
    for (let open = 0; open < 4; open += 1) void answer(params, signal);
    expect(await answer(params, signal)).toMatchObject({ message: expect.stringContaining("4 requests") });
  });
});
