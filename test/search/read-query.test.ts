import { expect, test } from "vitest";
import { readQuery } from "../../src/search/read-query.ts";
import { takeTurns } from "../../src/search/take-turns.ts";
import { stemOf, wordsOf } from "../../src/search/words.ts";

// M5
test.each([
  ["getContactById", ["get", "contact", "by", "id"]],
  ["get_contact-by.id", ["get", "contact", "by", "id"]],
  ["HTTPServer2", ["http", "server", "2"]],
  ["Größe_ändern", ["größe", "ändern"]],
  ["技能検索", ["技能", "能検", "検索"]],
  ["PDF文件読み込み", ["pdf", "文件", "件読", "読み", "み込", "込み"]],
])("%s is cut into words", (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test.each([
  ["contacts", "contact"],
  ["queries", "query"],
  ["listing", "list"],
  ["generation", "generate"],
  ["created", "create"],
  ["searches", "search"],
])("%s and %s have one stem", (a, b) => {
  expect(stemOf(a)).toBe(stemOf(b));
});

test.each(["news", "status", "class", "string", "speed", "日本"])("%s stays as it is", (word) => {
  expect(stemOf(word)).toBe(word.replace(/e$/, ""));
});

test("a request of several steps is cut into them; one wish is not", () => {
  expect(readQuery("find the transcript and add it to the lead").steps).toEqual([
    "find the transcript",
    "add it to the lead",
  ]);
  expect(readQuery("update a sales record").steps).toEqual([]);
});

test("a path says which kind of file is meant, and its folders say nothing", () => {
  const { text } = readQuery("read /home/git/slack/budget.xlsx");
  expect(text).toContain("spreadsheet");
  expect(text).not.toMatch(/git|slack/);
});

test("a URL says its site", () => {
  expect(readQuery("key points of https://www.youtube.com/watch?v=abc").text).toContain("youtube url");
  expect(readQuery("open https://user:pw@[broken").text).toBeTypeOf("string");
});

test.each([
  [
    "a table saved as notes/out.md needs to be written",
    "summarize it and save it to /tmp/notes/out.md",
    "write file",
  ],
  ["a relative day needs the date", "trains for next Monday", "current date"],
  ["a URL may need to be fetched", "summarize https://example.org/a", "fetch url"],
])("%s", (_what, query, step) => {
  expect(readQuery(query).implied.join()).toContain(step);
});

test("a megabyte of base64 or of slashes is read in a moment", () => {
  const start = performance.now();
  for (const text of ["A".repeat(1e6), "/a".repeat(5e5), `save ${"x ".repeat(5e5)}`, "a.".repeat(5e5)])
    readQuery(text);
  expect(performance.now() - start).toBeLessThan(500);
});

test("each step has a turn before the whole has its second", () => {
  const ranking = (...documents: number[]): Parameters<typeof takeTurns>[0] => ({
    documents,
    scoreOf: (document) => (documents.includes(document) ? 10 - documents.indexOf(document) : 0),
  });
  const steps = [ranking(4, 5), ranking(6, 1)];
  expect(takeTurns(ranking(1, 2, 3), { steps, implied: [ranking(9, 8)] }, 5)).toEqual([1, 9, 4, 6, 2]);
});
