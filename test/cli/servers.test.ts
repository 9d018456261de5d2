import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { makeWorkspace, writeFiles } from "./run-cli.ts";
import { runMain } from "./run-main.ts";

const tool = (name: string, description = ""): unknown => ({
  name,
  description,
  inputSchema: { type: "object" },
});

// M10
test("a server is found by what it is for, switched off and on; tree, catalog and search follow, names stay", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  const crm = {
    ...scripted({ tools: [tool("get_lead", "Reads one sales lead.")] }),
    purpose: "Sales records",
  };
  const mail = { ...scripted({ tools: [tool("send")] }), purpose: "Electronic mail" };
  await makeWorkspace(root, { crm, mail });
  const text = `{ // mine\n  "mcpServers": ${JSON.stringify({ crm, mail })}\n}\n`;
  writeFiles(root, { "mcpfs.json": text });
  const json = async (...args: readonly string[]): Promise<any> =>
    JSON.parse((await runMain(root, ["--json", ...args])).stdout);
  const has = (path: string): boolean => existsSync(join(root, path));

  expect(await json("servers", "search", "leads for sales")).toEqual([
    { name: "crm", purpose: "Sales records", enabled: true, tools: 1 },
  ]);
  expect((await runMain(root, ["servers", "search"])).stdout).toBe(
    "crm (1 tool) · Sales records\nmail (1 tool) · Electronic mail\n",
  );

  expect((await runMain(root, ["servers", "disable", "crm"])).stderr).toContain("disabled crm\n");
  expect(readFileSync(join(root, "mcpfs.json"), "utf8")).toMatch(/^\{ \/\/ mine\n/);
  expect([has("servers/crm/getLead.ts"), has("servers/mail/send.ts")]).toEqual([false, true]);
  expect((await json("search", "sales lead")).map((hit: { server: string }) => hit.server)).not.toContain(
    "crm",
  );
  expect(await json("call", "crm/get_lead")).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
  expect(await json("servers", "search", "sales")).toMatchObject([{ name: "crm", enabled: false, tools: 1 }]);

  const enabled = await runMain(root, ["servers", "enable", "crm"]);
  expect(enabled).toMatchObject({ code: 0, stdout: "crm: 1 tool\n", stderr: "enabled crm\n" });
  expect(has("servers/crm/getLead.ts")).toBe(true);
  expect(await json("search", "sales lead")).toContainEqual(expect.objectContaining({ server: "crm" }));
  expect((await json("call", "crm/get_lead")).isError).toBe(false);
});

// M6
test("tools that policy denies are not counted, and a server is not found by them", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  const crm = scripted({ tools: [tool("get_lead"), tool("drop_all", "Razes everything.")] });
  await makeWorkspace(root, { crm });
  const search = async (words: string): Promise<any> =>
    JSON.parse((await runMain(root, ["--json", "servers", "search", words])).stdout);
  expect(await search("razes")).toMatchObject([{ name: "crm", tools: 2 }]);
  const policy = { rules: [{ tool: "drop_*", permission: "deny" }] };
  writeFiles(root, { "mcpfs.json": { mcpServers: { crm }, policy } });
  expect(await search("")).toMatchObject([{ name: "crm", tools: 1 }]);
  expect(await search("razes")).toEqual([]);
});
