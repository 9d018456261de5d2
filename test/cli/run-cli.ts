import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageFile } from "../../src/kernel/paths.ts";
import { trustConfig, trustHome } from "./trust-config.ts";

/** How a command ended. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** False runs the command without approving what the config says now. */
  readonly trusts?: boolean;
}

/** Runs the built program in `folder` as a user does who trusts the config there, and waits for its end. */
export async function runCli(
  folder: string,
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  if (options.trusts !== false) await trustConfig(folder);
  const child = startCli(folder, args, options);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.end(options.stdin ?? "");
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout, stderr };
}

/** Starts the built program and hands over the process. */
export function startCli(
  folder: string,
  args: readonly string[],
  options: CliOptions = {},
): ChildProcessWithoutNullStreams {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  const env = {
    PATH,
    HOME,
    MCPFS_HOME: trustHome(folder),
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    ...options.env,
  };
  return spawn(process.execPath, [packageFile("dist/cli.js"), ...args], { cwd: folder, env });
}

/** Runs a command with `--json` and gives its answer as a value. */
export async function jsonOf(
  folder: string,
  args: readonly string[],
  options: CliOptions = {},
): Promise<any> {
  const { stdout, stderr } = await runCli(folder, ["--json", ...args], options);
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`not one JSON value: ${stdout}\n${stderr}`);
  }
}

/** Writes files below `folder`: path → text, or a value that becomes JSON. */
export function writeFiles(folder: string, files: Readonly<Record<string, unknown>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** Makes a workspace of these servers in `folder` and syncs it; fails with what was printed when a server fails. */
export async function makeWorkspace(
  folder: string,
  mcpServers: Readonly<Record<string, unknown>>,
): Promise<void> {
  writeFiles(folder, { "mcpfs.json": { mcpServers } });
  const { code, stdout, stderr } = await runCli(folder, ["sync"]);
  if (code !== 0) throw new Error(`sync exited with ${code}\n${stdout}\n${stderr}`);
}

/** Every file of a workspace but its config and `.mcpfs/`: slashed path → text. */
export function readTree(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(folder.length + 1).replaceAll("\\", "/"), path] as const)
    .filter(([name]) => name !== "mcpfs.json" && !name.startsWith(".mcpfs/"))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(files.map(([name, path]) => [name, readFileSync(path, "utf8")]));
}
