import { expect, test } from "vitest";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { jsonOf, makeWorkspace, runCli, writeFiles } from "./run-cli.ts";

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

test("a tool is found by what ls and search show of it: server/export, and the path of its wrapper", async () => {
  using folder = temporaryFolder();
  await makeWorkspace(folder.path, {
    "@my/docs": scripted({ tools: [{ name: "get-sum", inputSchema: {} }] }),
  });
  const [listed] = (await jsonOf(folder.path, ["ls", "@my/docs"])) as readonly Record<string, string>[];
  expect(listed).toMatchObject({ server: "@my/docs", name: "getSum", file: "servers/my-docs/getSum.ts" });
  for (const name of [`${listed?.server}/${listed?.name}`, listed?.file ?? ""]) {
    expect((await jsonOf(folder.path, ["call", name])).value).toBe("get-sum {}");
    expect((await jsonOf(folder.path, ["show", name])).wire).toBe(listed?.wire);
    expect((await runCli(folder.path, ["policy", "explain", name])).code).toBe(0);
  }
});

test("a tool of a server that is not synced yet says so, and names the sync that helps", async () => {
  using folder = temporaryFolder();
  await makeWorkspace(folder.path, {});
  writeFiles(folder.path, { "mcpfs.json": { mcpServers: { files: scripted({ tools }) } } });
  const { error } = await jsonOf(folder.path, ["call", "files/write_file", "path=a"]);
  expect(error).toEqual({
    code: "TOOL_UNKNOWN",
    message: "The tools of files are not known: it is not synced yet.",
    hint: 'Run "mcpfs sync files".',
  });
});

test("no server's name writes lines of its own into what commands print, and none can be added", async () => {
  using folder = temporaryFolder();
  const forged = "x: 3 tools\nfiles: 0 written\nerror FAKE";
  const server = scripted({ tools });
  await makeWorkspace(folder.path, { [forged]: server, ["k".repeat(5_000)]: server, docs: server });
  const { command, args } = server;
  for (const words of [
    ["ls"],
    ["sync"],
    ["trust"],
    ["servers", "search"],
    ["rm", forged],
    ["ls", forged],
    ["add", forged, "--", command, ...args],
    ["add", "k".repeat(5_000), "--", command, ...args],
  ]) {
    const { stdout, stderr } = await runCli(folder.path, words);
    const lines = `${stdout}${stderr}`.split("\n");
    expect(
      lines.filter((line) => /^(?:files: 0 written$|error FAKE)/.test(line)),
      words[0],
    ).toEqual([]);
    expect(
      lines.filter((line) => line.length > 1_000),
      words[0],
    ).toEqual([]);
  }
});
