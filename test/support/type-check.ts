import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

/** What `tsc --strict` says of scripts of a workspace, with the workspace's own settings: empty when they are right. */
export function typeCheck(root: string, files: readonly string[]): string {
  const tsc = createRequire(import.meta.url)
    .resolve("typescript/package.json")
    .replace(/package\.json$/, "bin/tsc");
  const settings = JSON.stringify({
    extends: "./tsconfig.json",
    files: [...files, "sandbox.d.ts"],
    include: [],
  });
  const path = `${root}/tsconfig.test.json`;
  writeFileSync(path, settings);
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", path, "--noEmit"], {
    cwd: root,
    encoding: "utf8",
  });
  return stdout;
}
