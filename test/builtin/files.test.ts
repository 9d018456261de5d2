import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createWorkbench } from "./workbench.ts";

const PATH = "./workspace/a.txt";

// M23
describe("what was written is read back", () => {
  test("any text; half characters become U+FFFD, as in Node.js", async () => {
    await using bench = await createWorkbench();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
        expect(await bench.call("write_file", { path: PATH, text })).toBeNull();
        expect(await bench.call("read_file", { path: PATH })).toBe(text.replace(/\p{Surrogate}/gu, "\ufffd"));
      }),
      { numRuns: 60, examples: [[""], ["\ufeffbom"], ["a\0b"], ["\r\n"], ["𝛼é"], ["\ud83d"]] },
    );
  });

  test("any bytes", async () => {
    await using bench = await createWorkbench();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (bytes) => {
        const base64 = Buffer.from(bytes).toString("base64");
        await bench.call("write_file", { path: PATH, base64 });
        expect(await bench.call("read_file", { path: PATH, encoding: "base64" })).toBe(base64);
        expect(Buffer.compare(await readFile(join(bench.files, "a.txt")), Buffer.from(bytes))).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test("appended pieces stand in order after what was there", async () => {
    await using bench = await createWorkbench();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "grapheme" }), { maxLength: 5 }), async (pieces) => {
        await bench.call("write_file", { path: PATH, text: "start" });
        for (const text of pieces) await bench.call("write_file", { path: PATH, text, append: true });
        expect(await bench.call("read_file", { path: PATH })).toBe(`start${pieces.join("")}`);
      }),
      { numRuns: 20 },
    );
  });

  test("in a later run", async () => {
    await using bench = await createWorkbench();
    await bench.call("write_file", { path: "workspace/leads.csv", text: "id,email\n" });
    const later = bench.again();
    const read = later.call(
      "read_file",
      { path: PATH.replace("a.txt", "leads.csv") },
      new AbortController().signal,
    );
    expect(await read).toBe("id,email\n");
  });
});

test("a reader never sees half of a write", async () => {
  await using bench = await createWorkbench();
  const texts = ["a".repeat(400_000), "b".repeat(300_000)];
  await bench.call("write_file", { path: PATH, text: texts[0] });
  const writes = Array.from({ length: 40 }, (_, index) =>
    bench.call("write_file", { path: PATH, text: texts[index % 2] }),
  );
  const reads = Array.from({ length: 40 }, () => bench.call("read_file", { path: PATH }));
  for (const read of await Promise.all(reads)) expect(texts).toContain(read);
  await Promise.all(writes);
  expect(await bench.call("list_files", { path: "./workspace" })).toEqual([{ name: "a.txt", kind: "file" }]);
  expect(await readdir(bench.files)).toEqual(["a.txt"]);
});

test("folders are made, listed in order, looked at, moved and removed", async () => {
  await using bench = await createWorkbench();
  await bench.call("make_folder", { path: "./workspace/out/deep", recursive: true });
  await bench.call("make_folder", { path: "./workspace/out/deep", recursive: true });
  for (const name of ["b.txt", "B.txt", "a.txt", "é.txt", "10", "9"])
    await bench.call("write_file", { path: `./workspace/out/${name}`, text: "12345" });
  expect(await bench.call("list_files", { path: "./workspace/out" })).toEqual(
    ["10", "9", "B.txt", "a.txt", "b.txt", "deep", "é.txt"].map((name) => ({
      name,
      kind: name === "deep" ? "folder" : "file",
    })),
  );
  const seen = await bench.call("stat_file", { path: "./workspace/out/a.txt" });
  const { mtimeMs } = await stat(join(bench.files, "out", "a.txt"));
  expect(seen).toEqual({ kind: "file", size: 5, modifiedMs: Math.trunc(mtimeMs) });
  await bench.call("rename_file", { from: "./workspace/out/a.txt", to: "./workspace/out/b.txt" });
  await bench.call("rename_file", { from: "./workspace/out", to: "./workspace/kept" });
  await bench.call("remove_file", { path: "./workspace/kept/9" });
  await bench.call("remove_file", { path: "./workspace/kept/9", force: true });
  await bench.call("remove_file", { path: "./workspace/kept", recursive: true });
  expect(await readdir(bench.files)).toEqual([]);
});

test("a file keeps its permissions when it is replaced", async () => {
  await using bench = await createWorkbench();
  await bench.call("write_file", { path: PATH, text: "x" });
  await chmod(join(bench.files, "a.txt"), 0o640);
  await bench.call("write_file", { path: PATH, text: "y" });
  expect((await stat(join(bench.files, "a.txt"))).mode & 0o777).toBe(0o640);
});

describe("a failed operation says what is wrong and what to do", () => {
  const cases: readonly (readonly [string, string, Record<string, string | boolean>, string, string])[] = [
    [
      "a missing file",
      "read_file",
      { path: "./workspace/pending-order.csv" },
      "There is no file ./workspace/pending-order.csv.",
      "pending-orders.csv",
    ],
    [
      "a missing file that resembles none",
      "read_file",
      { path: "./workspace/zzz" },
      "There is no file ./workspace/zzz.",
      "pending-orders.csv",
    ],
    [
      "a missing file in an empty folder",
      "stat_file",
      { path: "./workspace/empty/x" },
      "There is no file ./workspace/empty/x.",
      "./workspace/empty is empty",
    ],
    [
      "a missing folder to write to",
      "write_file",
      { path: "./workspace/out/x.csv", text: "" },
      "There is no folder ./workspace/out.",
      'fs.mkdir("./workspace/out"',
    ],
    [
      "a missing folder to append to",
      "write_file",
      { path: "./workspace/out/x.csv", text: "", append: true },
      "There is no folder ./workspace/out.",
      "fs.mkdir",
    ],
    [
      "a missing folder above a new one",
      "make_folder",
      { path: "./workspace/x/y" },
      "There is no folder ./workspace/x.",
      "recursive: true",
    ],
    [
      "a folder that exists",
      "make_folder",
      { path: "./workspace/empty" },
      "./workspace/empty exists already.",
      "recursive",
    ],
    [
      "reading a folder",
      "read_file",
      { path: "./workspace/empty" },
      "./workspace/empty is a folder.",
      "fs.readdir",
    ],
    [
      "writing a folder",
      "write_file",
      { path: "./workspace/empty", text: "" },
      "./workspace/empty is a folder.",
      "fs.readdir",
    ],
    [
      "appending to a folder",
      "write_file",
      { path: "./workspace/empty", text: "", append: true },
      "./workspace/empty is a folder.",
      "fs.readdir",
    ],
    [
      "listing a file",
      "list_files",
      { path: "./workspace/bytes.bin" },
      "./workspace/bytes.bin is not a folder, or a part of it is a file.",
      "fs.stat",
    ],
    [
      "a file as a folder",
      "read_file",
      { path: "./workspace/bytes.bin/x" },
      "./workspace/bytes.bin/x is not a folder, or a part of it is a file.",
      "fs.stat",
    ],
    [
      "removing a folder",
      "remove_file",
      { path: "./workspace/full" },
      "./workspace/full is a folder.",
      "recursive: true",
    ],
    [
      "removing what is missing",
      "remove_file",
      { path: "./workspace/nothing" },
      "There is no file ./workspace/nothing.",
      "In ./workspace",
    ],
    [
      "moving what is missing",
      "rename_file",
      { from: "./workspace/byte.bin", to: "./workspace/y" },
      "There is no file ./workspace/byte.bin.",
      "bytes.bin",
    ],
    [
      "moving to a missing folder",
      "rename_file",
      { from: "./workspace/bytes.bin", to: "./workspace/nowhere/y" },
      "There is no folder ./workspace/nowhere.",
      "fs.mkdir",
    ],
    [
      "moving a folder into itself",
      "rename_file",
      { from: "./workspace/full", to: "./workspace/full/x" },
      "./workspace/full/x cannot be moved into itself.",
      "old one",
    ],
    [
      "bytes read as text",
      "read_file",
      { path: "./workspace/bytes.bin" },
      '"./workspace/bytes.bin" is not text in UTF-8.',
      "base64",
    ],
    [
      "a pipe",
      "read_file",
      { path: "./workspace/pipe" },
      "./workspace/pipe is neither a file nor a folder.",
      "Name a file",
    ],
    [
      "a name beyond 255 bytes",
      "write_file",
      { path: `./workspace/${"n".repeat(300)}`, text: "" },
      "has a name that is too long",
      "255",
    ],
  ];

  test.each(cases)("%s", async (_name, tool, args, sentence, hint) => {
    await using bench = await createWorkbench();
    await mkdir(join(bench.files, "empty"), { recursive: true });
    await mkdir(join(bench.files, "full"));
    await writeFile(join(bench.files, "full", "x.txt"), "x");
    await writeFile(join(bench.files, "pending-orders.csv"), "x");
    await writeFile(join(bench.files, "bytes.bin"), Buffer.from([0xff, 0xfe, 0x80]));
    execFileSync("mkfifo", [join(bench.files, "pipe")]);
    const error = await bench.fault(tool, args);
    expect(error.code).toBe("FILE_FAILED");
    expect(error.message).toContain(sentence);
    expect(error.hint).toContain(hint);
  });
});

describe("limits", () => {
  test("a file larger than the limit is neither read nor written nor grown", async () => {
    await using bench = await createWorkbench({ maxFileBytes: 1_000 });
    await bench.call("write_file", { path: PATH, text: "x".repeat(1_000) });
    for (const args of [{ text: "x".repeat(1_001) }, { text: "x", append: true }]) {
      const error = await bench.fault("write_file", { path: PATH, ...args });
      expect(error).toMatchObject({ code: "FILE_FAILED", message: expect.stringContaining("at most") });
    }
    expect(await bench.call("read_file", { path: PATH })).toHaveLength(1_000);
    await truncate(join(bench.files, "a.txt"), 1_001);
    expect((await bench.fault("read_file", { path: PATH })).message).toContain("at most");
  });

  test("one run writes only so much in total", async () => {
    await using bench = await createWorkbench({ maxWrittenBytes: 1_000 });
    await bench.call("write_file", { path: PATH, text: "x".repeat(600) });
    const error = await bench.fault("write_file", { path: PATH, text: "x".repeat(600) });
    expect(error).toMatchObject({ code: "FILE_FAILED", hint: expect.stringContaining("another run") });
  });

  test("a folder with too many entries is not listed", async () => {
    await using bench = await createWorkbench({ maxEntries: 3 });
    for (const name of ["a", "b", "c", "d"])
      await bench.call("write_file", { path: `./workspace/${name}`, text: "" });
    expect((await bench.fault("list_files", { path: "./workspace" })).message).toContain("holds 4 entries");
  });
});
