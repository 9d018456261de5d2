import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everythingOverHttp } from "../servers/everything-over-http.ts";
import { real, temporaryFolder } from "../servers/servers.ts";
import { jsonOf, makeWorkspace, runCli, writeFiles } from "./run-cli.ts";

// M1
test("one script works on filesystem, memory and everything, and its value comes back typed and right", async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, "data");
  mkdirSync(data);
  writeFileSync(join(data, "ada.txt"), "first programmer");
  writeFileSync(join(data, "grace.txt"), "compiler");
  const root = join(folder.path, "workspace-root");
  mkdirSync(root);
  await makeWorkspace(root, {
    filesystem: real.filesystem(data),
    memory: real.memory(join(folder.path, "memory.jsonl")),
    everything: real.everything(),
  });
  writeFiles(root, {
    "people.ts": `import * as filesystem from "./servers/filesystem";
import * as memory from "./servers/memory";
import * as everything from "./servers/everything";

const { content } = await filesystem.listDirectory({ path: ${JSON.stringify(data)} });
const names = content.split("\\n").map((line) => line.replace("[FILE] ", ""));
const entities = await Promise.all(names.map(async (name) => {
  const file = await filesystem.readTextFile({ path: ${JSON.stringify(data)} + "/" + name });
  return { name: name.replace(".txt", ""), entityType: "person", observations: [file.content] };
}));
await memory.createEntities({ entities });
const graph = await memory.readGraph({});
const weather = await everything.getStructuredContent({ location: "Chicago" });
const degrees: number = weather.temperature;
export default { people: graph.entities.map((e) => e.name + ": " + e.observations[0]).sort(), degrees };
`,
  });
  const report = await jsonOf(root, ["exec", "people.ts"]);
  expect(report.error).toBeNull();
  expect(report.value).toEqual({ people: ["ada: first programmer", "grace: compiler"], degrees: 36 });
  expect(report.calls).toMatchObject({ total: 6, ok: 6, failed: 0, unknown: 0 });
});

test("the same tools work over streamable HTTP and SSE", async () => {
  using folder = temporaryFolder();
  await using http = await everythingOverHttp("streamableHttp");
  await using sse = await everythingOverHttp("sse");
  await makeWorkspace(folder.path, {
    http: { url: `http://127.0.0.1:${http.port}/mcp` },
    sse: { type: "sse", url: `http://127.0.0.1:${sse.port}/sse` },
  });
  const script = `import * as http from "./servers/http"; import * as sse from "./servers/sse";
const sum = async (s) => (await s.getSum({ a: 2, b: 3 }));
export default [await sum(http), await sum(sse)];`;
  const { code, stdout, stderr } = await runCli(folder.path, ["exec", "-"], { stdin: script });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("The sum of 2 and 3 is 5");
  expect(JSON.parse(stdout)).toHaveLength(2);
});
