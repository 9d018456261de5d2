import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const programs = ["bench", "scripts"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".mjs"))
    .map((name) => join(folder, name)),
);

// They are JavaScript, so no compiler sees that a name moved to another file of src; esbuild does when it links them with dist.
test("every program of bench and scripts finds what it imports", async () => {
  expect(programs.length).toBeGreaterThan(10);
  const linking = build({
    absWorkingDir: root,
    entryPoints: programs,
    bundle: true,
    write: false,
    outdir: "linked",
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "silent",
  });
  const { warnings } = await linking;
  expect(warnings.filter(({ id }) => id.startsWith("import"))).toEqual([]);
});
