import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCli, writeFiles } from "../cli/run-cli.ts";
import { scripted, temporaryFolder, until } from "../servers/servers.ts";
import {
  type AnyClient,
  GENERATIONS,
  httpServer,
  makeServed,
  overHttp,
  overStdio,
  SWITCHES,
  textOf,
} from "./served.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const object = { type: "object" };
const names = async (client: AnyClient): Promise<string[]> =>
  (await client.listTools(undefined, { cacheMode: "refresh" } as any)).tools.map(({ name }) => name);

// M12
// M26
describe("the list of tools", () => {
  test("direct: true schemas under wire names; it grows at its end, a withdrawn tool is refused and stays until the next session", async () => {
    const file = join(folder.path, "tools.json");
    const inputSchema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { id: { type: "string", format: "uuid", "x-vendor": 1 } },
      required: ["id"],
    };
    writeFileSync(
      file,
      JSON.stringify([
        { name: "m-one", description: "One.", inputSchema, annotations: { readOnlyHint: true } },
      ]),
    );
    await makeServed(folder.path, { live: scripted({ watchFile: file }) }, { mode: "direct" });
    await using session = await overStdio(folder.path, "legacy");
    const { client } = session;
    const changes: string[] = [];
    client.setNotificationHandler("notifications/tools/list_changed", async () => void changes.push("tools"));
    expect((await client.listTools()).tools).toEqual([
      { name: "live__m_one", description: "One.", inputSchema, annotations: { readOnlyHint: true } },
    ]);
    // A server is heard once it is connected.
    expect(await textOf(client, "live__m_one", { id: "7" })).toContain("m-one");

    writeFileSync(
      file,
      JSON.stringify([
        { name: "a_two", inputSchema: object },
        { name: "m-one", inputSchema },
      ]),
    );
    await until("the notice", () => changes.length > 0, 15_000);
    expect(await names(client)).toEqual(["live__m_one", "live__a_two"]);
    expect(await textOf(client, "live__a_two")).toContain("a_two");

    writeFileSync(file, JSON.stringify([{ name: "a_two", inputSchema: object }]));
    await until("the refusal", () => true);
    const refused = async (): Promise<string> => await textOf(client, "live__m_one", { id: "7" });
    for (let tries = 0; tries < 50 && !(await refused()).includes("TOOL_UNAVAILABLE"); tries += 1)
      await sleep(100);
    expect(await refused()).toContain("TOOL_UNAVAILABLE");
    expect(await names(client)).toEqual(["live__m_one", "live__a_two"]);
    await using next = await overStdio(folder.path, "legacy");
    expect(await names(next.client)).toEqual(["live__a_two"]);
  });

  test("a server that is switched off is refused and not found at once, in a session that has begun too", async () => {
    const servers = { docs: { builtin: "docs" }, crm: { builtin: "crm" } };
    await makeServed(folder.path, servers, { mode: "code" }, SWITCHES);
    await using session = await overStdio(folder.path, "modern");
    const { client } = session;
    expect(await textOf(client, "search_tools", { query: "records" })).toContain("crm__");
    expect(await textOf(client, "set_server", { name: "crm", enabled: false })).toBe("crm is off.");
    expect(await textOf(client, "search_tools", { query: "records" })).not.toContain("crm__");
    expect(await textOf(client, "call_tool", { name: "crm__query" })).toContain("TOOL_UNAVAILABLE");
    expect(await textOf(client, "list_servers")).toContain("crm (off, 9 tools)");
    expect(await textOf(client, "set_server", { name: "crm", enabled: true })).toBe("crm is on: 9 tools.");
    const { code } = await runCli(folder.path, ["servers", "disable", "crm"]);
    expect(code).toBe(0);
    for (let tries = 0; tries < 50; tries += 1) {
      if ((await textOf(client, "call_tool", { name: "crm__query" })).includes("TOOL_UNAVAILABLE")) break;
      await sleep(100);
    }
    expect(await textOf(client, "call_tool", { name: "crm__query" })).toContain("TOOL_UNAVAILABLE");
  });

  test("discover: a tool whose details were asked joins the end of the list, where the config wants that", async () => {
    await makeServed(folder.path, { docs: { builtin: "docs" } }, { mode: "discover", append: true });
    await using session = await overStdio(folder.path, "legacy");
    const { client } = session;
    const own = ["search_tools", "get_tool_details", "call_tool", "list_servers", "set_server"];
    expect(await names(client)).toEqual(own);
    await textOf(client, "get_tool_details", { name: "docs__list_documents" });
    await textOf(client, "get_tool_details", { names: ["docs/get_document", "docs__list_documents"] });
    expect(await names(client)).toEqual([...own, "docs__list_documents", "docs__get_document"]);
    expect(await textOf(client, "docs__list_documents")).toContain("call-2026-09-14");
  });

  test("auto: all tools while they are cheap, scripts when they are not", async () => {
    await makeServed(folder.path, { docs: { builtin: "docs" } }, {});
    await using small = await httpServer(folder.path);
    expect(small.facts).toMatchObject({ mode: "direct", tools: 8 });
    writeFiles(folder.path, {
      "mcpfs.json": {
        mcpServers: { docs: { builtin: "docs" } },
        context: { directPercent: 0.1, discoverPercent: 0.2 },
      },
    });
    await using large = await httpServer(folder.path);
    expect(large.facts).toMatchObject({ mode: "code", tools: 8 });
  });

  test("a workspace that was never synced is synced before its first client is answered", async () => {
    writeFiles(folder.path, {
      "mcpfs.json": { mcpServers: { docs: { builtin: "docs" } }, serve: { mode: "direct" } },
    });
    await using session = await overStdio(folder.path, "modern");
    expect(await names(session.client)).toContain("docs__list_documents");
  });

  test("a name that is no tool is refused with the nearest, and nothing is called", async () => {
    await makeServed(folder.path, { docs: { builtin: "docs" } }, { mode: "code" });
    await using session = await overStdio(folder.path, "modern");
    await expect(session.client.callTool({ name: "run_scripts" })).rejects.toThrow(/Did you mean run_script/);
    expect(await textOf(session.client, "call_tool", { name: "docs__list_document" })).toMatch(
      /^TOOL_UNKNOWN: .*\nNearest: docs__list_documents/,
    );
    expect(await textOf(session.client, "search_tools", { qeury: "x" })).toContain("ARGUMENTS_INVALID");
  });
});

describe.each(GENERATIONS.filter((generation) => generation !== "old"))(
  "a %s client is told",
  (generation) => {
    test("of resources that come and go, of files that change, and of skills", async () => {
      await makeServed(folder.path, { docs: { builtin: "docs" } }, { mode: "code" });
      await using http = await httpServer(folder.path);
      const heard: string[] = [];
      await using session = await overHttp(http.url, generation, {}, (client) => {
        for (const kind of ["resources/list_changed", "prompts/list_changed", "resources/updated"] as const)
          client.setNotificationHandler(`notifications/${kind}`, async ({ params }: any) => {
            heard.push(params?.uri ?? kind);
          });
      });
      const { client } = session;
      const uri = "mcpfs:///AGENTS.md";
      if (generation === "modern")
        await client.listen({
          resourcesListChanged: true,
          promptsListChanged: true,
          resourceSubscriptions: [uri],
        });
      else await client.subscribeResource({ uri });
      // The stream of an older client opens beside its first requests.
      await sleep(300);
      const args = { name: "answer", description: "Says 42", code: "export default () => 42" };
      expect(await textOf(client, "save_skill", args)).toContain("Saved skills/answer");
      await until("all three notices", () => new Set(heard).size === 3, 10_000);
      expect(new Set(heard)).toEqual(new Set(["resources/list_changed", "prompts/list_changed", uri]));
      const { prompts } = await client.listPrompts(undefined, { cacheMode: "refresh" } as any);
      expect(prompts).toMatchObject([{ name: "answer", description: "Says 42" }]);
      const prompt: any = await client.getPrompt({ name: "answer", arguments: { task: "count sheep" } });
      expect(prompt.messages[0].content.text).toContain("Use the skill answer for this: count sheep");
      expect(
        await textOf(client, "run_script", {
          code: 'import { answer } from "./skills/answer"; export default answer()',
        }),
      ).toBe("42");
      heard.length = 0;
      rmSync(join(folder.path, "skills", "answer"), { recursive: true });
      await until("the notice of what went", () => heard.includes("resources/list_changed"), 10_000);
    });
  },
);
