import { loadConfig } from "../../config/load-config.ts";
import type { Config } from "../../config/parse-config.ts";
import type { HostOptions } from "../host.ts";
import type { Trust } from "./trust.ts";

/** Reads `mcpfs.json` for a host, which learns its secrets before anything is started. @throws McpfsError CONFIG_INVALID */
export async function readConfig(
  { root, env, platform, homeDir, redactor, log }: HostOptions,
  trust: Trust,
): Promise<Config> {
  const config = await loadConfig(root, {
    env,
    platform,
    homeDir,
    trusted: async (servers, models) => {
      const listed = await trust.list([...servers, ...models]);
      return new Set(listed.filter((server) => server.isTrusted).map((server) => server.name));
    },
  });
  redactor.add(config.secrets);
  for (const warning of config.warnings) log.warn(warning);
  return config;
}
