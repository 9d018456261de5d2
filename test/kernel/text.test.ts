import { expect, test } from "vitest";
import { firstSentence, hasHiddenText, oneLine, visibleText } from "../../src/kernel/text.ts";

test.each([
  ["clear screen", "a\u001b[2J", "a\\u{1b}[2J"],
  ["title", "\u001b]0;x\u0007", "\\u{1b}]0;x\\u{7}"],
  ["C1 introducer", "\u009b31m", "\\u{9b}31m"],
  ["carriage return", "safe\rgone", "safe\\u{d}gone"],
  ["Windows line end", "a\r\nb\tc", "a\nb\tc"],
  ["right-to-left override", "\u202eevil", "\\u{202e}evil"],
  ["zero-width joiner", "a\u200db", "a\\u{200d}b"],
  ["line separator", "a\u2028b", "a\\u{2028}b"],
  ["byte order mark", "\ufeffa", "\\u{feff}a"],
  ["tag characters", "a\u{e0041}", "a\\u{e0041}"],
  ["variation selectors that smuggle bytes", "a\u{e0100}\ufe01", "a\\u{e0100}\\u{fe01}"],
  ["filler", "a\u3164b", "a\\u{3164}b"],
])("nothing in a server's text can act or hide: %s", (_what, text, want) => {
  expect(visibleText(text)).toBe(want);
  expect(hasHiddenText(text)).toBe(text !== "a\r\nb\tc");
  expect(hasHiddenText(want)).toBe(false);
});

test("letters of any script and emoji stay as they are", () => {
  const text = "Büro 技能 עברית ☎️ 🎮";
  expect(visibleText(text)).toBe(text);
  expect(hasHiddenText(text)).toBe(false);
});

test.each([
  ["Gets a contact. Needs an id.", "Gets a contact."],
  ["Gets contacts, e.g. by name. More.", "Gets contacts, e.g. by name."],
  ["Reads v1.2 files. More.", "Reads v1.2 files."],
  ["連絡先を取得。IDが必要。", "連絡先を取得。"],
  ["No full stop", "No full stop"],
  ["  First\n paragraph\n\nSecond.", "First paragraph"],
  ["", ""],
])("the first sentence of %j is %j", (text, want) => {
  expect(firstSentence(text)).toBe(want);
});

test("one line is one line, and a cut is marked and never halves a character", () => {
  expect(oneLine("a\n\n  b\tc ")).toBe("a b c");
  expect(oneLine("🎮".repeat(10), 5)).toBe(`${"🎮".repeat(4)}…`);
});
