import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli, writeFiles } from "../cli/run-cli.ts";
import { temporaryFolder } from "../servers/servers.ts";
import { type AnyClient, type HttpServer, httpServer, makeServed, overHttp, textOf } from "./served.ts";

const folder = temporaryFolder();
const token = (name: string): string => `token-of-${name}-0123456789`;
const clients = Object.fromEntries(["ann", "bob", "cleo"].map((name) => [name, { token: token(name) }]));
const mcpServers = { docs: { builtin: "docs" }, crm: { builtin: "crm" } };
const rules = [
  { server: "mcpfs", tool: "set_server", caller: "serve:bob", permission: "deny" },
  { server: "mcpfs", tool: "set_server", caller: "serve:cleo", permission: "allow" },
];
let http: HttpServer;

beforeAll(async () => {
  await makeServed(folder.path, mcpServers, { mode: "code", clients }, { preset: "balanced", rules });
  http = await httpServer(folder.path);
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const names = async (client: AnyClient): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);
const isOff = async (client: AnyClient): Promise<boolean> =>
  (await textOf(client, "list_servers")).includes("crm (off");
const off = { name: "crm", enabled: false };
const on = { name: "crm", enabled: true };

describe("a server is switched for everybody, so policy decides about it as about a call:", () => {
  test("a person is asked; where nobody is there, nothing is switched until the word has come", async () => {
    await using ann = await overHttp(http.url, "modern", { token: token("ann") });
    const waits = await textOf(ann.client, "set_server", off);
    expect(waits).toMatch(/^APPROVAL_NEEDED: .*\n.*on the host .*make the same call again/);
    expect(await isOff(ann.client)).toBe(false);
    const [, id = ""] = /mcpfs runs approve (\S+)"/.exec(waits) ?? [];
    expect((await runCli(folder.path, ["runs", "approve", id])).code).toBe(0);
    expect(await textOf(ann.client, "set_server", on)).toMatch(/^APPROVAL_NEEDED/);
    expect(await isOff(ann.client)).toBe(false);
    expect(await textOf(ann.client, "set_server", off)).toBe("crm is off.");
    expect(await isOff(ann.client)).toBe(true);
    await runCli(folder.path, ["servers", "enable", "crm"]);
  });

  test("whoever approved it on the host may make it there as well", async () => {
    await using ann = await overHttp(http.url, "modern", { token: token("ann") });
    const waits = await textOf(ann.client, "set_server", { name: "docs", enabled: false });
    const [, id = ""] = /mcpfs runs approve (\S+)"/.exec(waits) ?? [];
    await runCli(folder.path, ["runs", "approve", id]);
    const { stdout, code } = await runCli(folder.path, ["runs", "resume", id]);
    expect({ stdout, code }).toMatchObject({ stdout: expect.stringContaining('"docs"'), code: 0 });
    expect((await runCli(folder.path, ["ls"])).stdout).toMatch(/docs.*(?:off|disabled)/);
  });

  test.each([
    ["deny", /^POLICY_DENIED/, false],
    ["once", /^crm is off/, true],
  ])("the person behind the client who says %s is heard", async (word, answer, isSwitched) => {
    const asked: any[] = [];
    await using ann = await overHttp(
      http.url,
      "modern",
      { token: token("ann"), capabilities: { elicitation: { form: {} } } },
      (client) =>
        client.setRequestHandler("elicitation/create", async ({ params }: any) => {
          asked.push(params.message);
          return { action: "accept", content: { decision: word } };
        }),
    );
    expect(await textOf(ann.client, "set_server", off)).toMatch(answer);
    expect(asked).toEqual([expect.stringContaining("May mcpfs/set_server be called?")]);
    expect(await isOff(ann.client)).toBe(isSwitched);
  });

  test("a rule lets a client do it, with no detour of another for a script", async () => {
    await using cleo = await overHttp(http.url, "modern", { token: token("cleo") });
    expect(await textOf(cleo.client, "set_server", on)).toBe("crm is on: 9 tools.");
    await using ann = await overHttp(http.url, "modern", { token: token("ann") });
    const code = 'export default await callMCPTool("mcpfs__set_server", { name: "crm", enabled: false })';
    expect(await textOf(ann.client, "run_script", { code })).toContain("mcpfs/set_server waits for a person");
    expect(await textOf(ann.client, "call_tool", { name: "mcpfs__set_server", args: off })).toMatch(
      /^APPROVAL_NEEDED/,
    );
    expect(await isOff(ann.client)).toBe(false);
  });

  test("a client to whom it is denied does not have it", async () => {
    await using bob = await overHttp(http.url, "modern", { token: token("bob") });
    expect(await names(bob.client)).not.toContain("set_server");
    await expect(bob.client.callTool({ name: "set_server", arguments: off })).rejects.toThrow(/Unknown tool/);
    expect(await textOf(bob.client, "call_tool", { name: "mcpfs__set_server", args: off })).toMatch(
      /^TOOL_UNKNOWN/,
    );
    expect(await isOff(bob.client)).toBe(false);
  });

  test("a server that is not there is said to be none, and nobody is asked", async () => {
    await using ann = await overHttp(http.url, "modern", { token: token("ann") });
    expect(await textOf(ann.client, "set_server", { name: "crn", enabled: true })).toMatch(
      /^USAGE: There is no server "crn"\.\nDid you mean crm/,
    );
  });

  test("policy explain says which rule decides", async () => {
    const explain = async (caller: string): Promise<string> =>
      (await runCli(folder.path, ["policy", "explain", "mcpfs/set_server", "--caller", caller])).stdout;
    expect(await explain("serve:ann")).toContain("needs an approval");
    expect(await explain("serve:bob")).toContain("is denied");
    expect(await explain("serve:cleo")).toContain("is allowed");
  });

  test("the rule that takes it away counts for a session that has begun", async () => {
    await using cleo = await overHttp(http.url, "legacy", { token: token("cleo") });
    expect(await names(cleo.client)).toContain("set_server");
    const policy = { preset: "balanced", rules: [{ ...rules[0], caller: "serve" }] };
    writeFiles(folder.path, { "mcpfs.json": { mcpServers, serve: { mode: "code", clients }, policy } });
    await expect.poll(() => names(cleo.client), { timeout: 15_000 }).not.toContain("set_server");
  });
});
