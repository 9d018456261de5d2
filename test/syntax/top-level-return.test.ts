import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { originalPlace } from "../../src/syntax/line-shift.ts";
import { linesOf, offsetOf, placeOf } from "../../src/syntax/text-edits.ts";
import { type RewrittenScript, rewriteTopLevelReturn } from "../../src/syntax/top-level-return.ts";

function rewritten(text: string): RewrittenScript {
  const found = rewriteTopLevelReturn(text);
  if (found.kind !== "rewritten") throw new Error(`${found.kind}: ${text}`);
  return found.script;
}

describe("only a return outside of functions is one", () => {
  const cases: readonly [text: string, kind: string][] = [
    ["return 1;", "rewritten"],
    ["if (a) { for (;;) return; }", "rewritten"],
    ["label: { return 1; }", "rewritten"],
    ["const f = () => { return 1; };", "none"],
    ["function f() { return 1; }", "none"],
    ["class A { get x() { return 1; } static { } #p() { return 2; } }", "none"],
    ["const o = { m() { return 1; } };", "none"],
    ["// return 1\nconst a = 'return';", "none"],
    ["export const a = 1; return a;", "with-export"],
    ["export type A = 1; return 1;", "with-export"],
    ["return 1; const a = ;;; (", "none"],
  ];
  it.each(cases)("%s", (text, kind) => expect(rewriteTopLevelReturn(text).kind).toBe(kind));
});

describe("rewriting keeps every character at its line", () => {
  const line = fc.constantFrom(
    'import a1 from "./a";',
    'import {\n  b1, // one\n  b2 as b3,\n} from "./b"',
    'import type { T } from "./t"; /* é */ const x = 1;',
    ["const y = `a\n  $", "{1}\n`;"].join(""),
    "const z = 1; // 😀",
    "",
    "  // only a comment",
  );
  const script = fc
    .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom("\n", "\r\n"))
    .map(([lines, end]) =>
      [
        ...lines.map((text, index) => text.replace(/\b([a-z])(\d?)\b(?= [=f,}]|,|;)/g, `$1$2_${index}`)),
        "return 1;",
      ]
        .join("\n")
        .replaceAll("\n", end),
    );

  it("behind line 1, and its column on line 1 behind what was added", () => {
    fc.assert(
      fc.property(script, (text) => {
        const { text: built, shift } = rewritten(text);
        const lines = linesOf(built);
        linesOf(text).forEach((original, index) => {
          const after = index === 0 ? (lines[0] ?? "").slice(shift.prefixLength) : lines[index];
          expect(after?.length).toBe(original.length);
        });
      }),
    );
  });

  it("and the place of each character that was kept or moved leads back to the same character", () => {
    fc.assert(
      fc.property(script, (text) => {
        const { text: built, shift } = rewritten(text);
        for (let offset = 0; offset < built.length; offset += 1) {
          const place = originalPlace(shift, placeOf(built, offset));
          const character = built.charAt(offset);
          if (place === undefined || /\s/.test(character)) continue;
          expect(text.charAt(offsetOf(text, place))).toBe(character);
        }
      }),
    );
  });

  it("what was added has no place", () => {
    const { text, shift } = rewritten('import a from "./a";\nreturn a;');
    const prefix = text.indexOf("export default");
    expect(originalPlace(shift, { line: 1, column: prefix + 1 })).toBeUndefined();
    expect(originalPlace(shift, { line: 3, column: 1 })).toBeUndefined();
    expect(originalPlace(shift, { line: 1, column: 8 })).toEqual({ line: 1, column: 8 });
  });
});
