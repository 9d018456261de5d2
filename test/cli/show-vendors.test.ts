import { expect, test } from "vitest";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import { real, scripted, temporaryFolder } from "../servers/servers.ts";
import { jsonOf, makeWorkspace, runCli, writeFiles } from "./run-cli.ts";

const input = { type: "object", properties: { q: { type: "string", minLength: 2 } }, required: ["q"] };
const tools = (...names: string[]): object[] =>
  names.map((name) => ({ name, description: `Does ${name}.`, inputSchema: input }));

// M12, M13
test("show prints a tool, or all of them, as each vendor takes them; what was changed goes to stderr", async () => {
  using folder = temporaryFolder();
  await makeWorkspace(folder.path, { crm: scripted({ tools: tools("find", "list") }) });
  const one = await runCli(folder.path, ["show", "crm/find", "--format", "gemini"]);
  expect(JSON.parse(one.stdout)).toEqual({
    name: "crm__find",
    description: "Does find.",
    parametersJsonSchema: {
      type: "object",
      properties: { q: { type: "string", description: "(minLength: 2)" } },
      required: ["q"],
    },
  });
  expect(one.stderr).toBe("q: Gemini has no minLength; the description says it\n");
  const all = await runCli(folder.path, ["show", "--format", "openai"]);
  expect(JSON.parse(all.stdout).map((tool: any) => tool.name)).toEqual(["crm__find", "crm__list"]);
  const strict = await jsonOf(folder.path, ["show", "crm/find", "--format", "openai", "--strict"]);
  expect(strict).toMatchObject({ format: "openai", tools: [{ strict: true }] });
  const two = await jsonOf(folder.path, ["show", "crm/list", "crm/find", "--format", "anthropic"]);
  expect(two.tools.map((tool: any) => tool.name)).toEqual(["crm__list", "crm__find"]);
});

test("a tool that comes later is appended, also where its name sorts in front", async () => {
  using folder = temporaryFolder();
  const servers = (...names: string[]): object => ({ crm: scripted({ tools: tools(...names) }) });
  await makeWorkspace(folder.path, servers("find", "list") as Record<string, unknown>);
  const before = await jsonOf(folder.path, ["show", "--format", "anthropic", "--defer"]);
  writeFiles(folder.path, { "mcpfs.json": { mcpServers: servers("add", "find", "list") } });
  await runCli(folder.path, ["trust", "--yes"]);
  await runCli(folder.path, ["sync"]);
  const after = await jsonOf(folder.path, ["show", "--format", "anthropic", "--defer"]);
  expect(after.tools.slice(0, before.tools.length)).toEqual(before.tools);
  expect(after.tools.slice(before.tools.length)).toMatchObject([{ name: "crm__add", defer_loading: true }]);
});

test.each([
  [["show"], "Name one tool."],
  [["show", "crm/find", "crm/list"], "Name one tool."],
  [["show", "crm/find", "--defer"], "--defer and --strict belong to a vendor's shape."],
  [["show", "--format", "gemini", "--defer"], "Gemini has no search for deferred tools."],
])("%j is a wrong use, and says so", async (words, message) => {
  using folder = temporaryFolder();
  await makeWorkspace(folder.path, { crm: scripted({ tools: tools("find", "list") }) });
  const { code, stderr } = await runCli(folder.path, words);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test("resources and prompts of a real server reach each vendor through the broker", async () => {
  using folder = temporaryFolder();
  await makeWorkspace(folder.path, { near: real.everything() });
  // The commands above approved the servers in a folder of the test's own.
  const trust = (await jsonOf(folder.path, ["trust"])).digest;
  await using workspace = await openWorkspace(folder.path, { trust });
  const portable = await workspace.portable();
  const resource = await portable.resource("near", "demo://resource/static/document/features.md");
  expect(resource.toAnthropic().value).toMatchObject([
    { type: "document", source: { type: "text" }, title: "demo://resource/static/document/features.md" },
  ]);
  const prompt = await portable.prompt("near", "args-prompt", { city: "Kyoto" });
  expect(prompt.toGemini().value).toEqual([{ role: "user", parts: [{ text: "What's weather in Kyoto?" }] }]);
  await expect(portable.prompt("near", "args-prompt", { town: "x" })).rejects.toMatchObject({
    code: "ARGUMENTS_INVALID",
  });
  await expect(portable.prompt("near", "no-prompt")).rejects.toMatchObject({ code: "TOOL_UNKNOWN" });
  await expect(portable.resource("mcpfs", "x://y")).rejects.toMatchObject({ code: "TOOL_UNKNOWN" });
});
