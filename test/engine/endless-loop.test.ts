import { expect, test } from "vitest";
import { endlessLoopIn } from "../../src/engine/run/endless-loop.ts";

test.each<[string, string, { line: number; column: number } | undefined]>([
  ["while (true)", "let n = 0;\n  while ( true ) n += 1;", { line: 2, column: 3 }],
  ["for (;;)", "for (;;) {}", { line: 1, column: 1 }],
  ["while (1)", "// a\nwhile(1);", { line: 2, column: 1 }],
  ["two of them", "for (;;) break;\nfor (;;) {}", undefined],
  ["a loop that has an end", "while (n < 3) n += 1;", undefined],
])("a script with %s", (_name, text, want) => {
  expect(endlessLoopIn(text)).toEqual(want);
});
