import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { writeFiles } from "../cli/run-cli.ts";
import { runMain } from "../cli/run-main.ts";
import { chatAnswer, readPrompt, simpleModel } from "../models/extracting-model.ts";
import { startModelServer } from "../models/model-server.ts";
import { real, temporaryFolder } from "../servers/servers.ts";
import {
  type AnyClient,
  type Connected,
  GENERATIONS,
  type HttpServer,
  httpServer,
  makeServed,
  overHttp,
  overStdio,
  textOf,
} from "./served.ts";

const folder = temporaryFolder();
const open = join(folder.path, "open");
const denied = join(folder.path, "denied");
const sampling = { sampling: {} };
let http: HttpServer;

beforeAll(async () => {
  await makeServed(open, {
    asks: { ...real.everything(), sampling: "client" },
    mute: real.everything(),
  });
  http = await httpServer(open, { args: ["--mode", "code"] });
  writeFiles(denied, {
    "mcpfs.json": {
      mcpServers: {},
      policy: {
        preset: "open",
        rules: [{ name: "no-models", tool: "extract", caller: "serve", permission: "deny" }],
      },
    },
  });
  expect((await runMain(denied, ["sync"])).code).toBe(0);
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

type Model = (params: any) => string | undefined;

/** Lends a model; notes what it was asked. */
function lending(asked: any[], model: Model): (client: AnyClient) => void {
  return (client) =>
    client.setRequestHandler("sampling/createMessage", async ({ params }: any) => {
      asked.push(params);
      const text = model(params);
      if (text === undefined) throw new Error("The person said no.");
      return {
        role: "assistant",
        content: { type: "text", text },
        model: "lent",
        stopReason: "endTurn",
      } as any;
    });
}

const extracting = ({ systemPrompt, messages }: any): string =>
  simpleModel(
    readPrompt(
      systemPrompt,
      messages.map(({ role, content }: any) => ({
        role,
        text: (Array.isArray(content) ? content[0] : content).text,
      })),
    ),
  );

const SCRIPT =
  'import { extract } from "./servers/mcpfs";\ninterface Invoice { customer: string; total: number }\nexport default await extract<Invoice>("customer: Ada, total: 12");';
const modern = GENERATIONS.filter((generation) => generation !== "old");

const SAY = { name: "asks__trigger_sampling_request", args: { prompt: "Say something.", maxTokens: 50 } };

// M25, M26
describe.each(modern)("the model of a %s client", (generation) => {
  describe.each(["stdio", "http"] as const)("over %s", (way) => {
    const asked: any[] = [];
    let model: Model = extracting;
    let connected: Connected;
    beforeAll(async () => {
      const prepare = lending(asked, (params) => model(params));
      connected =
        way === "stdio"
          ? await overStdio(open, generation, { capabilities: sampling, args: ["--mode", "code"] }, prepare)
          : await overHttp(http.url, generation, { capabilities: sampling }, prepare);
    });
    beforeEach(() => {
      asked.length = 0;
      model = extracting;
    });
    afterAll(async () => await connected[Symbol.asyncDispose]());

    test("answers extract in run_script", async () => {
      expect(await textOf(connected.client, "run_script", { code: SCRIPT })).toContain(
        '{"customer":"Ada","total":12}',
      );
      expect(asked).toMatchObject([{ maxTokens: 4_000, temperature: 0 }]);
    });

    test("is told once what is wrong with its answer", async () => {
      model = (params) => (asked.length === 1 ? "{}" : extracting(params));
      expect(await textOf(connected.client, "run_script", { code: SCRIPT })).toContain('"total":12');
      expect(asked).toHaveLength(2);
    });

    test("answers a server behind, with the server's name", async () => {
      model = () => "It is lent.";
      expect(await textOf(connected.client, "call_tool", SAY)).toContain("It is lent.");
      expect(asked[0].systemPrompt).toContain("MCP server asks");
      expect(JSON.stringify(asked[0].messages)).toContain("Say something.");
    });

    test("chooses among tools for the strategy model", async () => {
      model = ({ messages: [{ content }] }) => {
        const [, number] =
          /^(\d+)\. mute\/getSum:/m.exec((Array.isArray(content) ? content[0] : content).text) ?? [];
        return `[${number}]`;
      };
      const query = { query: "echo the sum of numbers", strategy: "model", limit: 3, detail: "name" };
      const [first, best] = (await textOf(connected.client, "search_tools", query)).split("\n");
      expect([first, best]).toEqual(["# mute", "mute__get_sum"]);
      expect(asked).toHaveLength(1);
    });

    test("that says no is an error, and nothing hangs", async () => {
      model = () => undefined;
      const said = async (name: string, args: object): Promise<string> =>
        await textOf(connected.client, name, args).catch((error) => String(error));
      // Revision 2026-07-28 has no word for that: the client gives its own call up.
      const no = generation === "modern" ? /The person said no/ : /did not answer for its model/;
      expect(await said("run_script", { code: SCRIPT })).toMatch(no);
      // A call that such a client has given up stays open for a while, and would make the next question one of two clients.
      if (generation === "modern") return;
      expect(await said("call_tool", SAY)).toMatch(no);
      const found = await said("search_tools", {
        query: "echo a message",
        strategy: "model",
        detail: "name",
      });
      expect(found).toMatch(
        /note: The strategy model cannot be used, so keyword was: The client did not answer/,
      );
      expect(found).toContain("mute__echo");
    });
  });

  test("where it lends none, the error says what to do, and a server is declined with a reason", async () => {
    await using connected = await overHttp(http.url, generation);
    expect(await textOf(connected.client, "run_script", { code: SCRIPT })).toContain("MODEL_MISSING");
    expect(await textOf(connected.client, "call_tool", SAY)).toContain("lends no model");
    const found = await textOf(connected.client, "search_tools", {
      query: "echo",
      strategy: "model",
      detail: "name",
    });
    expect(found).toMatch(/note: The strategy model cannot be used, so keyword was/);
    expect(found).toContain("mute__echo");
  });
});

test("an older client lends its model as well, to scripts and to servers", async () => {
  const asked: any[] = [];
  await using connected = await overHttp(http.url, "old", { capabilities: sampling }, (client) =>
    client.setRequestHandler(
      CreateMessageRequestSchema as never,
      (async ({ params }: any) => {
        asked.push(params);
        const isExtract = params.systemPrompt.includes("JSON Schema");
        const text = isExtract ? extracting(params) : "It is lent.";
        return { role: "assistant", content: { type: "text", text }, model: "lent" };
      }) as never,
    ),
  );
  expect(await textOf(connected.client, "run_script", { code: SCRIPT })).toContain('"total":12');
  expect(await textOf(connected.client, "call_tool", SAY)).toContain("It is lent.");
  expect(asked).toHaveLength(2);
});

test("a server whose entry says nothing of models does not even list the tool that needs one", async () => {
  const asks = readFileSync(join(open, "servers/asks/index.ts"), "utf8");
  expect(asks).toContain("triggerSamplingRequest");
  expect(readFileSync(join(open, "servers/mute/index.ts"), "utf8")).not.toContain("triggerSamplingRequest");
});

test("a rule for clients stops extract before their model is asked", async () => {
  const asked: any[] = [];
  await using connected = await overStdio(
    denied,
    "modern",
    { capabilities: sampling, args: ["--mode", "code"] },
    lending(asked, extracting),
  );
  const code =
    'export default await callMCPTool("mcpfs__extract", { value: "x", schema: { type: "string" } });';
  // What is denied to a client is not there for it.
  for (const denied of [code, SCRIPT])
    expect(await textOf(connected.client, "run_script", { code: denied })).toContain("TOOL_UNKNOWN");
  expect(asked).toEqual([]);
});

test("a server may ask the configured model where its entry says so; the ledger has the cost", async () => {
  await using model = await startModelServer(({ body }) => {
    const messages = body.messages as { content: string }[];
    return chatAnswer(`Configured: ${messages.at(-1)?.content}`);
  });
  const root = join(folder.path, "configured");
  const small = { url: model.url, model: "toy" };
  writeFiles(root, {
    "mcpfs.json": { mcpServers: { asks: { ...real.everything(), sampling: "model" } }, models: { small } },
  });
  const call = ["call", "asks/trigger-sampling-request", '{"prompt":"Say something."}'];
  expect((await runMain(root, ["sync"])).code).toBe(0);
  const declined = await runMain(root, call);
  expect(declined.stdout + declined.stderr).toContain("models.small");
  expect(model.requests).toHaveLength(0);
  expect((await runMain(root, ["trust", "--yes"])).code).toBe(0);
  const { code, stdout } = await runMain(root, call);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("Configured: ") });
  expect(stdout).toContain("Say something.");
  expect(model.requests).toHaveLength(1);
  expect(JSON.parse((await runMain(root, ["--json", "stats"])).stdout).usage.tokens.models).toBe(110);
});
