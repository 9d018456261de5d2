import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { build } from "esbuild";
import { compile } from "json-schema-to-typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createBuiltin, DEFAULT_BUILTIN_LIMITS } from "../../src/builtin/builtin.ts";
import { listCrmRecords } from "../../src/demo/crm-records.ts";
import { listOrders } from "../../src/demo/orders.ts";
import { STORY } from "../../src/demo/story.ts";
import { pause } from "../../src/kernel/wait.ts";
import { bundleDemoServers, type ServerProgram } from "./server-process.ts";

const SKILL = fileURLToPath(new URL("../../skills/work-in-an-mcpfs-workspace", import.meta.url));
const TEMPLATES = fileURLToPath(new URL("../../templates/demo", import.meta.url));

/** What the scripts have to find out, counted from the data itself. */
const PENDING = listOrders().filter((row) => row.Status === "pending");
const DOLLARS = Math.round(PENDING.reduce((cents, row) => cents + Math.round(row.Amount * 100), 0) / 100);
const QUALIFIED = listCrmRecords().filter(({ data }) => data.Stage === "qualified").length;

/** What a script of the story sees: the door, its error, files. Here on real servers, without the sandbox. */
class MCPToolError extends Error {
  readonly code = "TOOL_ERROR";
  readonly server: string;
  readonly tool: string;
  constructor(server: string, tool: string, message: string) {
    super(message);
    this.server = server;
    this.tool = tool;
  }
}

let program: ServerProgram;
let folder = "";
const clients = new Map<string, Client>();

beforeAll(async () => {
  program = await bundleDemoServers();
  folder = await realpath(await mkdtemp(join(tmpdir(), "mcpfs-story-")));
  await cp(TEMPLATES, folder, { recursive: true });
  for (const name of ["docs", "crm"] as const) {
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StdioClientTransport(program.commandOf(name)));
    clients.set(name, client);
    await mkdir(join(folder, "servers", name), { recursive: true });
    const { tools } = await client.listTools();
    const wrappers = await Promise.all(tools.map((tool) => wrapperText(name, tool)));
    await writeFile(join(folder, "servers", name, "index.ts"), wrappers.join("\n"));
  }
  for (const [index, sample] of (await skillSamples()).entries())
    await writeFile(join(folder, `skill-sample-${index + 1}.ts`), sample);
  await writeFile(join(folder, "client.ts"), CLIENT);
  await writeFile(join(folder, "sandbox.d.ts"), GLOBALS);
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
});

afterAll(async () => {
  for (const client of clients.values()) await client.close();
  await program[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test("the story tells every script of templates/demo, each in fewer than 25 lines", async () => {
  const files = (await readdir(TEMPLATES)).filter((file) => file.endsWith(".ts")).sort();
  expect(STORY.map((chapter) => chapter.file)).toEqual(files);
  for (const { file, title, says } of STORY) {
    expect((await readFile(join(TEMPLATES, file), "utf8")).trimEnd().split("\n").length).toBeLessThan(25);
    expect(title).not.toMatch(/\.$/);
    expect(says).toMatch(/\.$/);
  }
});

test("the skill that ships is a skill: its name is its folder's, its description fits, its text is short", async () => {
  const text = await readFile(join(SKILL, "SKILL.md"), "utf8");
  const { name, description } = parse(/^---\n(.*?)\n---\n/s.exec(text)?.[1] ?? "");
  expect(name).toBe(basename(SKILL));
  expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(description.length).toBeGreaterThan(100);
  expect(description.length).toBeLessThanOrEqual(1_024);
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(120);
  expect(await skillSamples()).toHaveLength(3);
});

test("every script, and every sample of the skill, fits the types of the tools under the compiler settings of a workspace", async () => {
  const tsc = createRequire(import.meta.url)
    .resolve("typescript/package.json")
    .replace("package.json", "bin/tsc");
  const checked = promisify(execFile)(process.execPath, [tsc, "-p", folder]);
  const { stdout } = await checked.catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
});

describe("every script runs on the real servers", () => {
  test.each<[string, unknown, RegExp]>([
    [
      "1-transcript-into-crm.ts",
      { record_id: "M-0914", version: 2, actions: 5 },
      /characters are now in M-0914/,
    ],
    [
      "2-five-of-ten-thousand.ts",
      ["SO-22602", "SO-23278", "SO-26802", "SO-27639", "SO-29189"],
      /5 of them pending/,
    ],
    [
      "3-errors-and-waiting.ts",
      { qualified: QUALIFIED, looks: 3 },
      /^TOOL_ERROR from crm\/export_report: Quota exceeded/,
    ],
    [
      "4-save-and-read-back.ts",
      { path: "./workspace/pending-orders.csv", orders: PENDING.length, dollars: DOLLARS },
      /holds \d+ pending orders/,
    ],
  ])("%s", async (file, value, line) => {
    const { exported, output } = await play(file);
    expect(exported).toEqual(value);
    expect(output.join("\n")).toMatch(line);
    expect(output.join("\n").length, "what the model would read").toBeLessThan(600);
  });

  test("the transcript is in the CRM as the document store has it", async () => {
    const [sent, kept] = await Promise.all([
      callTool("docs", "get_document", { document_id: "call-2026-09-14" }),
      callTool("crm", "get_record", { object_type: "SalesMeeting", record_id: "M-0914" }),
    ]);
    expect(kept.data.Notes).toBe(sent.content);
  });
});

/** The TypeScript in the shipped skill. */
async function skillSamples(): Promise<string[]> {
  const text = await readFile(join(SKILL, "SKILL.md"), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map((block) => block[1] ?? "");
}

/** Bundles a script and imports it, with the globals that it would have. */
async function play(file: string): Promise<{ exported: unknown; output: string[] }> {
  const outfile = join(folder, `${file}.mjs`);
  await build({ entryPoints: [join(folder, file)], outfile, bundle: true, format: "esm", logLevel: "error" });
  const output: string[] = [];
  const print = console.log;
  console.log = (...values: unknown[]) => void output.push(values.join(" "));
  Object.assign(globalThis, { callMCPTool, MCPToolError, fs: files() });
  try {
    return { exported: (await import(pathToFileURL(outfile).href)).default, output };
  } finally {
    console.log = print;
  }
}

async function callMCPTool(wire: string, args: Record<string, unknown>): Promise<any> {
  const [server = "", tool = ""] = wire.split("__");
  return await callTool(server, tool, args);
}

async function callTool(server: string, tool: string, args: Record<string, unknown>): Promise<any> {
  const answer = await clients.get(server)?.callTool({ name: tool, arguments: args });
  const [block] = answer?.content ?? [];
  const text = block?.type === "text" ? block.text : "";
  if (answer?.isError === true) throw new MCPToolError(server, tool, text);
  return answer?.structuredContent ?? text;
}

/** The two functions of `fs` that the story uses, on the built-in server as in the sandbox. */
function files(): object {
  const builtin = createBuiltin({
    filesFolder: join(folder, "workspace"),
    search: async () => [],
    pause,
    limits: DEFAULT_BUILTIN_LIMITS,
  });
  const { signal } = new AbortController();
  return {
    readFile: (path: string, encoding: "utf8") => builtin.call("read_file", { path, encoding }, signal),
    writeFile: (path: string, text: string) => builtin.call("write_file", { path, text }, signal),
  };
}

async function wrapperText(server: string, tool: any): Promise<string> {
  const name = tool.name.replace(/_([a-z])/g, (_all: string, letter: string) => letter.toUpperCase());
  const type = name[0].toUpperCase() + name.slice(1);
  const options = { bannerComment: "", declareExternallyReferenced: true };
  const input = await compile(tool.inputSchema, `${type}Input`, options);
  const output =
    tool.outputSchema === undefined
      ? `export type ${type}Output = any;`
      : await compile(tool.outputSchema, `${type}Output`, options);
  const body = `return (globalThis as any).callMCPTool("${server}__${tool.name}", input);`;
  return `${input}\n${output}\nexport function ${name}(input: ${type}Input): Promise<${type}Output> { ${body} }`;
}

const CLIENT = `interface Shape extends Error { readonly server: string; readonly tool: string; readonly code: string; readonly hint: string }
export const MCPToolError: abstract new () => Shape = (globalThis as any).MCPToolError;
`;

const GLOBALS = `declare var console: { log(...values: unknown[]): void };
declare function setTimeout(callback: (value?: any) => unknown, ms?: number): unknown;
declare var fs: {
  readFile(path: string, encoding: "utf8"): Promise<string>;
  writeFile(path: string, text: string): Promise<void>;
};
`;

const TSCONFIG = {
  compilerOptions: {
    target: "es2023",
    lib: ["ES2023"],
    module: "preserve",
    moduleResolution: "bundler",
    moduleDetection: "force",
    types: [],
    strict: true,
    noImplicitAny: false,
    noEmit: true,
  },
  include: ["*.ts"],
};
