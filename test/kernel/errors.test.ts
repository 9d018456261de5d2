import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exitCodeOf, toMcpfsError } from "../../src/kernel/errors.ts";
import { readIfExists, writeAtomic } from "../../src/kernel/fsx.ts";

async function thrownBy(work: () => Promise<unknown>): Promise<unknown> {
  return await work().then(
    () => expect.fail("nothing was thrown"),
    (error: unknown) => error,
  );
}

describe("what the system says of a file is no fault of mcpfs", () => {
  test.each<[string, (folder: string) => Promise<unknown>, RegExp]>([
    ["a folder where a file should be", (folder) => readIfExists(folder), /a folder stands where a file/],
    [
      "a file where a folder should be",
      async (folder) => {
        await writeFile(join(folder, "file"), "");
        await writeAtomic(join(folder, "file", "folder", "x.json"), "{}");
      },
      /a file stands where a folder/,
    ],
    [
      "something else in its place",
      async (folder) => {
        await writeFile(join(folder, "file"), "");
        await mkdir(join(folder, "file"));
      },
      /something else stands there/,
    ],
    ["a path that is too long", (folder) => readFile(join(folder, "x".repeat(300))), /the path is too long/],
  ])("%s", async (_what, work, sentence) => {
    const folder = await mkdtemp(join(tmpdir(), "mcpfs-errors-"));
    try {
      const error = toMcpfsError(await thrownBy(() => work(folder)));
      expect(error.code).toBe("DISK_FAILED");
      expect(error.message).toMatch(sentence);
      expect(error.message).toContain(folder);
      expect(error.hint).not.toBe("");
      expect(exitCodeOf(error)).toBe(3);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.each(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EMFILE", "EIO"])(
    "%s has a sentence and a hint",
    (code) => {
      const error = toMcpfsError(Object.assign(new Error(code), { code, path: "/w/x" }));
      expect(error).toMatchObject({ code: "DISK_FAILED", message: expect.stringMatching(/^\/w\/x .*\.$/) });
      expect(error.hint).toMatch(/\.$/);
    },
  );

  test("anything else that nobody expected is", () => {
    expect(toMcpfsError(new TypeError("x is not a function")).code).toBe("INTERNAL");
    expect(toMcpfsError("text").code).toBe("INTERNAL");
  });
});
