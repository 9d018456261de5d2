import { expect, test } from "vitest";
import { decodeIndex, encodeIndex } from "../../src/engine/search/index-file.ts";
import type { SearchedText } from "../../src/search/index-document.ts";
import { findByWords } from "../../src/search/keyword.ts";
import { buildIndex, restoreIndex } from "../../src/search/keyword-index.ts";

function tool(server: string, name: string, description = ""): SearchedText {
  return { server, purpose: "", name, title: "", description, inputSchema: {} };
}

const tools = new Map([
  ["crm__update", tool("crm", "update_contact", "Changes a person's data.")],
  ["crm__remove", tool("crm", "remove_contact", "Takes a person out.")],
  ["mail__send", tool("mail", "send_message", "Sends a letter.")],
  ["cal__add", tool("calendar", "add_event", "Puts a meeting into the calendar.")],
]);

function keysFor(index: ReturnType<typeof buildIndex>, query: string): readonly string[] {
  return findByWords(index, query, 5, () => true).map(({ key }) => key);
}

// M5
test.each([
  ["a synonym", "delete a contact", "crm__remove"],
  ["another word of the field", "schedule an appointment", "cal__add"],
  ["a typing error", "calendr", "cal__add"],
  ["a typing error in a long word", "calenddar event", "cal__add"],
  ["letters that are swapped", "contcat person", "crm__update"],
  ["the beginning of a word", "calen", "cal__add"],
])("%s finds the tool", (_what, query, key) => {
  const found = keysFor(buildIndex(tools), query);
  expect(query.startsWith("contcat") ? found : found.slice(0, 1)).toContain(key);
});

test("a request of two steps brings a tool for each", () => {
  const found = keysFor(buildIndex(tools), "put the meeting into my calendar, then send a message");
  expect(found.slice(0, 2).toSorted()).toEqual(["cal__add", "mail__send"]);
});

test("what may not be found is not found, and takes no place", () => {
  const hits = findByWords(buildIndex(tools), "contact", 1, (key) => key !== "crm__update");
  expect(hits.map(({ key }) => key)).toEqual(["crm__remove"]);
});

test("a definition that is replaced is found by its new words only, and others as before", () => {
  const index = buildIndex(tools);
  index.put("mail__send", tool("mail", "fax_document", "Sends a fax."));
  index.put("new__one", tool("weather", "forecast", "Says how the weather will be."));
  index.remove("crm__remove");
  expect(keysFor(index, "letter")).toEqual([]);
  expect(keysFor(index, "fax")).toEqual(["mail__send"]);
  expect(keysFor(index, "weather forecast")).toEqual(["new__one"]);
  expect(keysFor(index, "person")).toEqual(["crm__update"]);
});

test("an index that was written and read answers as before; one of another stamp, or one that was cut, is not used", () => {
  const index = buildIndex(tools);
  const bytes = encodeIndex("stamp", index.parts());
  const parts = decodeIndex(bytes, "stamp");
  if (parts === undefined) throw new Error("not read");
  for (const query of ["contact", "calendar", "send a letter", "person data"])
    expect(findByWords(restoreIndex(parts), query, 5, () => true)).toEqual(
      findByWords(index, query, 5, () => true),
    );
  expect(decodeIndex(bytes, "other")).toBeUndefined();
  expect(decodeIndex(bytes.subarray(0, bytes.length - 4), "stamp")).toBeUndefined();
  expect(decodeIndex(Buffer.from("{}\n"), "stamp")).toBeUndefined();
});

test("scores never rise down the list", () => {
  const query = "put the meeting into my calendar, then send a message and update the contact";
  const scores = findByWords(buildIndex(tools), query, 5, () => true).map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
});
