import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createOutputRules } from "../../src/config/output-rules.ts";
import type { ServerName } from "../../src/model/names.ts";
import type { ServerEntry, Transport } from "../../src/model/server-entry.ts";

/** An entry of `mcpServers` in `mcpfs.json`, and the fields of a stdio transport: the test servers fit both. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const module = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));

/**
 * The scripted server; `spec`, or the JSON file that holds it, is described at the top of scripted.mjs. Give `logFile` to count
 * what it received.
 */
export function scripted(spec: Readonly<Record<string, unknown>> | string, logFile?: string): ServerCommand {
  return {
    command: process.execPath,
    args: [file("scripted.mjs"), typeof spec === "string" ? spec : JSON.stringify(spec)],
    ...(logFile !== undefined && { env: { SCRIPTED_LOG: logFile } }),
  };
}

/** A server that answers what a real one answered; `captured` is a file of the corpus. */
export function replay(captured: string, toolsPerPage?: number): ServerCommand {
  const page = toolsPerPage === undefined ? [] : [String(toolsPerPage)];
  return { command: process.execPath, args: [file("replay.mjs"), captured, ...page] };
}

/** A server of the SDK's current line; `isModernOnly` refuses clients of earlier revisions. */
export function modern(isModernOnly: boolean): ServerCommand {
  return { command: process.execPath, args: [file("modern.mjs"), isModernOnly ? "reject" : "serve"] };
}

/** A server of the SDK's 1.x line. */
export function oldSdk(): ServerCommand {
  return { command: process.execPath, args: [file("old-sdk.mjs")] };
}

/** The published reference servers. */
export const real = {
  everything: (mode: "stdio" | "sse" | "streamableHttp" = "stdio"): ServerCommand => ({
    command: process.execPath,
    args: [module("server-everything"), mode],
  }),
  filesystem: (folder: string): ServerCommand => ({
    command: process.execPath,
    args: [module("server-filesystem"), folder],
  }),
  memory: (memoryFile: string): ServerCommand => ({
    command: process.execPath,
    args: [module("server-memory")],
    env: { MEMORY_FILE_PATH: memoryFile },
  }),
};

/** A parsed entry for one of the commands above, or for any transport. */
export function serverEntry(
  name: string,
  transport: ServerCommand | Transport,
  changes: Partial<ServerEntry> = {},
): ServerEntry {
  return {
    name: name as ServerName,
    isEnabled: true,
    transport: "kind" in transport ? transport : { kind: "stdio", env: {}, cwd: process.cwd(), ...transport },
    problem: undefined,
    purpose: "",
    timeoutMs: 20_000,
    idleMs: 300_000,
    connect: "eager",
    onChange: "warn",
    identity: undefined,
    protocol: "auto",
    filter: { isAllowed: () => true, rename: (raw) => raw },
    outputs: createOutputRules({}),
    areAnnotationsTrusted: true,
    fillsDefaults: false,
    sharesRoots: false,
    secrets: [],
    ...changes,
  };
}

/** One thing that a scripted server noted in its log. */
export interface LogEntry {
  readonly event: "start" | "grandchild" | "line" | "end";
  readonly pid: number;
  readonly line?: string;
}

/** Everything a scripted server noted; empty while it has not started. */
export function readServerLog(logFile: string): readonly LogEntry[] {
  let text = "";
  try {
    text = readFileSync(logFile, "utf8");
  } catch {
    return [];
  }
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as LogEntry);
}

/** The messages that scripted servers received with this method, in order. */
export function received(
  logFile: string,
  method: string,
): readonly { id?: number; method: string; params?: any }[] {
  return readServerLog(logFile)
    .filter((entry) => entry.event === "line")
    .map((entry) => JSON.parse(entry.line ?? "null"))
    .filter((message) => message?.method === method);
}

/** True while the process runs; a zombie counts as gone, and nothing is signalled. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const state = stat.slice(stat.lastIndexOf(")") + 2)[0];
    return state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}

/** Waits until `isTrue` holds; fails with `what` after `withinMs`. */
export async function until(what: string, isTrue: () => boolean, withinMs = 5_000): Promise<void> {
  const stopBy = Date.now() + withinMs;
  while (!isTrue()) {
    if (Date.now() > stopBy) throw new Error(`${what} did not happen within ${withinMs} ms`);
    await sleep(10);
  }
}

/** A temporary folder that goes with `using`. */
export function temporaryFolder(): { readonly path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), "mcpfs-test-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
