import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderWorkspace } from "../../src/render/workspace-files.ts";

const tsc = fileURLToPath(new URL("../../node_modules/.bin/tsc", import.meta.url));

/** The workspace's own files for no server and no skill: what wrappers compile against. */
export const workspaceFiles: ReadonlyMap<string, string> = renderWorkspace({
  catalog: { servers: [] },
  skills: [],
});

/** Writes a workspace with `files` into a temporary folder and gives what the real `tsc` says of it; empty when all is well. */
export async function compile(files: Iterable<readonly [string, string]>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mcpfs-render-"));
  try {
    for (const [path, text] of [...workspaceFiles, ...files]) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return await new Promise((resolve) => {
      execFile(
        tsc,
        ["-p", folder, "--pretty", "false"],
        { cwd: folder, maxBuffer: 1 << 24 },
        (_error, stdout, stderr) => resolve(stdout + stderr),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One schema with values that its type must take and values that it must refuse. */
export interface TypeCase {
  readonly rule: string;
  readonly schema: unknown;
  readonly takes: readonly string[];
  readonly refuses: readonly string[];
}
