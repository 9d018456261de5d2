import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { linesOf } from "../../src/journal/lines-of.ts";

const MIB = 1024 * 1024;

test.each<[what: string, text: string, want: readonly string[]]>([
  ["no file content", "", []],
  ["a line that was cut off alone", "half", []],
  ["whole lines, and one that was cut off", "one\ntwo\n\nhalf", ["one", "two", ""]],
  [
    "a line longer than what is read at a time",
    `${"x".repeat(3 * MIB)}\nend\n`,
    ["x".repeat(3 * MIB), "end"],
  ],
  [
    "characters of several bytes where one piece ends and the next begins",
    `${"x".repeat(MIB - 1)}é\n${"y".repeat(MIB - 3)}😀\n`,
    [`${"x".repeat(MIB - 1)}é`, `${"y".repeat(MIB - 3)}😀`],
  ],
])("lines are whole: %s", async (_what, text, want) => {
  const folder = mkdtempSync(join(tmpdir(), "mcpfs-lines-"));
  try {
    writeFileSync(join(folder, "file"), text);
    const found: string[] = [];
    for await (const lines of linesOf(join(folder, "file"))) found.push(...lines);
    expect(found).toEqual(want);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
