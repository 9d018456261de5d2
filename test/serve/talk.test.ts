import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { received, scripted, temporaryFolder, until } from "../servers/servers.ts";
import {
  type AnyClient,
  GENERATIONS,
  type HttpServer,
  httpServer,
  makeServed,
  overHttp,
  overStdio,
  textOf,
} from "./served.ts";

const folder = temporaryFolder();
const logFile = `${folder.path}/server.log`;
const form = {
  method: "elicitation/create",
  params: {
    message: "Which size?",
    requestedSchema: {
      type: "object",
      properties: { size: { type: "integer", minimum: 1, maximum: 9 } },
      required: ["size"],
    },
  },
};
const page = {
  method: "elicitation/create",
  params: { mode: "url", message: "Sign in", url: "https://example.org/in", elicitationId: "e1" },
};
const object = { type: "object" };
const asking = scripted(
  {
    tools: ["ask", "ask_page", "ask_roots", "slow", "hang"].map((name) => ({ name, inputSchema: object })),
    answers: {
      ask: { ask: form },
      ask_page: { ask: page },
      ask_roots: { ask: { method: "roots/list" } },
      slow: { progress: { everyMs: 30, times: 3 }, text: "slowly done" },
      hang: { never: true },
    },
  },
  logFile,
);
let http: HttpServer;

beforeAll(async () => {
  await makeServed(folder.path, { odd: { ...asking, roots: true } });
  http = await httpServer(folder.path, { args: ["--mode", "code"] });
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Answers forms by `answer`, and notes what was asked. */
function answering(answer: object, asked: any[]): (client: AnyClient) => void {
  return (client) =>
    client.setRequestHandler("elicitation/create", async (request: any) => {
      asked.push(request.params);
      return answer as any;
    });
}

const elicitation = { elicitation: { form: {}, url: {} } };
const modern = GENERATIONS.filter((generation) => generation !== "old");

// M4
describe.each(modern)("a question of a server reaches a %s client", (generation) => {
  describe.each(["stdio", "http"] as const)("over %s", (way) => {
    const connect = async (asked: any[], answer: object) =>
      way === "stdio"
        ? await overStdio(
            folder.path,
            generation,
            { capabilities: elicitation, args: ["--mode", "code"] },
            answering(answer, asked),
          )
        : await overHttp(http.url, generation, { capabilities: elicitation }, answering(answer, asked));

    test("with the server's name, in the middle of a script", async () => {
      const asked: any[] = [];
      await using session = await connect(asked, { action: "accept", content: { size: 7 } });
      const code = `import * as odd from "./servers/odd"; export default (await odd.ask({})).result.content.size * 6;`;
      expect(await textOf(session.client, "run_script", { code })).toBe("42\n(1 call: 1 done)");
      expect(asked).toHaveLength(1);
      expect(asked[0].message).toBe("Server odd asks: Which size?");
      expect(asked[0].requestedSchema.properties.size).toMatchObject({
        type: "integer",
        minimum: 1,
        maximum: 9,
      });
    });

    test("and its refusal reaches the server", async () => {
      await using session = await connect([], { action: "decline" });
      expect(await textOf(session.client, "call_tool", { name: "odd__ask" })).toContain('"action":"decline"');
    });
  });
});

test("an answer that does not fit the form is asked for once more, then the question is cancelled", async () => {
  const asked: any[] = [];
  await using session = await overHttp(
    http.url,
    "modern",
    { capabilities: elicitation },
    answering({ action: "accept", content: { size: 12 } }, asked),
  );
  expect(await textOf(session.client, "call_tool", { name: "odd__ask" })).toContain('"action":"cancel"');
  expect(asked.map(({ message }) => message)).toEqual([
    "Server odd asks: Which size?",
    "Server odd asks: Which size?\n(size: It must be at most 9.)",
  ]);
});

test("several questions of one script come together or one after the other, and each gets its answer", async () => {
  let next = 0;
  await using session = await overHttp(http.url, "modern", { capabilities: elicitation }, (client) =>
    client.setRequestHandler("elicitation/create", async () => {
      next += 1;
      return { action: "accept", content: { size: next } };
    }),
  );
  const code = `import * as odd from "./servers/odd";
const answers = await Promise.all([odd.ask({}), odd.ask({}), odd.ask({})]);
answers.push(await odd.ask({}));
export default answers.map(({ result }) => result.content.size).sort();`;
  expect(await textOf(session.client, "run_script", { code })).toContain("[1,2,3,4]");
});

test("a page is shown to a client that can show pages, and to no other", async () => {
  const asked: any[] = [];
  {
    await using session = await overHttp(
      http.url,
      "modern",
      { capabilities: elicitation },
      answering({ action: "accept" }, asked),
    );
    expect(await textOf(session.client, "call_tool", { name: "odd__ask_page" })).toContain(
      '"action":"accept"',
    );
    expect(asked[0]).toMatchObject({ mode: "url", url: "https://example.org/in" });
  }
  await using plain = await overHttp(
    http.url,
    "modern",
    { capabilities: { elicitation: { form: {} } } },
    answering({ action: "accept" }, asked),
  );
  expect(await textOf(plain.client, "call_tool", { name: "odd__ask_page" })).toContain('"action":"decline"');
  expect(asked).toHaveLength(1);
});

test("without a person behind the client a question is declined, and the call goes on", async () => {
  await using session = await overStdio(folder.path, "old", { args: ["--mode", "code"] });
  expect(await textOf(session.client, "call_tool", { name: "odd__ask" })).toContain('"action":"decline"');
});

test("a server that may know roots is told those of its caller too", async () => {
  await using session = await overStdio(
    folder.path,
    "legacy",
    { capabilities: { roots: {} }, args: ["--mode", "code"] },
    (client) =>
      client.setRequestHandler("roots/list", async () => ({
        roots: [{ uri: "file:///home/ann/project", name: "project" }],
      })),
  );
  const answer = await textOf(session.client, "call_tool", { name: "odd__ask_roots" });
  expect(answer).toContain("file:///home/ann/project");
  expect(answer).toContain('"name":"workspace"');
});

test("of two clients that call a server at once neither answers the other's question", async () => {
  const asked: any[] = [];
  const answer = answering({ action: "accept", content: { size: 1 } }, asked);
  await using one = await overHttp(http.url, "legacy", { capabilities: elicitation }, answer);
  await using two = await overHttp(http.url, "legacy", { capabilities: elicitation }, answer);
  const stop = new AbortController();
  const hanging = two.client
    .callTool({ name: "call_tool", arguments: { name: "odd__hang" } }, { signal: stop.signal } as any)
    .catch(() => {});
  await until("the other call", () =>
    received(logFile, "tools/call").some(({ params }) => params.name === "hang"),
  );
  expect(await textOf(one.client, "call_tool", { name: "odd__ask" })).toContain('"action":"decline"');
  expect(asked).toEqual([]);
  stop.abort();
  await hanging;
  await until("the end of the other call", () => received(logFile, "notifications/cancelled").length > 0);
});

test("one client with several open calls is asked all the same", async () => {
  const asked: any[] = [];
  const answer = answering({ action: "accept", content: { size: 1 } }, asked);
  await using one = await overHttp(http.url, "legacy", { capabilities: elicitation }, answer);
  const stop = new AbortController();
  const before = received(logFile, "tools/call").length;
  const hanging = one.client
    .callTool({ name: "call_tool", arguments: { name: "odd__hang" } }, { signal: stop.signal } as any)
    .catch(() => {});
  await until("the other call", () => received(logFile, "tools/call").length > before);
  expect(await textOf(one.client, "call_tool", { name: "odd__ask" })).toContain('"action":"accept"');
  expect(asked).toHaveLength(1);
  stop.abort();
  await hanging;
});

describe.each(GENERATIONS)("a %s client", (generation) => {
  test("sees progress of the calls in a script", async () => {
    await using session = await overHttp(http.url, generation);
    const seen: any[] = [];
    const code = `import * as odd from "./servers/odd"; export default await odd.slow({});`;
    const options: any = { onprogress: (progress: any) => seen.push(progress) };
    const params = { name: "run_script", arguments: { code } };
    const result: any =
      generation === "old"
        ? await (session.client as any).callTool(params, undefined, options)
        : await session.client.callTool(params, options);
    expect(result.content[0].text).toContain("slowly done");
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(seen[0]).toMatchObject({ progress: 1, message: expect.stringContaining("odd/slow") });
  });

  test("cancels a run, and the server's call with it", async () => {
    await using session = await overHttp(http.url, generation);
    const before = received(logFile, "notifications/cancelled").length;
    const calls = received(logFile, "tools/call").length;
    const stop = new AbortController();
    const code = `import * as odd from "./servers/odd"; export default await odd.hang({});`;
    const options: any = { signal: stop.signal };
    const params = { name: "run_script", arguments: { code } };
    const running =
      generation === "old"
        ? (session.client as any).callTool(params, undefined, options)
        : session.client.callTool(params, options);
    running.catch(() => {});
    await until("the call", () => received(logFile, "tools/call").length > calls);
    stop.abort();
    await expect(running).rejects.toThrow();
    await until("the cancellation", () => received(logFile, "notifications/cancelled").length > before);
  });
});
