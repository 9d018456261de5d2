import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFile } from "../../src/kernel/paths.ts";
import { runCli } from "../cli/run-cli.ts";
import { temporaryFolder } from "../servers/servers.ts";

/** Slashed path → text of every file that a workspace commits. */
function committed(root: string): Readonly<Record<string, string>> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) =>
    join(entry.parentPath, entry.name)
      .slice(root.length + 1)
      .replaceAll("\\", "/"),
  );
  const kept = paths.filter((path) => !path.startsWith(".mcpfs/") && !path.startsWith("workspace/"));
  return Object.fromEntries(kept.sort().map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

test("the demo's workspace in the repository is what the demo makes today", async () => {
  using folder = temporaryFolder();
  const { code, stdout } = await runCli(folder.path, ["demo", "made"]);
  expect(code).toBe(0);
  expect(stdout).toContain("10000 orders, 5 of them pending");
  expect(committed(join(folder.path, "made"))).toEqual(committed(packageFile("workspace")));
});

test("the demo refuses a folder that holds something else, and takes its own again", async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "notes.txt"), "mine");
  const refused = await runCli(folder.path, ["demo", "."]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("FILE_IN_THE_WAY");
  expect(readdirSync(folder.path)).toEqual(["notes.txt"]);
  for (const _time of ["first", "second"]) expect((await runCli(folder.path, ["demo", "own"])).code).toBe(0);
});
