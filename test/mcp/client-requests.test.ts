import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { CallProgress } from "../../src/model/call-progress.ts";
import type { AskPerson, Question } from "../../src/model/question.ts";
import { everythingOverHttp } from "../servers/everything-over-http.ts";
import { httpServer } from "../servers/http-server.ts";
import { answerModern } from "../servers/modern-http.ts";
import { modern, real, received, scripted, serverEntry, temporaryFolder, until } from "../servers/servers.ts";
import { namesOf, rawName, rejection, serverName, testHub, testHubWith } from "./fixtures.ts";

const everything = serverName("everything");
const odd = serverName("odd");

/** A person who answers each question by `reply`, and what the person was asked. */
function person(reply: (question: Question) => ReturnType<AskPerson>): {
  readonly asked: Question[];
  readonly askPerson: AskPerson;
} {
  const asked: Question[] = [];
  return {
    asked,
    askPerson: (question) => {
      asked.push(question);
      return reply(question);
    },
  };
}

const form = {
  method: "elicitation/create",
  params: {
    message: "Who are you?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  },
};

// M26
describe("questions of earlier revisions", () => {
  test.each(["stdio", "streamableHttp"] as const)(
    "a form of server-everything over %s is answered in the middle of a call",
    async (mode) => {
      await using remote = mode === "stdio" ? undefined : await everythingOverHttp(mode);
      const entry =
        remote === undefined
          ? serverEntry("everything", real.everything())
          : serverEntry("everything", {
              kind: "http",
              url: `http://127.0.0.1:${remote.port}/mcp`,
              headers: {},
            });
      const { asked, askPerson } = person(async () => ({
        kind: "accept",
        content: { name: "Ann", email: "ann@example.org", firstLine: "first" },
      }));
      await using hub = testHubWith({ askPerson }, entry);
      const link = await hub.link(everything);
      const answer = await link.callTool(rawName("trigger-elicitation-request"), {});
      expect(JSON.stringify(answer.content)).toContain("Ann");
      const [question] = asked;
      if (question?.kind !== "form") throw new Error("a form was expected");
      const types = new Set(question.fields.map((field) => field.type));
      for (const type of ["text", "boolean", "integer", "choice", "choices"] as const)
        expect(types).toContain(type);
      expect(question.fields.find((field) => field.name === "name")?.isRequired).toBe(true);
    },
  );

  test("what is declared, and so what is listed, is the same with and without a person", async () => {
    const { askPerson } = person(async () => ({ kind: "decline" }));
    await using alone = testHub(serverEntry("everything", real.everything()));
    await using attended = testHubWith({ askPerson }, serverEntry("everything", real.everything()));
    const lists = await Promise.all(
      [alone, attended].map(async (hub) => namesOf(await (await hub.link(everything)).listTools())),
    );
    expect(lists[0]).toContain("trigger-elicitation-request");
    expect(lists[0]).toEqual(lists[1]);
  });

  test("where nobody is there the question is declined, and a warning says so", async () => {
    await using hub = testHub(
      serverEntry("odd", scripted({ tools: [{ name: "a" }], answers: { a: { ask: form } } })),
    );
    const link = await hub.link(odd);
    expect((await link.callTool(rawName("a"), {})).structured).toEqual({ result: { action: "decline" } });
    expect(hub.warnings).toEqual([
      "Server odd asks: Who are you? There is nobody who can answer, so the question was declined.",
    ]);
  });

  test("a call does not run out of time while a person thinks", async () => {
    const { askPerson } = person(
      () => new Promise((resolve) => setTimeout(resolve, 900, { kind: "accept", content: { name: "Ann" } })),
    );
    const spec = { tools: [{ name: "a" }], answers: { a: { ask: form } } };
    await using hub = testHubWith({ askPerson }, serverEntry("odd", scripted(spec)));
    const link = await hub.link(odd);
    const answer = await link.callTool(rawName("a"), {}, { timeoutMs: 400 });
    expect(answer.structured).toEqual({ result: { action: "accept", content: { name: "Ann" } } });
  });

  test("a question that the server takes back is closed and gets no answer", async () => {
    using folder = temporaryFolder();
    let isClosed = false;
    const askPerson: AskPerson = (_question, signal) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          isClosed = true;
          resolve({ kind: "cancel" });
        }),
      );
    const log = `${folder.path}/log`;
    const spec = { tools: [{ name: "a" }], answers: { a: { askThenCancel: form, text: "done" } } };
    await using hub = testHubWith({ askPerson }, serverEntry("odd", scripted(spec, log)));
    await (await hub.link(odd)).callTool(rawName("a"), {});
    await until("the question is closed", () => isClosed);
    expect(JSON.stringify(received(log, ""))).not.toContain("ask-1");
  });

  test("a page that has to be visited first (-32042) is shown, and the call is made again; without consent it fails", async () => {
    const answers: ("accept" | "decline")[] = ["accept", "accept", "decline"];
    const { asked, askPerson } = person(async () =>
      answers.shift() === "accept" ? { kind: "accept", content: {} } : { kind: "decline" },
    );
    await using hub = testHubWith({ askPerson }, serverEntry("everything", real.everything()));
    const link = await hub.link(everything);
    const args = { url: "https://example.org/start?a=1", message: "Please sign in.", errorPath: true };
    const answer = await link.callTool(rawName("trigger-url-elicitation"), args);
    expect(answer.isError).toBe(false);
    expect(asked[0]).toMatchObject({ kind: "url", url: expect.stringMatching(/^https:/) });
    const error = await rejection(
      link.callTool(rawName("trigger-url-elicitation"), { ...args, url: "https://x.org" }),
    );
    expect(error).toMatchObject({ code: "TOOL_ERROR", data: { rpcCode: -32042 } });
  });

  test.each([
    [{ mode: "url", url: "javascript:alert(1)", message: "x" }, "url"],
    [{ message: "x", requestedSchema: { properties: [] } }, "properties"],
  ])("a question that makes no sense is refused: %j", async (params, word) => {
    const { asked, askPerson } = person(async () => ({ kind: "cancel" }));
    const spec = {
      tools: [{ name: "a" }],
      answers: { a: { ask: { method: "elicitation/create", params } } },
    };
    await using hub = testHubWith({ askPerson }, serverEntry("odd", scripted(spec)));
    const { structured } = await (await hub.link(odd)).callTool(rawName("a"), {});
    expect(structured).toMatchObject({ error: { code: -32602, message: expect.stringContaining(word) } });
    expect(asked).toEqual([]);
  });
});

describe("questions of revision 2026-07-28", () => {
  test("a call that needs input is made again with the answer and the server's state", async () => {
    const handler = createMcpHandler(
      () => {
        const server = new McpServer({ name: "asks", version: "1" }, { capabilities: { tools: {} } });
        server.registerTool("greet", { inputSchema: z.object({}) }, (_args, ctx) => {
          const reply = ctx.mcpReq.inputResponses?.who as
            | { action: string; content?: { name: string } }
            | undefined;
          if (reply === undefined)
            return inputRequired({
              inputRequests: {
                who: inputRequired.elicit({
                  message: "Who?",
                  requestedSchema: z.object({ name: z.string() }),
                }),
              },
            });
          return { content: [{ type: "text", text: `${reply.action} ${reply.content?.name ?? ""}` }] };
        });
        return server;
      },
      { legacy: "reject" },
    );
    await using server = await httpServer((exchange) => answerModern(handler, exchange).catch(() => {}));
    const entry = serverEntry("odd", { kind: "http", url: server.url, headers: {} });
    const { askPerson } = person(async () => ({ kind: "accept", content: { name: "Ann" } }));
    await using attended = testHubWith({ askPerson }, entry);
    const answer = await (await attended.link(odd)).callTool(rawName("greet"), {});
    expect(answer.content).toEqual([{ type: "text", text: "accept Ann" }]);
    await using alone = testHub(entry);
    const declined = await (await alone.link(odd)).callTool(rawName("greet"), {});
    expect(declined.content).toEqual([{ type: "text", text: "decline " }]);
    expect(alone.warnings).toHaveLength(1);
  });
});

describe("roots, messages, progress", () => {
  test("the files folder is told only to a server whose entry says so", async () => {
    const ask = { method: "roots/list" };
    const server = scripted({ tools: [{ name: "a" }], answers: { a: { ask } } });
    await using hub = testHubWith(
      { filesFolder: "/some where/workspace" },
      serverEntry("open", server, { sharesRoots: true }),
      serverEntry("shut", server),
    );
    const call = async (name: string): Promise<any> =>
      (await (await hub.link(serverName(name))).callTool(rawName("a"), {})).structured;
    expect((await call("open")).result).toEqual({
      roots: [{ uri: "file:///some%20where/workspace", name: "workspace" }],
    });
    expect((await call("shut")).error.code).toBe(-32601);
    await using shared = testHub(serverEntry("everything", real.everything(), { sharesRoots: true }));
    expect(namesOf(await (await shared.link(everything)).listTools())).toContain("get-roots-list");
  });

  test("messages of a server are logged by level with its name, without secrets and hidden characters; a flood is cut", async () => {
    const message = (level: string, data: unknown): unknown => ({
      method: "notifications/message",
      params: { level, logger: "db", data },
    });
    const notify = [
      message("debug", "quiet"),
      message("notice", { at: 1 }),
      message("alert", "token hunter22 \u001b[2J"),
      ...Array.from({ length: 500 }, () => message("info", "again")),
    ];
    const spec = {
      capabilities: { tools: {}, logging: {} },
      tools: [{ name: "a" }],
      answers: { a: { notify } },
    };
    using folder = temporaryFolder();
    const log = `${folder.path}/log`;
    await using hub = testHub(serverEntry("odd", scripted(spec, log), { secrets: ["hunter22"] }));
    await (await hub.link(odd)).callTool(rawName("a"), {});
    expect(hub.logged.slice(0, 3)).toEqual([
      "debug: [odd/db] quiet",
      'info: [odd/db] {"at":1}',
      "warn: [odd/db] token [hidden] \\u{1b}[2J",
    ]);
    expect(hub.logged.length).toBeLessThan(60);
    expect(received(log, "logging/setLevel")[0]?.params).toEqual({ level: "info" });
  });

  test("a server of revision 2026-07-28 is asked for messages with each request", async () => {
    const handler = createMcpHandler(() => {
      const server = new McpServer(
        { name: "logs", version: "1" },
        { capabilities: { tools: {}, logging: {} } },
      );
      server.registerTool("a", { inputSchema: z.object({}) }, async (_args, ctx) => {
        await ctx.mcpReq.log("warning", "careful");
        return { content: [] };
      });
      return server;
    });
    await using server = await httpServer((exchange) => answerModern(handler, exchange).catch(() => {}));
    await using hub = testHub(serverEntry("odd", { kind: "http", url: server.url, headers: {} }));
    await (await hub.link(odd)).callTool(rawName("a"), {});
    expect(hub.warnings).toEqual(["[odd] careful"]);
  });

  test("progress of a call is told until it is over", async () => {
    const seen: CallProgress[] = [];
    await using hub = testHubWith(
      { onProgress: (progress) => void seen.push(progress) },
      serverEntry("everything", real.everything()),
    );
    const link = await hub.link(everything);
    await link.callTool(rawName("trigger-long-running-operation"), { duration: 0.4, steps: 4 });
    expect(seen.map(({ done, total, isOver }) => [done, total, isOver])).toEqual([
      [1, 4, false],
      [2, 4, false],
      [3, 4, false],
      [4, 4, false],
      [0, undefined, true],
    ]);
  });
});

describe("cancellation reaches the server when a call is stopped", () => {
  test.each([
    ["stdio, earlier", () => modern(false), "legacy"],
    ["stdio, 2026-07-28", () => modern(true), "2026-07-28"],
  ] as const)("%s", async (_name, command, protocol) => {
    await using hub = testHub(serverEntry("odd", command(), { protocol }));
    const link = await hub.link(odd);
    const stop = new AbortController();
    const call = rejection(link.callTool(rawName("wait"), {}, { signal: stop.signal }));
    setTimeout(() => stop.abort(), 200);
    await call;
    const { content } = await link.callTool(rawName("stopped_waits"), {});
    expect(content).toEqual([{ type: "text", text: "1" }]);
  });

  test("HTTP, 2026-07-28", async () => {
    let stopped = 0;
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: "waits", version: "1" }, { capabilities: { tools: {} } });
      server.registerTool("wait", { inputSchema: z.object({}) }, async (_args, ctx) => {
        await new Promise<void>((resolve) => ctx.mcpReq.signal.addEventListener("abort", () => resolve()));
        stopped += 1;
        return { content: [] };
      });
      return server;
    });
    await using server = await httpServer((exchange) => answerModern(handler, exchange).catch(() => {}));
    await using hub = testHub(serverEntry("odd", { kind: "http", url: server.url, headers: {} }));
    const stop = new AbortController();
    const link = await hub.link(odd);
    const call = rejection(link.callTool(rawName("wait"), {}, { signal: stop.signal }));
    setTimeout(() => stop.abort(), 200);
    await call;
    await until("the server notices", () => stopped === 1);
  });
});
