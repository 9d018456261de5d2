import { expect, test } from "vitest";
import { readAnswer } from "../../src/extract/read-answer.ts";

// M25
test.each<[string, string, unknown]>([
  ["the whole text", ' {"a": 1}\n', { a: 1 }],
  ["a text, a number, null", '"x"', "x"],
  ["a number", "12", 12],
  ["null", "null", null],
  ["a long integer", "[12345678901234567890]", [12345678901234567890n]],
  ["a code fence", 'Here it is:\n```json\n{"a": [1]}\n```\nThat is all.', { a: [1] }],
  ["words around it", 'Sure! {"a": 1} as you wished.', { a: 1 }],
  ["what stands behind thoughts", '<think>{"a": 0}? No.</think>\n{"a": 1}', { a: 1 }],
  ["thoughts without a beginning", 'maybe {"a": 0}\n</think>{"a": 1}', { a: 1 }],
  ["nothing in words", "I cannot do that.", undefined],
  ["nothing in an empty text", "", undefined],
  ["nothing in two values", '{"a": 1} {"a": 2}', undefined],
  ["nothing that was cut off", '{"a": [1, 2', undefined],
  ["nothing that nests for ever", `${"[".repeat(200)}${"]".repeat(200)}`, undefined],
])("an answer's value is %s", (_what, text, value) => {
  expect(readAnswer(text)).toEqual(value);
});
