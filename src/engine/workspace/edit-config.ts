import { join } from "node:path";
import { McpfsError } from "../../kernel/errors.ts";
import { withFileLock } from "../../kernel/file-lock.ts";
import { readIfExists, writeAtomic } from "../../kernel/fsx.ts";
import { lockPath } from "../../tree/lock-path.ts";

/**
 * Changes `mcpfs.json` under the workspace's lock, reading it again first.
 * @returns false when the edit changed nothing
 * @throws McpfsError WORKSPACE_MISSING, and what `edit` throws
 */
export async function editConfig(root: string, edit: (text: string) => string): Promise<boolean> {
  const path = join(root, "mcpfs.json");
  return await withFileLock(lockPath(root), async () => {
    const before = await readIfExists(path);
    if (before === undefined) {
      throw new McpfsError("WORKSPACE_MISSING", `There is no ${path} any more.`, {
        hint: 'Run "mcpfs init".',
      });
    }
    const after = edit(before);
    if (after === before) return false;
    await writeAtomic(path, after);
    return true;
  });
}
