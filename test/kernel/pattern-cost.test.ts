import { expect, test } from "vitest";
import { isQuick, patternCost } from "../../src/kernel/pattern-cost.ts";

test.each([
  ["a date and a time, as libraries write it", isoDate(), "2026-11-30".length],
  ["an address", "^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$", 200],
  ["an id", "^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", 36],
  ["one of thirty words", `^(${Array.from({ length: 30 }, (_, at) => `word${at}`).join("|")})$`, 100],
  ["signs that look like others", "^[)|(*+?{}]{3}\\(\\|\\*\\?$", 10_000],
  ["letters of a long text", "^[a-z]+$", 1_000_000],
  ["a brace that is none", "^{a}{$", 10],
])("%s may be tried", (_name, pattern, length) => {
  expect(isQuick(patternCost(pattern), length)).toBe(true);
});

test.each([
  ["a repeat that is repeated", "(a+)+~", 20],
  ["the same with a name, lazy, in a group that looks back", "(?<=(?<x>a*?)*?)~", 20],
  ["a choice that is repeated", "(?:a|a)*~", 20],
  ["an optional part that is repeated", "(?:a?)+~", 20],
  ["repeats side by side on a long text", "a*a*a*~", 2_000],
  ["many optional parts", `${"a?".repeat(30)}~`, 1],
  ["many choices", `${"(|)".repeat(30)}~`, 1],
  ["a choice that is repeated so often", "(a|b){30}~", 1],
  ["counted repeats within each other", "((a{0,9}){9}){9}~", 1],
  ["a group that is not closed", "((a|b){20}", 1],
])("%s may not", (_name, pattern, length) => {
  expect(isQuick(patternCost(pattern), length)).toBe(false);
});

/** Of the form in which schema libraries print ISO dates: leap years, lengths of months. */
function isoDate(): string {
  const leap = "(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29";
  const months =
    "(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])";
  return `^(?:${leap}|\\d{4}-(?:${months}))T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-]\\d\\d:\\d\\d)$`;
}
