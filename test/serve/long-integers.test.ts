import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCli } from "../cli/run-cli.ts";
import { received, scripted, temporaryFolder } from "../servers/servers.ts";
import { GENERATIONS, type HttpServer, httpServer, makeServed, overHttp } from "./served.ts";

const LONG = "9007199254740993";
const NEGATIVE = "-36893488147419103233";
const folder = temporaryFolder();
const logFile = `${folder.path}/server.log`;
const bank = scripted(
  {
    toolsText: `[{"name":"echo","inputSchema":{"type":"object","properties":{"id":{"type":"integer","maximum":18446744073709551615}}},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`,
    answers: { echo: { echoArguments: true } },
  },
  logFile,
);
let code: HttpServer;
let direct: HttpServer;
beforeAll(async () => {
  await makeServed(folder.path, { bank });
  code = await httpServer(folder.path, { args: ["--mode", "code"] });
  direct = await httpServer(folder.path, { args: ["--mode", "direct"] });
});
afterAll(async () => {
  await code[Symbol.asyncDispose]();
  await direct[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Calls a tool with digits where an SDK has none (`"LONG"`, `"NEGATIVE"`), and gives the answers as they came. */
async function rawCall(
  url: string,
  generation: (typeof GENERATIONS)[number],
  name: string,
  args: object,
): Promise<string> {
  const answers: string[] = [];
  const fetchRaw: typeof fetch = async (input, init) => {
    const body =
      typeof init?.body === "string"
        ? init.body.replaceAll('"LONG"', LONG).replaceAll('"NEGATIVE"', NEGATIVE)
        : init?.body;
    const response = await fetch(input, { ...init, body: body ?? null });
    if (init?.method !== "POST") return response;
    const text = await response.clone().text();
    answers.push(text);
    return response;
  };
  await using session = await overHttp(url, generation, { fetch: fetchRaw });
  await session.client.callTool({ name, arguments: args as Record<string, unknown> });
  return answers.join("\n");
}

const sent = (): string => JSON.stringify(received(logFile, "tools/call").at(-1));

// M26
describe.each(GENERATIONS)("long integers of a %s client keep their digits", (generation) => {
  const args = { id: "LONG", deep: [{ id: "NEGATIVE" }] };

  test("through call_tool, to the server and back", async () => {
    const text = await rawCall(code.url, generation, "call_tool", { name: "bank__echo", args });
    expect(text).toContain(String.raw`{\"id\":${LONG},\"deep\":[{\"id\":${NEGATIVE}}]}`);
    expect(sent()).toContain("echo");
  });

  test("as the value of a tool that is listed as itself", async () => {
    const text = await rawCall(direct.url, generation, "bank__echo", args);
    expect(text).toContain(`"structuredContent":{"id":${LONG},"deep":[{"id":${NEGATIVE}}]}`);
    expect(text).not.toContain("mcpfs-integer");
  });

  test("as the argument of a script, where they are bigint", async () => {
    const script = { code: "export default [typeof args.id, args.id + 1n]", args };
    const text = await rawCall(code.url, generation, "run_script", script);
    expect(text).toContain(String.raw`[\"bigint\",9007199254740994]`);
  });

  test("in the schema of a tool that is listed", async () => {
    await using session = await overHttp(direct.url, generation);
    const { tools } = await session.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["bank__echo"]);
  });
});

test("over stdio too", async () => {
  const child = startCli(folder.path, ["serve", "--mode", "direct"]);
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (message: string): Promise<string> => {
    child.stdin.write(`${message}\n`);
    return (await lines.next()).value;
  };
  const info = `"clientInfo":{"name":"raw","version":"1"}`;
  await ask(
    `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},${info}}}`,
  );
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const call = `"method":"tools/call","params":{"name":"bank__echo","arguments":{"id":${LONG}}}`;
  const answer = await ask(`{"jsonrpc":"2.0","id":${NEGATIVE},${call}}`);
  expect(answer).toContain(`"structuredContent":{"id":${LONG}}`);
  expect(answer).toContain(`"id":${NEGATIVE}`);
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
});
