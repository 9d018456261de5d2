import { homedir } from "node:os";
import { PassThrough } from "node:stream";
import { main } from "../../src/cli/main.ts";
import { trustConfig, trustHome } from "./trust-config.ts";

/** How a command ended that a person sat in front of. */
export interface TerminalSession {
  readonly code: number;
  readonly stdout: string;
  /** All that the person saw besides. */
  readonly screen: string;
}

/**
 * Runs a command at the terminal of somebody who trusts the config. `keys` says what the person types at each question: the text after which it is typed, and the
 * line; each is used once.
 */
export async function atTerminal(
  folder: string,
  argv: readonly string[],
  keys: readonly (readonly [after: string, line: string])[] = [],
): Promise<TerminalSession> {
  await trustConfig(folder);
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const waiting = [...keys];
  let printed = "";
  let screen = "";
  let seen = 0;
  stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  stderr.on("data", (chunk: Buffer) => {
    screen += chunk.toString();
    const [next] = waiting;
    if (next === undefined) return;
    const found = screen.indexOf(next[0], seen);
    if (found === -1) return;
    seen = screen.length;
    waiting.shift();
    setImmediate(() => stdin.write(next[1]));
  });
  const code = await main(["-C", folder, ...argv], {
    stdout,
    stderr,
    stdin,
    env: { ...process.env, NO_COLOR: "1", MCPFS_HOME: trustHome(folder) },
    cwd: folder,
    platform: process.platform,
    homeDir: homedir(),
    isTerminal: true,
    isOutputTerminal: false,
    signal: stop.signal,
  });
  return { code, stdout: printed, screen };
}
