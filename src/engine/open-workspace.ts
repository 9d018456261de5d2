import { homedir } from "node:os";
import { resolve } from "node:path";
import { createRedactor, type Log, silentLog } from "../kernel/log.ts";
import type { Host } from "./host.ts";
import { openHost } from "./open-host.ts";
import { packageVersion } from "./package-version.ts";

export interface OpenOptions {
  /** Where messages for a person go; default: nowhere. */
  readonly log?: Log;
  /** The variables that the config may name; default: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Digest of the config whose servers may be started (`mcpfs trust --json` prints it). Default: what this user has approved
   * with `mcpfs trust`, or the workspace's own `trust()`.
   */
  readonly trust?: string;
}

/**
 * Opens the workspace in `directory`, the folder of its `mcpfs.json`. Nothing is started before it is needed; closing the
 * workspace (`await using`) ends all that was.
 * @throws McpfsError WORKSPACE_MISSING, CONFIG_INVALID
 */
export async function openWorkspace(directory: string, options: OpenOptions = {}): Promise<Host> {
  const { findWorkspace } = await import("../config/find-workspace.ts");
  const root = await findWorkspace({ directory: resolve(directory), env: {}, cwd: process.cwd() });
  return await openHost({
    root,
    env: options.env ?? process.env,
    platform: process.platform,
    homeDir: homedir(),
    version: packageVersion(),
    log: options.log ?? silentLog,
    redactor: createRedactor(),
    trust: options.trust,
  });
}
