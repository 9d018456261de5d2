import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOutputCollector, type OutputCollector } from "../../src/engine/run/output.ts";

let folder: string;
let heard: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mcpfs-output-"));
  heard = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function collector(maxBytes: number): OutputCollector {
  return createOutputCollector({
    maxBytes,
    wholePath: join(folder, "run", "output.txt"),
    shownPath: ".mcpfs/runs/x/output.txt",
    reader: "shell",
    redact: (text) => text.replaceAll("secret", "•••"),
    onLine: ({ text }) => heard.push(text),
    onFlood: () => {},
  });
}

const whole = (): string => readFileSync(join(folder, "run", "output.txt"), "utf8");
const print = (output: OutputCollector, texts: readonly string[]): void => {
  for (const text of texts) output.add({ level: "log", text });
};

test("output within the budget is shown as it is, and no file is made", () => {
  const output = collector(12);
  print(output, ["one", "two", "six"]);
  expect(output.lines(0)).toEqual(["one", "two", "six"]);
  expect(output.bytes()).toBe(12);
  expect(existsSync(join(folder, "run"))).toBe(false);
});

describe("output beyond the budget", () => {
  test("is cut at the end of a line; the last line says what was cut, how much, where the whole stands and how to get more", () => {
    const output = collector(10);
    print(output, ["one", "two", "three", "four"]);
    expect(output.lines(0)).toEqual([
      "one",
      "two",
      '… cut here: 2 lines of 4 lines (19 bytes in all) are missing; the whole is in .mcpfs/runs/x/output.txt. Raise it with --max-output 20b, or "limits": {"maxOutput": "20b"} in mcpfs.json.',
    ]);
    expect(whole()).toBe("one\ntwo\nthree\nfour\n");
    expect(heard).toEqual([
      "one",
      "two",
      "… output is cut here by the limit of 10b; the whole will be in .mcpfs/runs/x/output.txt",
    ]);
  });

  test("in one call of console.log keeps the whole lines that fit, counted in UTF-8", () => {
    const output = collector(12);
    print(output, ["zwölf\nelf\nzehn\n"]);
    expect(output.lines(0)[0]).toBe("zwölf\nelf");
    expect(output.lines(0)[1]).toContain("2 lines of 4 lines");
    expect(whole()).toBe("zwölf\nelf\nzehn\n\n");
  });

  test("as one line without end is not shown at all, only named", () => {
    const output = collector(1_000);
    print(output, ["x".repeat(5_000)]);
    expect(output.lines(0)).toHaveLength(1);
    expect(output.lines(0)[0]).toMatch(/^… cut here: 1 line of 1 line \(5,001 bytes in all\) is missing/);
  });

  test("is redacted in the file as well", () => {
    const output = collector(8);
    print(output, ["a secret", "the secret"]);
    expect(whole()).toBe("a •••\nthe •••\n");
  });
});

test("the value takes its part of the same budget, and console lines fall to it", () => {
  const output = collector(12);
  print(output, ["one", "two", "six"]);
  const lines = output.lines(5);
  expect(lines[0]).toBe("one");
  expect(lines[1]).toMatch(/^… cut here: 2 lines of 3 lines/);
  expect(lines).toHaveLength(2);
  expect(whole()).toBe("one\ntwo\nsix\n");
});
