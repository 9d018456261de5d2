// Clients of both SDKs: today's in both generations, and its predecessor.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const INFO = { name: "interop", version: "1.0.0" };
const CAPABILITIES = { elicitation: {}, roots: {} };
const SCRIPT = `import * as docs from "./servers/docs";
export default (await docs.listDocuments()).documents.length;`;

/** One row a client and way: what it did with `mcpfs serve`. */
export function sdkRows({ command, args, env }, url) {
  const stdio = (Transport) => new Transport({ command, args, env, stderr: "inherit" });
  const today = (mode) => new Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  const old = () => new OldClient(INFO, { capabilities: CAPABILITIES });
  const versions = [
    [
      "client 2.4.0, 2026-07-28",
      () => today({ pin: "2026-07-28" }),
      StdioClientTransport,
      StreamableHTTPClientTransport,
    ],
    ["client 2.4.0, 2025-11-25", () => today("legacy"), StdioClientTransport, StreamableHTTPClientTransport],
    ["client 2.4.0, auto", () => today("auto"), StdioClientTransport, StreamableHTTPClientTransport],
    ["sdk 1.32.2", old, OldStdio, OldHttp],
  ];
  return versions.flatMap(([client, make, Stdio, Http]) => [
    { client, way: "stdio", run: () => useAll(make(), stdio(Stdio)) },
    { client, way: "http", run: () => useAll(make(), new Http(new URL(url))) },
  ]);
}

async function useAll(client, transport) {
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    const { resources } = await client.listResources();
    await client.listPrompts();
    const { contents } = await client.readResource({ uri: "mcpfs:///AGENTS.md" });
    const answer = await client.callTool({ name: "run_script", arguments: { code: SCRIPT } });
    const text = answer.content[0]?.text ?? "";
    const isRight =
      tools.length === 10 && resources.length > 20 && contents.length === 1 && text.startsWith("4\n");
    return { isRight, note: `${tools.length} tools, ${resources.length} resources, script answered` };
  } finally {
    await client.close();
  }
}
