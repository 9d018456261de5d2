import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { McpfsError } from "../../src/kernel/errors.ts";
import { containedPath } from "../../src/kernel/fsx.ts";

let base = "";
let folder = "";

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "mcpfs-contained-")));
  folder = join(base, "files");
  await mkdir(join(folder, "inner"), { recursive: true });
  await mkdir(join(base, "files-beside"));
  await writeFile(join(base, "secret.txt"), "secret");
  await writeFile(join(folder, "inner", "a.txt"), "a");
  await symlink(base, join(folder, "up"));
  await symlink(join(base, "secret.txt"), join(folder, "stolen.txt"));
  await symlink("inner", join(folder, "inside"));
  await symlink(join(base, "not-there.txt"), join(folder, "dangling"));
  await symlink("loop", join(folder, "loop"));
  await symlink("ping", join(folder, "pong"));
  await symlink("pong", join(folder, "ping"));
});

afterAll(async () => await rm(base, { recursive: true, force: true }));

describe("a path inside the folder is found", () => {
  test.each([
    ["inner/a.txt", "inner/a.txt"],
    ["./inner/../inner/a.txt", "inner/a.txt"],
    [".", ""],
    ["new.txt", "new.txt"],
    ["new/deep/er.txt", "new/deep/er.txt"],
    ["inside/a.txt", "inside/a.txt"],
    ["inner/a.txt/below-a-file", "inner/a.txt/below-a-file"],
    ["a".repeat(300), "a".repeat(300)],
  ])("%s", async (path, want) => {
    expect(await containedPath(folder, path)).toBe(want === "" ? folder : join(folder, want));
  });
});

describe("a path that leads out is refused, and never with an error of the system", () => {
  test.each([
    "..",
    "../secret.txt",
    "../files-beside/x",
    "inner/../../secret.txt",
    "/etc/passwd",
    "C:/Windows/win.ini",
    "c:evil",
    "a\0b",
    "up",
    "up/secret.txt",
    "up/files/inner/../../secret.txt",
    "stolen.txt",
    "dangling",
    "dangling/x",
    "loop",
    "loop/x",
    "ping/x/y",
  ])("%j", async (path) => {
    const error = await containedPath(folder, path).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(McpfsError);
    expect(error).toMatchObject({ code: "FILE_OUTSIDE_WORKSPACE" });
  });
});
