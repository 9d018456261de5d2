import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openInside, replaceInside } from "../../src/builtin/open-inside.ts";
import { parseScriptPath } from "../../src/builtin/script-path.ts";
import { createWorkbench, type Workbench } from "./workbench.ts";

/** A workspace with something worth stealing around the files folder, and links that lead to it. */
async function createTrap(): Promise<Workbench> {
  const bench = await createWorkbench();
  await mkdir(join(bench.files, "notes"), { recursive: true });
  await writeFile(join(bench.root, "mcpfs.json"), "config");
  await writeFile(join(bench.root, "..", "outside.txt"), "outside");
  await mkdir(join(bench.root, "workspace-beside"));
  await writeFile(join(bench.files, "notes", "a.txt"), "inside");
  await symlink(bench.root, join(bench.files, "up"));
  await symlink(join(bench.root, "mcpfs.json"), join(bench.files, "config-link"));
  await symlink("../mcpfs.json", join(bench.files, "relative-link"));
  await symlink(join(bench.root, "made-later.txt"), join(bench.files, "dangling"));
  await symlink("circle", join(bench.files, "circle"));
  await symlink("/dev/zero", join(bench.files, "endless"));
  await symlink("notes", join(bench.files, "inside-link"));
  return bench;
}

const LEADING_OUT = [
  "../../etc/passwd",
  "/etc/passwd",
  "//etc/passwd",
  "/workspace/notes/a.txt",
  "",
  ".",
  "..",
  "./",
  "mcpfs.json",
  "./mcpfs.json",
  "workspace/../mcpfs.json",
  "./workspace/../mcpfs.json",
  "./workspace/notes/../../mcpfs.json",
  "./workspace/../../outside.txt",
  "./workspace/./.././mcpfs.json",
  "./workspace-beside/x",
  "workspace/../workspace-beside/x",
  "Workspace/notes/a.txt",
  "./WORKSPACE/notes/a.txt",
  "workspace\\notes\\a.txt",
  "./workspace/..\\mcpfs.json",
  "./workspace/notes\\..\\..\\mcpfs.json",
  "C:/Windows/win.ini",
  "C:\\Windows\\win.ini",
  "\\\\server\\share\\x",
  "\\\\?\\C:\\x",
  "file:///etc/passwd",
  "~/x",
  "./workspace/a\0.txt",
  "./workspace/notes/a.txt\0/../../../mcpfs.json",
  "workspace\0/x",
  "./workspace/up/mcpfs.json",
  "./workspace/up/workspace/../mcpfs.json",
  "./workspace/up",
  "./workspace/config-link",
  "./workspace/relative-link",
  "./workspace/dangling",
  "./workspace/circle",
  "./workspace/circle/x",
  "./workspace/endless",
];

/** Every tool that takes a path, with that path in its place. */
const USES: readonly (readonly [tool: string, args: (path: string) => Record<string, string | boolean>])[] = [
  ["read_file", (path) => ({ path })],
  ["read_file", (path) => ({ path, encoding: "base64" })],
  ["write_file", (path) => ({ path, text: "overwritten" })],
  ["write_file", (path) => ({ path, text: "overwritten", append: true })],
  ["list_files", (path) => ({ path })],
  ["make_folder", (path) => ({ path, recursive: true })],
  ["stat_file", (path) => ({ path })],
  ["remove_file", (path) => ({ path, recursive: true, force: true })],
  ["rename_file", (path) => ({ from: path, to: "./workspace/taken.txt" })],
  ["rename_file", (path) => ({ from: "./workspace/notes/a.txt", to: path })],
];

// M23
describe("no tool reaches anything outside the files folder", () => {
  test.each(LEADING_OUT)("%j", async (path) => {
    await using bench = await createTrap();
    const before = await readdir(bench.root);
    for (const [tool, args] of USES) {
      const error = await bench.fault(tool, args(path));
      expect(error.code, tool).toBe("FILE_OUTSIDE_WORKSPACE");
      expect(error.hint, tool).not.toBe("");
      expect(error.message).not.toContain("\0");
    }
    expect(await readFile(join(bench.root, "mcpfs.json"), "utf8")).toBe("config");
    expect(await readFile(join(bench.root, "..", "outside.txt"), "utf8")).toBe("outside");
    expect(await readFile(join(bench.files, "notes", "a.txt"), "utf8")).toBe("inside");
    expect(await readdir(bench.root)).toEqual(before);
  });
});

test("a link that stays inside is followed for reading and writing, and stays a link", async () => {
  await using bench = await createTrap();
  expect(await bench.call("read_file", { path: "./workspace/inside-link/a.txt" })).toBe("inside");
  await symlink("a.txt", join(bench.files, "notes", "same.txt"));
  await bench.call("write_file", { path: "./workspace/notes/same.txt", text: "new" });
  expect(await readFile(join(bench.files, "notes", "a.txt"), "utf8")).toBe("new");
  await bench.call("remove_file", { path: "./workspace/notes/same.txt" });
  expect(await readdir(join(bench.files, "notes"))).toEqual(["a.txt"]);
});

test("a files folder that is itself a link is refused: a repository could bring one to the user's home", async () => {
  await using bench = await createWorkbench();
  await writeFile(join(bench.root, "mcpfs.json"), "config");
  await symlink(".", bench.files);
  for (const [tool, args] of USES) {
    const error = await bench.fault(tool, args("./workspace/mcpfs.json"));
    expect(error.code).toBe("FILE_OUTSIDE_WORKSPACE");
  }
  expect(await readFile(join(bench.root, "mcpfs.json"), "utf8")).toBe("config");
});

test("the files folder itself can be listed, but not removed, moved or replaced", async () => {
  await using bench = await createTrap();
  expect(await bench.call("stat_file", { path: "./workspace" })).toMatchObject({ kind: "folder" });
  for (const [tool, args] of USES.filter(([name]) => /remove|rename|write|read/.test(name))) {
    const error = await bench.fault(tool, args("./workspace/notes/.."));
    expect(error.code, tool).toBe("FILE_FAILED");
  }
  expect(await readdir(bench.files)).toContain("notes");
});

describe("a link put in the way after the path was judged is not followed", () => {
  test("in the last part of the path", async () => {
    await using bench = await createTrap();
    const real = join(bench.files, "notes", "a.txt");
    await rename(real, `${real}.away`);
    await symlink(join(bench.root, "mcpfs.json"), real);
    expect(await openInside(real, 0)).toBeUndefined();
    expect(await replaceInside(real, Buffer.from("x"))).toBe(true);
    expect(await readFile(join(bench.root, "mcpfs.json"), "utf8")).toBe("config");
    expect(await readFile(real, "utf8")).toBe("x");
  });

  test("in a folder above", async () => {
    await using bench = await createTrap();
    await writeFile(join(bench.root, "workspace-beside", "a.txt"), "beside");
    await rename(join(bench.files, "notes"), join(bench.files, "notes.away"));
    await symlink(join(bench.root, "workspace-beside"), join(bench.files, "notes"));
    const real = join(bench.files, "notes", "a.txt");
    expect(await openInside(real, 0)).toBeUndefined();
    expect(await replaceInside(real, Buffer.from("x"))).toBe(false);
    expect(await readdir(join(bench.root, "workspace-beside"))).toEqual(["a.txt"]);
    expect(await readFile(join(bench.root, "workspace-beside", "a.txt"), "utf8")).toBe("beside");
  });
});

test("a whole-file write does not reach the other names of a hard-linked file", async () => {
  await using bench = await createTrap();
  await link(join(bench.root, "mcpfs.json"), join(bench.files, "hard.json"));
  await bench.call("write_file", { path: "./workspace/hard.json", text: "mine" });
  expect(await readFile(join(bench.root, "mcpfs.json"), "utf8")).toBe("config");
});

describe("paths are read as a script means them", () => {
  test.each([
    ["./workspace/a.txt", "a.txt"],
    ["workspace/a.txt", "a.txt"],
    ["././workspace//b/./c.txt", "b/c.txt"],
    ["./workspace/b/../c.txt", "c.txt"],
    ["./servers/../workspace/c.txt", "c.txt"],
    ["./workspace/", ""],
    ["./workspace/..a/...", "..a/..."],
    ["./workspace/Ünï 𝛼.txt", "Ünï 𝛼.txt"],
    ["./workspace/report 12:30?.txt", "report 12:30?.txt"],
  ])("%s", (path, want) => {
    expect(parseScriptPath(path, "linux")).toBe(want);
  });

  test.each([
    "con",
    "NUL.txt",
    "com1",
    "a:stream",
    "a.txt::$DATA",
    "dots.",
    "space ",
    "a*b",
    "x/aux/y",
    "lpt¹",
  ])("on Windows a name that it cannot hold is refused: %s", (name) => {
    expect(() => parseScriptPath(`./workspace/${name}`, "win32")).toThrow(
      expect.objectContaining({ code: "FILE_OUTSIDE_WORKSPACE" }),
    );
  });

  test("half a character is refused, since two such names would be one file", () => {
    expect(() => parseScriptPath("./workspace/\ud800.txt", "linux")).toThrow(
      expect.objectContaining({ code: "ARGUMENTS_INVALID" }),
    );
  });

  test.each([
    ["notes.txt", "./workspace/notes.txt"],
    ["./out/notes.txt", "./workspace/out/notes.txt"],
    ["Workspace/notes.txt", "./workspace/notes.txt"],
  ])("the hint for %s names the path that was meant", (path, want) => {
    expect(() => parseScriptPath(path, "linux")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(JSON.stringify(want)) }),
    );
  });
});
