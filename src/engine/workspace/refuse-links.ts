import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { McpfsError } from "../../kernel/errors.ts";
import { statIfExists } from "../../kernel/fsx.ts";

/**
 * Refuses a workspace whose `.mcpfs` is a link or holds one. A repository could bring them, and what mcpfs writes there
 * (journals, notes, locks) would go into, or over, files anywhere on the disk.
 * @throws McpfsError FILE_IN_THE_WAY
 */
export async function refuseLinks(root: string): Promise<void> {
  const folder = join(root, ".mcpfs");
  const stat = await statIfExists(folder);
  if (stat?.isSymbolicLink() === true) throw isLink(".mcpfs");
  if (stat?.isDirectory() !== true) return;
  const link = (await readdir(folder, { withFileTypes: true })).find((entry) => entry.isSymbolicLink());
  if (link !== undefined) throw isLink(`.mcpfs/${link.name}`);
}

function isLink(path: string): McpfsError {
  return new McpfsError("FILE_IN_THE_WAY", `${path} is a link, and mcpfs writes its own files there.`, {
    hint: "Delete the link; the folder is made again when it is needed.",
  });
}
