import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  containedPath,
  isInside,
  openForAppend,
  readIfExists,
  retryWhileHeld,
  writeAtomic,
} from "../../src/kernel/fsx.ts";

let base: string;
let root: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "mcpfs-fsx-")));
  root = join(base, "files");
  await mkdir(join(root, "sub"), { recursive: true });
  await writeFile(join(root, "sub", "note.txt"), "inside");
  await mkdir(join(base, "files-too"));
  await writeFile(join(base, "files-too", "secret.txt"), "outside");
});

afterEach(async () => {
  await rm(base, { recursive: true, force: true });
});

test.each([
  "../secret",
  "../../etc/passwd",
  "sub/../../files-too/secret.txt",
  "../files-too/secret.txt",
  "/etc/passwd",
  "sub/\0",
  "C:\\Windows\\system.ini",
  "c:relative",
  "..",
])("a path that leads out is refused: %j", async (path) => {
  await expect(containedPath(root, path)).rejects.toMatchObject({ code: "FILE_OUTSIDE_WORKSPACE" });
});

test.each([
  ["sub/note.txt", "sub/note.txt"],
  ["./sub/../sub/note.txt", "sub/note.txt"],
  ["missing/parents/of/a/file.txt", "missing/parents/of/a/file.txt"],
  ["..hidden", "..hidden"],
  ["sub/note.txt/below-a-file", "sub/note.txt/below-a-file"],
  [".", ""],
])("a path that stays inside is given back absolute: %j", async (path, want) => {
  expect(await containedPath(root, path)).toBe(join(root, want));
});

test("a link that leads out is refused: as the file, as a folder on the way, dangling, and in a circle", async () => {
  await symlink(join(base, "files-too", "secret.txt"), join(root, "link.txt"));
  await symlink(join(base, "files-too"), join(root, "folder"));
  await symlink(join(base, "nowhere"), join(root, "dangling"));
  await symlink(join(root, "circle"), join(root, "circle"));
  for (const path of [
    "link.txt",
    "folder/secret.txt",
    "folder/new.txt",
    "dangling",
    "dangling/new.txt",
    "circle/x",
  ])
    await expect(containedPath(root, path), path).rejects.toMatchObject({ code: "FILE_OUTSIDE_WORKSPACE" });
});

test("a link that stays inside is fine, also when the folder itself is reached by one", async () => {
  await symlink(join(root, "sub"), join(root, "again"));
  expect(await containedPath(root, "again/note.txt")).toBe(join(root, "again", "note.txt"));
  await symlink(root, join(base, "alias"));
  expect(await containedPath(join(base, "alias"), "sub/note.txt")).toBe(join(root, "sub", "note.txt"));
});

test("a folder that does not exist yet contains paths too, a dangling link in its place none", async () => {
  expect(await containedPath(join(base, "later"), "a/b.txt")).toBe(join(base, "later", "a", "b.txt"));
  await expect(containedPath(join(base, "later"), "../x")).rejects.toMatchObject({
    code: "FILE_OUTSIDE_WORKSPACE",
  });
  await symlink(join(base, "nowhere"), join(base, "dangling"));
  await expect(containedPath(join(base, "dangling"), "x")).rejects.toMatchObject({
    code: "FILE_OUTSIDE_WORKSPACE",
  });
});

test("a folder with a longer name is not inside, a name of two dots and more is", () => {
  expect(isInside("/a/files", "/a/files-too")).toBe(false);
  expect(isInside("/a/files", "/a/files/..b")).toBe(true);
  expect(isInside("/a/files", "/a")).toBe(false);
});

test("an atomic write makes folders, replaces text, and leaves no other file", async () => {
  const path = join(root, "new", "file.txt");
  await Promise.all(Array.from({ length: 20 }, (_, index) => writeAtomic(path, `text ${index}`)));
  expect(await readFile(path, "utf8")).toMatch(/^text \d+$/);
  expect(await readIfExists(join(root, "new", "missing.txt"))).toBeUndefined();
  expect(await readIfExists(join(path, "below"))).toBeUndefined();
});

test.skipIf(process.platform === "win32")("appending does not follow a link", async () => {
  await symlink(join(base, "files-too", "secret.txt"), join(root, "journal.jsonl"));
  await expect(openForAppend(join(root, "journal.jsonl"))).rejects.toMatchObject({ code: "ELOOP" });
});

// Bug bank: watch-rename-locked-on-windows.
test.each<{ failures: readonly string[]; platform: NodeJS.Platform; want: string; tries: number }>([
  { failures: ["EPERM", "EBUSY"], platform: "win32", want: "done", tries: 3 },
  { failures: Array(9).fill("EBUSY"), platform: "win32", want: "EBUSY", tries: 5 },
  { failures: ["ENOSPC"], platform: "win32", want: "ENOSPC", tries: 1 },
  { failures: ["EPERM"], platform: "linux", want: "EPERM", tries: 1 },
])(
  "on $platform a rename that fails with $failures ends as $want after $tries tries",
  async ({ failures, platform, want, tries }) => {
    let tried = 0;
    const rename = async (): Promise<string> => {
      const code = failures[tried];
      tried += 1;
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      return "done";
    };
    expect(await retryWhileHeld(rename, platform).catch((error) => error.code)).toBe(want);
    expect(tried).toBe(tries);
  },
);
