import { join } from "node:path";
import { createMcpHandler, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { openHost } from "../../src/engine/open-host.ts";
import { createRedactor, silentLog } from "../../src/kernel/log.ts";
import { writeFiles } from "../cli/run-cli.ts";
import { type HttpTestServer, httpServer } from "../servers/http-server.ts";
import { answerModern } from "../servers/modern-http.ts";
import { temporaryFolder } from "../servers/servers.ts";

/** A server with the resources of `names`, by URI, as they are at that moment, and a template once there are two. */
async function changingServer(names: Map<string, string>): Promise<HttpTestServer> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "web", version: "1" }, { capabilities: { resources: {} } });
    for (const [uri, name] of names)
      server.registerResource(name, uri, {}, () => ({ contents: [{ uri, text: `this is ${name}` }] }));
    const template = new ResourceTemplate("mail://{id}", { list: undefined });
    if (names.size > 1)
      server.registerResource("secret mail", template, {}, (uri) => ({
        contents: [{ uri: uri.href, text: "this is secret mail" }],
      }));
    return server;
  });
  return await httpServer((exchange) => answerModern(handler, exchange).catch(() => {}));
}

test("what the config denies by name is neither listed nor read, also where the server has it since the last sync", async () => {
  using folder = temporaryFolder();
  const names = new Map([["test://note", "note"]]);
  await using server = await changingServer(names);
  const withTools = (tools: Record<string, unknown>): void =>
    writeFiles(folder.path, {
      "mcpfs.json": { policy: "open", mcpServers: { web: { url: server.url, tools } } },
    });
  withTools({ deny: ["secret*"] });
  await using host = await openHost({
    root: folder.path,
    env: { ...process.env, MCPFS_HOME: join(folder.path, "home") },
    platform: process.platform,
    homeDir: folder.path,
    version: "0",
    log: silentLog,
    redactor: createRedactor(),
  });
  await host.trust();
  await host.sync();
  names.set("test://plans", "secret plans").set("test://news", "news");
  const call = async (tool: string, args: Record<string, string>): Promise<any> => {
    const outcome = await host.call(`web__${tool}`, args);
    return outcome.kind === "error" ? outcome.error.code : outcome.value;
  };
  const read = async (uri: string): Promise<string> => {
    const answer = await call("read_resource", { uri });
    return typeof answer === "string" ? answer : answer[0].text;
  };
  const listed = async (): Promise<string[]> =>
    (await call("list_resources", {})).map(({ name }: { name: string }) => name);

  expect(await listed()).toEqual(["note", "news"]);
  expect(await read("test://note")).toBe("this is note");
  expect(await read("test://news")).toBe("this is news");
  for (const uri of ["test://plans", "mail://7"]) expect(await read(uri), uri).toBe("POLICY_DENIED");
  expect(server.received("resources/read").map(({ params }) => params.uri)).toEqual([
    "test://note",
    "test://news",
  ]);
  // What counts is the config as it is now, though the connection is that of before.
  withTools({ deny: ["ne*"] });
  await host.reloadConfig();
  expect(await listed()).toEqual(["note", "secret plans"]);
});
