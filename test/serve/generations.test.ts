import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageFile } from "../../src/kernel/paths.ts";
import { trustHome } from "../cli/trust-config.ts";
import { isAlive, temporaryFolder, until } from "../servers/servers.ts";
import {
  type Connected,
  GENERATIONS,
  type HttpServer,
  httpServer,
  makeServed,
  overHttp,
  overStdio,
  textOf,
} from "./served.ts";

const folder = temporaryFolder();
let http: HttpServer;

beforeAll(async () => {
  await makeServed(folder.path, { docs: { builtin: "docs" }, crm: { builtin: "crm" } });
  http = await httpServer(folder.path, { args: ["--mode", "code"] });
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const SCRIPT = `import * as docs from "./servers/docs";
const { documents } = await docs.listDocuments();
console.log("documents:", documents.length);
export default documents[0].id;`;

describe.each(GENERATIONS)("a %s client", (generation) => {
  describe.each(["stdio", "http"] as const)("over %s", (way) => {
    const connect = async (): Promise<Connected> =>
      way === "stdio"
        ? await overStdio(folder.path, generation, { args: ["--mode", "code"] })
        : await overHttp(http.url, generation);

    test("finds a tool, reads about it, and runs a script", async () => {
      await using session = await connect();
      const { client } = session;
      expect(client.getServerVersion()).toMatchObject({ name: "mcpfs" });
      expect(client.getInstructions()).toContain("run_script");
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        "search_tools",
        "get_tool_details",
        "run_script",
        "call_tool",
        "list_files",
        "read_file",
        "resume_run",
        "save_skill",
        "list_servers",
        "set_server",
      ]);
      expect(tools.every(({ title, description, annotations }) => title && description && annotations)).toBe(
        true,
      );
      expect(await textOf(client, "search_tools", { query: "documents with title" })).toContain(
        "docs__list_documents",
      );
      const details = await textOf(client, "get_tool_details", { name: "docs__list_documents" });
      expect(details).toContain("risk read");
      expect(await textOf(client, "run_script", { code: SCRIPT })).toBe(
        "documents: 4\ncall-2026-09-14\n(1 call: 1 done)",
      );
    });

    test("reads resources and prompts", async () => {
      await using session = await connect();
      const { client } = session;
      const { resources } = await client.listResources();
      expect(resources.map(({ name }) => name)).toContain("servers/docs/listDocuments.ts");
      const { contents } = await client.readResource({ uri: "mcpfs:///AGENTS.md" });
      expect(contents[0]).toMatchObject({
        mimeType: "text/markdown",
        text: expect.stringContaining("mcpfs"),
      });
      expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
      expect((await client.listPrompts()).prompts).toEqual([]);
    });

    test("is told how a script failed, and the next call works", async () => {
      await using session = await connect();
      const failed: any = await session.client.callTool({
        name: "run_script",
        arguments: { code: "const a = 1;\nthrow new Error('too small')" },
      });
      expect(failed.isError).toBe(true);
      expect(failed.content[0].text).toContain("error SCRIPT_ERROR: too small\n  at script.ts:2");
      expect(await textOf(session.client, "run_script", { code: "export default 6 * 7" })).toBe("42");
    });
  });
});

test("a script that throws away its client ends with it, and no process is left", async () => {
  const session = await overStdio(folder.path, "modern", { args: ["--mode", "code"] });
  const { pid, client } = session;
  await textOf(client, "call_tool", { name: "docs__list_documents" });
  await client.close();
  await until("the end of serve", () => pid === null || !isAlive(pid));
});

test("stdout carries the protocol and nothing else, whatever scripts print", async () => {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(
    process.execPath,
    [packageFile("dist/cli.js"), "-C", folder.path, "serve", "--mode", "code"],
    {
      env: { PATH, HOME, MCPFS_HOME: trustHome(folder.path), MCPFS_DEBUG: "1" },
    },
  );
  child.stderr.resume();
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  child.stdin.write("this is no JSON\n\n{\n");
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
  });
  await until("the handshake", () => stdout.includes('"id":1'), 20_000);
  send({ method: "notifications/initialized" });
  const code = "console.log('printed'); console.error('loud'); export default 1";
  send({ id: 2, method: "tools/call", params: { name: "run_script", arguments: { code } } });
  await until("the answer", () => stdout.includes('"id":2'), 20_000);
  child.stdin.end();
  const [exit] = await once(child, "exit");
  expect(exit).toBe(0);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
  expect(lines[0].result.protocolVersion).toBe("2025-06-18");
});
