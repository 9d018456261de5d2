import { once } from "node:events";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { packageFile } from "../../src/kernel/paths.ts";
import { runCli, startCli, writeFiles } from "../cli/run-cli.ts";
import { trustHome } from "../cli/trust-config.ts";

/** The clients that every promise is shown with: both generations of today's SDK, and its predecessor. */
export const GENERATIONS = ["modern", "legacy", "old"] as const;
export type Generation = (typeof GENERATIONS)[number];

/** The part of a client that tests use; the two SDKs agree on it. */
export type AnyClient = Client;

export interface ClientOptions {
  readonly capabilities?: Record<string, unknown>;
  /** `serve`'s own options, for a server that is started. */
  readonly args?: readonly string[];
  /** Sent with each request over HTTP. */
  readonly token?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of the program's own. */
  readonly fetch?: typeof fetch;
}

const INFO = { name: "test-client", version: "1.0.0" };

function newClient(generation: Generation, { capabilities = {} }: ClientOptions): AnyClient {
  if (generation === "old") return new OldClient(INFO, { capabilities }) as unknown as AnyClient;
  const mode = generation === "modern" ? { pin: "2026-07-28" } : "legacy";
  return new Client(INFO, { capabilities, versionNegotiation: { mode: mode as "auto" } });
}

export interface Connected extends AsyncDisposable {
  readonly client: AnyClient;
  /** What the program wrote to stderr so far. */
  readonly stderr: () => string;
  readonly pid: number | null;
}

/** Starts `mcpfs serve` in a workspace and connects to it. `prepare` sets the client's handlers before. */
export async function overStdio(
  folder: string,
  generation: Generation,
  options: ClientOptions = {},
  prepare: (client: AnyClient) => void = () => {},
): Promise<Connected> {
  const client = newClient(generation, options);
  prepare(client);
  const { PATH = "", HOME = "" } = process.env;
  const parameters = {
    command: process.execPath,
    args: [packageFile("dist/cli.js"), "-C", folder, "serve", ...(options.args ?? [])],
    env: { PATH, HOME, MCPFS_HOME: trustHome(folder), ...options.env },
    stderr: "pipe" as const,
  };
  const transport =
    generation === "old"
      ? (new OldStdio(parameters) as unknown as StdioClientTransport)
      : new StdioClientTransport(parameters);
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr += String(chunk);
  });
  await client.connect(transport).catch((error) => {
    throw new Error(`${error}\n${stderr}`);
  });
  return {
    client,
    stderr: () => stderr,
    get pid() {
      return transport.pid;
    },
    [Symbol.asyncDispose]: async () => await client.close(),
  };
}

/** Connects to a server that runs. */
export async function overHttp(
  url: string,
  generation: Generation,
  options: ClientOptions = {},
  prepare: (client: AnyClient) => void = () => {},
): Promise<Connected> {
  const client = newClient(generation, options);
  prepare(client);
  const headers: Record<string, string> =
    options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  const address = new URL(url);
  const given = {
    requestInit: { headers },
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  };
  const transport =
    generation === "old"
      ? (new OldHttp(address, given) as unknown as StreamableHTTPClientTransport)
      : new StreamableHTTPClientTransport(address, given);
  await client.connect(transport);
  return {
    client,
    stderr: () => "",
    pid: null,
    [Symbol.asyncDispose]: async () => await client.close(),
  };
}

export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly facts: any;
  readonly stderr: () => string;
}

/** Starts `mcpfs serve --http 0` and waits until it can be reached. */
export async function httpServer(
  folder: string,
  { args = [], env = {} }: Pick<ClientOptions, "args" | "env"> = {},
): Promise<HttpServer> {
  const child = startCli(folder, ["--json", "serve", "--http", "0", ...args], { env });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = once(child, "exit");
  const line = await Promise.race([once(child.stdout.setEncoding("utf8"), "data"), exited]);
  if (typeof line[0] !== "string" || !line[0].startsWith("{"))
    throw new Error(`serve did not start: ${line}\n${stderr}`);
  const facts = JSON.parse(line[0]);
  if (facts.error !== undefined) throw new Error(`${facts.error.code}: ${facts.error.message}`);
  return {
    url: facts.url,
    port: Number(new URL(facts.url).port),
    pid: child.pid ?? 0,
    facts,
    stderr: () => stderr,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Lets clients switch servers without asking anybody. */
export const SWITCHES: { readonly rules: readonly object[] } = {
  rules: [{ server: "mcpfs", tool: "set_server", caller: "serve", permission: "allow" }],
};

/** Makes a workspace with these servers, synced, and with these keys `serve` and `policy`. */
export async function makeServed(
  folder: string,
  mcpServers: Readonly<Record<string, unknown>>,
  serve: Readonly<Record<string, unknown>> = {},
  policy: unknown = "balanced",
): Promise<void> {
  writeFiles(folder, { "mcpfs.json": { mcpServers, serve, policy } });
  const { code, stdout, stderr } = await runCli(folder, ["sync"]);
  if (code !== 0) throw new Error(`sync exited with ${code}\n${stdout}\n${stderr}`);
}

/** Calls a tool and gives the text of its answer. */
export async function textOf(client: AnyClient, name: string, args: object = {}): Promise<string> {
  const result: any = await client.callTool({ name, arguments: args as Record<string, unknown> });
  return result.content.map((block: any) => block.text ?? `[${block.type} ${block.uri ?? ""}]`).join("\n");
}
