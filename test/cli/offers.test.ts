import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everythingOverHttp } from "../servers/everything-over-http.ts";
import { real, scripted, temporaryFolder } from "../servers/servers.ts";
import { jsonOf, makeWorkspace, runCli, writeFiles } from "./run-cli.ts";

const script = (server: string): string => `import { resources, prompts } from "./servers/${server}";
import { readResource } from "./servers/${server}/resources";
const listed = await resources.listResources();
const [page] = await readResource("demo://resource/static/document/features.md");
const [made] = await resources.dynamicTextResource({ resourceId: 7 });
const { messages } = await prompts.argsPrompt({ city: "Kyoto" });
let refused;
try { await resources.readResource("demo://nothing"); } catch (error) { refused = error.code; }
try { await prompts.argsPrompt({ town: "Kyoto" } as any); } catch (error) { refused += " " + error.code; }
export default [listed.length, page.text.length > 100, made.uri, messages[0].content.text, refused];
`;

// M26
test("resources and prompts of server-everything are read by a script through the door, over stdio and HTTP", async () => {
  using folder = temporaryFolder();
  await using remote = await everythingOverHttp("streamableHttp");
  await makeWorkspace(folder.path, {
    near: real.everything(),
    far: { url: `http://127.0.0.1:${remote.port}/mcp` },
  });
  writeFiles(folder.path, { "near.ts": script("near"), "far.ts": script("far") });
  for (const server of ["near", "far"]) {
    const report = await jsonOf(folder.path, ["exec", `${server}.ts`]);
    expect(report.error).toBeNull();
    expect(report.value).toEqual([
      7,
      true,
      "demo://resource/dynamic/text/7",
      "What's weather in Kyoto?",
      "TOOL_ERROR ARGUMENTS_INVALID",
    ]);
    // Each is a call like any other: counted, recorded, with an effect.
    expect(report.calls).toMatchObject({ total: 6, ok: 4 });
    expect(report.effects.map((effect: any) => [effect.tool, effect.status])).toEqual([
      ["list_resources", "done"],
      ["read_resource", "done"],
      ["read_resource", "done"],
      ["args-prompt", "done"],
      ["read_resource", "failed"],
      ["args-prompt", "never-sent"],
    ]);
    const journal = readFileSync(join(folder.path, ".mcpfs/runs", report.runId, "journal.jsonl"), "utf8");
    expect(journal).toContain('"uri":"demo://resource/dynamic/text/7"');
  }
  const again = await jsonOf(folder.path, ["sync"]);
  expect(again.files).toMatchObject({ written: 0, deleted: 0 });
});

test("a server that advertises resources and prompts and answers with errors costs nothing else", async () => {
  using folder = temporaryFolder();
  const capabilities = { tools: {}, resources: {}, prompts: {} };
  const tools = [{ name: "works", inputSchema: { type: "object" } }];
  writeFiles(folder.path, { "mcpfs.json": { mcpServers: { odd: scripted({ capabilities, tools }) } } });
  const { code, stdout } = await runCli(folder.path, ["sync"]);
  expect(code).toBe(0);
  expect(stdout).toContain("odd: 1 tool");
  expect(existsSync(join(folder.path, "servers/odd/works.ts"))).toBe(true);
  expect(existsSync(join(folder.path, "servers/odd/resources.ts"))).toBe(false);
  const report = await jsonOf(folder.path, ["exec", "-"], { stdin: "export default odd_works({ a: 1 })" });
  expect(report.value).toBe('works {"a":1}');
});

test("what the config denies has no wrapper and cannot be read, and a rename holds for prompts", async () => {
  using folder = temporaryFolder();
  await makeWorkspace(folder.path, {
    near: {
      ...real.everything(),
      tools: {
        deny: ["features.md", "simple-prompt", "Dynamic Blob*"],
        rename: { "args-prompt": "weather" },
      },
    },
  });
  const resources = readFileSync(join(folder.path, "servers/near/resources.ts"), "utf8");
  expect(resources).toContain("startup.md");
  expect(resources).not.toContain("features.md");
  const prompts = readFileSync(join(folder.path, "servers/near/prompts.ts"), "utf8");
  expect(prompts).toContain("export function weather(");
  expect(prompts).not.toContain("simplePrompt");
  writeFileSync(
    join(folder.path, "spy.ts"),
    `import { resources, prompts } from "./servers/near";
const codes = [];
for (const uri of ["demo://resource/static/document/features.md", "demo://resource/dynamic/blob/1"])
  try { await resources.readResource(uri); } catch (error) { codes.push(error.code); }
export default [codes, (await prompts.weather({ city: "Kyoto" })).messages.length];`,
  );
  const report = await jsonOf(folder.path, ["exec", "spy.ts"]);
  expect(report.value).toEqual([["POLICY_DENIED", "POLICY_DENIED"], 1]);
});
