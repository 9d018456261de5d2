import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { packageFile } from "../../src/kernel/paths.ts";

test("clients that send scripts at the same time each get their own answers", () => {
  const { stdout, stderr } = spawnSync(process.execPath, [packageFile("bench/serve.mjs"), "8", "6"], {
    encoding: "utf8",
    timeout: 120_000,
  });
  expect(stderr).toBe("");
  expect(stdout).toContain("48 answers in ");
  expect(stdout).toContain("wrong or crossed: 0\n");
}, 120_000);
