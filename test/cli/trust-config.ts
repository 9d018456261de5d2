import { join } from "node:path";
import { loadConfig } from "../../src/config/load-config.ts";
import { createTrust } from "../../src/engine/workspace/trust.ts";
import { McpfsError } from "../../src/kernel/errors.ts";
import { createTrustStore } from "../../src/trust/trust-store.ts";

/** Where the commands of a test keep what they trust: not in the home of whoever runs the tests. */
export function trustHome(folder: string): string {
  return join(folder, ".mcpfs", "home");
}

/** Approves the config in `folder` as it is now, where there is one that can be read: what `mcpfs trust --yes` does. */
export async function trustConfig(folder: string): Promise<void> {
  const store = createTrustStore(folder, { MCPFS_HOME: trustHome(folder) });
  try {
    const { platform, env } = process;
    const { servers } = await loadConfig(folder, {
      env,
      platform,
      homeDir: folder,
      trusted: async () => new Set(),
    });
    await createTrust({ store: async () => store }).approve(servers);
  } catch (error) {
    if (!(error instanceof McpfsError)) throw error;
  }
}
