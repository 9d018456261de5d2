import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import type { WatchEvent } from "../../src/engine/watch/watch.ts";
import type { RunReport } from "../../src/model/run.ts";
import { received, scripted, temporaryFolder, until } from "../servers/servers.ts";
import { watchedHost, writeServers } from "./watched-host.ts";

const invoice = (field: string, description = "Creates an invoice."): object => ({
  name: "create_invoice",
  description,
  inputSchema: {
    type: "object",
    properties: { [field]: { type: "number" } },
    required: [field],
    additionalProperties: false,
  },
});
const filler = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `tool_${index}`, inputSchema: { type: "object" } }));

// M9
describe("listing-response-ignored", () => {
  test("a list that changed while nobody was connected is taken by files, search and details alike", async () => {
    using folder = temporaryFolder();
    const env = { ...process.env, MCPFS_HOME: join(folder.path, "home") };
    const sync = async (tools: readonly object[]): Promise<void> => {
      // Under the same name and command, so that nothing but the answer tells the two apart.
      writeFileSync(join(folder.path, "spec.json"), JSON.stringify({ tools }));
      await using host = await openWorkspace(folder.path, { env });
      await host.trust();
      expect((await host.sync()).servers[0]?.status).toBe("ok");
    };
    writeServers(folder.path, { gw: scripted(join(folder.path, "spec.json")) });
    await sync([invoice("amount"), ...filler(28)]);
    await sync([invoice("total", "Creates an invoice with a total."), ...filler(29)]);
    await using host = await openWorkspace(folder.path, { env });
    const tool = (await host.lookup()).find("gw/create_invoice");
    expect(tool.inputSchema).toMatchObject({ properties: { total: {} } });
    expect((await host.catalog()).servers.find(({ name }) => name === "gw")?.tools).toHaveLength(30);
    const { hits } = await host.searchTools({ query: "invoice with a total", limit: 1 });
    expect(hits[0]?.tool.description).toBe("Creates an invoice with a total.");
    expect(readFileSync(join(folder.path, tool.file), "utf8")).toContain("total");
  });
});

describe("listing-index-not-invalidated", () => {
  test("after a change all views agree, and a script that began before is told why its call does not fit", async () => {
    using folder = temporaryFolder();
    const list = join(folder.path, "tools.json");
    writeFileSync(list, JSON.stringify([invoice("amount")]));
    const log = join(folder.path, "log");
    writeServers(folder.path, { gw: scripted({ watchFile: list }, log) });
    await using watched = await watchedHost(folder.path);
    const { host } = watched;
    const text = `
      for (let n = 0; n < 400; n += 1) {
        try { await callMCPTool("gw__create_invoice", { amount: 1 }); } catch (error) { return [error.code, error.hint]; }
        await new Promise((resolve) => setTimeout(resolve, 25));
      }`;
    const running: Promise<RunReport> = host.run({ path: undefined, name: "script.ts", text });
    await until("its first call", () => received(log, "tools/call").length > 0, 20_000);
    writeFileSync(list, JSON.stringify([invoice("total", "Creates an invoice with a total.")]));
    const { value } = await running;
    // Before the tree has followed it is the last sync that knows less, after that the script.
    expect(value).toEqual([
      "ARGUMENTS_INVALID",
      expect.stringMatching(
        /^The definition of gw\/create_invoice has changed since (?:this run began|the last sync)\. Read servers\/gw\/createInvoice\.ts /,
      ),
    ]);
    const isTaken = (event: WatchEvent): boolean =>
      event.kind === "synced" && event.report.servers.some(({ changed }) => changed.length > 0);
    await until("its sync", () => watched.events.some(isTaken), 20_000);
    expect(readFileSync(join(folder.path, "servers/gw/createInvoice.ts"), "utf8")).toContain("total");
    expect((await host.lookup()).find("gw/create_invoice").inputSchema).toMatchObject({
      properties: { total: {} },
    });
    const { hits } = await host.searchTools({ query: "invoice", limit: 1 });
    expect(hits[0]?.tool.description).toBe("Creates an invoice with a total.");
  });

  test("a tool that its server takes away is unavailable to the very next call", async () => {
    using folder = temporaryFolder();
    const tools = ["drop", "victim"].map((name) => ({ name, inputSchema: { type: "object" } }));
    writeServers(folder.path, { gw: scripted({ tools, answers: { drop: { removeTool: "victim" } } }) });
    await using watched = await watchedHost(folder.path);
    const text = `
      await callMCPTool("gw__victim", {});
      await callMCPTool("gw__drop", {});
      try { await callMCPTool("gw__victim", {}); } catch (error) { return error.code; }`;
    const { value } = await watched.host.run({ path: undefined, name: "script.ts", text });
    expect(value).toBe("TOOL_UNAVAILABLE");
  });
});
