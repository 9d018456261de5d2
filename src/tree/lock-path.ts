import { join } from "node:path";

/** The file that cross-process writers of a workspace hold while they work: for `withFileLock`. */
export function lockPath(root: string): string {
  return join(root, ".mcpfs", "lock");
}
