import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeFiles } from "../cli/run-cli.ts";
import { temporaryFolder } from "../servers/servers.ts";
import { type Connected, makeServed, overStdio, textOf } from "./served.ts";

const folder = temporaryFolder();
let session: Connected;

beforeAll(async () => {
  await makeServed(folder.path, { docs: { builtin: "docs" } }, { mode: "code" });
  writeFiles(folder.path, {
    "workspace/notes.txt": "one\ntwo\nthree\n",
    ".env": "KEY=1",
    "src/own.ts": "export {}",
  });
  mkdirSync(join(folder.path, "workspace/sub"));
  symlinkSync("../mcpfs.json", join(folder.path, "workspace/link.txt"));
  symlinkSync("/etc/hostname", join(folder.path, "workspace/out.txt"));
  symlinkSync("notes.txt", join(folder.path, "workspace/inside.txt"));
  session = await overStdio(folder.path, "modern");
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test.each([
  "mcpfs.json",
  ".env",
  "src/own.ts",
  ".mcpfs/mcpfs.schema.json",
  ".mcpfs/runs",
  "servers/docs/.definitions.json",
  "../outside.txt",
  "/etc/passwd",
  "servers/../mcpfs.json",
  "workspace/link.txt",
  "workspace/out.txt",
  "servers\\docs",
  "a\0b",
])("a client does not see %j", async (path) => {
  const { client } = session;
  expect(await textOf(client, "read_file", { path })).toMatch(/^FILE_OUTSIDE_WORKSPACE/);
  expect(await textOf(client, "list_files", { path })).toMatch(/^FILE_OUTSIDE_WORKSPACE/);
  expect(await textOf(client, "run_script", { path })).toMatch(/^FILE_OUTSIDE_WORKSPACE/);
  const uri = `mcpfs:///${path.split("/").map(encodeURIComponent).join("/")}`;
  await expect(client.readResource({ uri })).rejects.toThrow();
});

test("it sees the tree, the skills and the files of scripts, a part of a file too, and a link that stays inside", async () => {
  const { client } = session;
  expect((await textOf(client, "list_files")).split("\n")).toEqual([
    "AGENTS.md",
    "client.ts",
    "sandbox.d.ts",
    "servers/",
    "skills/",
    "workspace/",
  ]);
  expect(await textOf(client, "list_files", { path: "workspace" })).toContain("sub/");
  expect(await textOf(client, "read_file", { path: "workspace/notes.txt", line: 2, lines: 1 })).toBe("two");
  expect(await textOf(client, "read_file", { path: "./workspace/inside.txt" })).toBe("one\ntwo\nthree\n");
  expect(await textOf(client, "read_file", { path: "workspace/note.txt" })).toMatch(
    /FILE_FAILED.*\nThere is: notes.txt/,
  );
  expect(await textOf(client, "read_file", { path: "workspace" })).toContain("is not a file");
});

test("a script of the workspace is run by its path, with arguments and a time limit", async () => {
  const { client } = session;
  writeFiles(folder.path, {
    "workspace/twice.ts": "export default args.n * 2",
    "workspace/endless.ts": "await new Promise((go) => setTimeout(go, 60_000))",
  });
  expect(await textOf(client, "run_script", { path: "workspace/twice.ts", args: { n: 21 } })).toBe("42");
  expect(await textOf(client, "run_script", { path: "workspace/endless.ts", timeoutMs: 300 })).toContain(
    "LIMIT_WALL",
  );
});
