import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { readIfExists, statIfExists, writeAtomic } from "../kernel/fsx.ts";
import { packageFile } from "../kernel/paths.ts";
import type { CliContext } from "./cli-context.ts";

/**
 * Writes a workspace's config from a template of this package, where there is none yet, the generated files, and the files folder.
 * @param template path below the package's root
 * @param fill makes the config's text of the template's
 * @returns false when the workspace was there and nothing had to be written
 */
export async function createWorkspace(
  cli: CliContext,
  root: string,
  template: string,
  fill: (text: string) => string = (text) => text,
): Promise<boolean> {
  const path = join(root, "mcpfs.json");
  const isNew = (await readIfExists(path)) === undefined;
  if (isNew) await writeAtomic(path, fill(await readFile(packageFile(template), "utf8")));
  // The template's own example is a server that needs it.
  const filesFolder = join(root, "workspace");
  if ((await statIfExists(filesFolder)) === undefined) await mkdir(filesFolder);
  const { files } = await cli.withHost(
    async (host) => {
      if (isNew) await host.trust();
      return await host.sync({ isOffline: true });
    },
    { root },
  );
  return isNew || files.written > 0;
}
