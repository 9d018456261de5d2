import { loadConfig } from "../../config/load-config.ts";
import type { Config } from "../../config/parse-config.ts";
import type { Log, Redactor } from "../../kernel/log.ts";
import type { Trust } from "./trust.ts";

/** Where a host stands, and who is told what it reads. */
export interface HostPlace {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly log: Log;
  /** Learns the config's secrets before anything is started. */
  readonly redactor: Redactor;
}

/** Reads `mcpfs.json` for a host, which learns its secrets before anything is started. @throws McpfsError CONFIG_INVALID */
export async function readConfig(
  { root, env, platform, homeDir, redactor, log }: HostPlace,
  trust: Trust,
): Promise<Config> {
  const config = await loadConfig(root, {
    env,
    platform,
    homeDir,
    trusted: async (unloaded) => {
      const listed = await trust.list(unloaded);
      return new Set(listed.filter((server) => server.isTrusted).map((server) => server.name));
    },
  });
  redactor.add(config.secrets);
  for (const warning of config.warnings) log.warn(warning);
  return config;
}
