import { mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileStates } from "../../src/engine/sync/file-states.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "mcpfs-states-"));
  await writeFile(join(root, "a.ts"), "one");
  await writeFile(join(root, "b.ts"), "two");
  await utimes(join(root, "a.ts"), new Date(5_000), new Date(5_000));
});
afterEach(async () => await rm(root, { recursive: true, force: true }));

/** Longer than a file counts as touched just now. */
const SETTLED_MS = 150;

test("what nobody touches keeps its digest; what was touched just now has none", async () => {
  expect(fileStates(root, ["a.ts", "b.ts"])).toBeUndefined();
  await pause(SETTLED_MS);
  const before = fileStates(root, ["a.ts", "b.ts"]);
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  expect(fileStates(root, ["a.ts", "b.ts"])).toBe(before);
  expect(fileStates(root, ["a.ts"])).not.toBe(before);
});

test("an edit is seen, also one that keeps size and time, a replaced file, a missing one, a link", async () => {
  await pause(SETTLED_MS);
  const before = fileStates(root, ["a.ts", "b.ts"]);
  const seen = async (edit: () => Promise<unknown>): Promise<void> => {
    await edit();
    await pause(SETTLED_MS);
    expect(fileStates(root, ["a.ts", "b.ts"])).not.toBe(before);
  };
  await seen(async () => {
    await writeFile(join(root, "a.ts"), "ONE");
    await utimes(join(root, "a.ts"), new Date(5_000), new Date(5_000));
  });
  await seen(async () => {
    await writeFile(join(root, "other"), "one");
    await utimes(join(root, "other"), new Date(5_000), new Date(5_000));
    await rename(join(root, "other"), join(root, "a.ts"));
  });
  await rm(join(root, "a.ts"));
  expect(fileStates(root, ["a.ts", "b.ts"])).toBeUndefined();
  await symlink("b.ts", join(root, "a.ts"));
  await pause(SETTLED_MS);
  expect(fileStates(root, ["a.ts", "b.ts"])).toBeUndefined();
});
