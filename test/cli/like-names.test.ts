import { expect, test } from "vitest";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { jsonOf, makeWorkspace, runCli } from "./run-cli.ts";

const tools = ["echo", "Echo"].map((name) => ({ name, inputSchema: { type: "object" } }));

test("servers and tools whose names differ only in case are synced, listed and called like all others", async () => {
  using folder = temporaryFolder();
  await makeWorkspace(folder.path, { docs: scripted({ tools }), Docs: scripted({ tools }) });
  expect((await runCli(folder.path, ["sync", "--check"])).code).toBe(0);
  const listed = await jsonOf(folder.path, ["ls"]);
  const wires = listed
    .map((tool: { wire: string }) => tool.wire)
    .filter((wire: string) => /^docs/i.test(wire));
  expect(wires.toSorted()).toEqual(["Docs__Echo", "Docs__echo", "docs__Echo", "docs__echo"]);
  const script = `export default await Promise.all(${JSON.stringify(wires)}.map((wire) => callMCPTool(wire, {})));`;
  const report = await jsonOf(folder.path, ["exec", "-"], { stdin: script });
  expect(report.value).toEqual(wires.map((wire: string) => `${wire.slice("docs__".length)} {}`));
  expect((await runCli(folder.path, ["rm", "Docs"])).code).toBe(0);
  expect((await jsonOf(folder.path, ["call", "docs/Echo"])).value).toBe("Echo {}");
});
