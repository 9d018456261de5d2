import { homedir } from "node:os";
import { PassThrough, Readable } from "node:stream";
import { main } from "../../src/cli/main.ts";
import type { CliResult } from "./run-cli.ts";
import { trustConfig, trustHome } from "./trust-config.ts";

export interface MainOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** As if stderr were a terminal that a person looks at. */
  readonly isTerminal?: boolean;
}

/**
 * Runs a command in this process, on streams of its own: for tests of many command lines, where a process for each would take
 * most of the time.
 */
export async function runMain(
  folder: string,
  args: readonly string[],
  options: MainOptions = {},
): Promise<CliResult> {
  await trustConfig(folder);
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await main(args, {
    stdout,
    stderr,
    stdin: Readable.from([options.stdin ?? ""]),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, MCPFS_HOME: trustHome(folder), ...options.env },
    cwd: folder,
    platform: process.platform,
    homeDir: homedir(),
    isTerminal: options.isTerminal ?? false,
    isOutputTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, stdout: textOf(stdout), stderr: textOf(stderr) };
}

/** What was written; a PassThrough that nobody reads keeps it all. */
function textOf(stream: PassThrough): string {
  return String(stream.read() ?? "");
}
