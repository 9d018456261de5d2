import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { McpfsError } from "../kernel/errors.ts";

/** The file that makes a folder a workspace. */
export const CONFIG_FILE = "mcpfs.json";

/**
 * Root of the workspace: `-C dir` (or the path of its `mcpfs.json`), else `MCPFS_ROOT`, else the nearest parent
 * of `cwd` with `mcpfs.json`. A folder that was named is taken as it is: its parents are not searched.
 * @returns an absolute path
 * @throws McpfsError WORKSPACE_MISSING
 */
export async function findWorkspace(options: {
  readonly directory?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}): Promise<string> {
  const { directory, env, cwd } = options;
  const named = directory ?? (env.MCPFS_ROOT || undefined);
  if (named !== undefined) {
    const path = resolve(cwd, named);
    const root = basename(path) === CONFIG_FILE && (await isFile(path)) ? dirname(path) : path;
    if (await isFile(join(root, CONFIG_FILE))) return root;
    const source = directory === undefined ? "MCPFS_ROOT" : "-C";
    throw workspaceMissing(`The folder ${root}, named by ${source}, has no ${CONFIG_FILE}.`);
  }
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (await isFile(join(folder, CONFIG_FILE))) return folder;
    if (folder === dirname(folder))
      throw workspaceMissing(`There is no ${CONFIG_FILE} in ${resolve(cwd)} or above it.`);
  }
}

/** The error for a folder that is no workspace. */
export function workspaceMissing(sentence: string): McpfsError {
  return new McpfsError("WORKSPACE_MISSING", sentence, {
    hint: "Make a workspace with: mcpfs init",
  });
}

/** A link to a file counts; a folder that may not be read counts as one without. */
async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
