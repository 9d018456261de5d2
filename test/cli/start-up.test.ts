import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { packageFile } from "../../src/kernel/paths.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { makeWorkspace } from "./run-cli.ts";

const hook = fileURLToPath(new URL("../support/print-loaded-modules.mjs", import.meta.url));

/** json-schema-to-typescript begins to import its formatter and waits for it only when it formats: it may be seen, or the end comes first. */
const UNAWAITED = "prettier";

/** The packages that a command loads, its own modules left out. */
async function packagesOf(folder: string, args: readonly string[]): Promise<readonly string[]> {
  const list = join(folder, "loaded-modules");
  const child = spawn(process.execPath, ["--import", hook, packageFile("dist/cli.js"), ...args], {
    cwd: folder,
    env: { ...process.env, LOADED_MODULES: list },
    stdio: "ignore",
  });
  await new Promise((resolve) => child.on("close", resolve));
  const loaded = readFileSync(list, "utf8");
  rmSync(list);
  const names = [...loaded.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].map(
    (match) => match[1] ?? "",
  );
  return [...new Set(names)].filter((name) => name !== UNAWAITED).sort();
}

describe("a command loads only what it needs (modules are counted, not milliseconds)", () => {
  const folder = temporaryFolder();
  beforeAll(async () => {
    await makeWorkspace(folder.path, { crm: scripted({ tools: [{ name: "get_contact" }] }) });
    return () => folder[Symbol.dispose]();
  });

  // What lists tools says the permission that holds, and for that reads what the user has trusted (env-paths says where, and loads is-safe-filename).
  test.each<[readonly string[], readonly string[]]>([
    [["--version"], ["commander"]],
    [["--help"], ["commander"]],
    [["exec", "--help"], ["commander"]],
    [["ls"], ["commander", "env-paths", "is-safe-filename", "jsonc-parser", "zod"]],
    [
      ["search", "contact"],
      ["commander", "env-paths", "is-safe-filename", "jsonc-parser", "zod"],
    ],
    [
      ["show", "crm/get_contact"],
      ["commander", "env-paths", "is-safe-filename", "json-schema-to-typescript", "jsonc-parser", "zod"],
    ],
  ])("%j", async (args, want) => {
    expect(await packagesOf(folder.path, args)).toEqual(want);
  });
});
