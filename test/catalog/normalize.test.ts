import { expect, test } from "vitest";
import { listingKeys } from "../../src/catalog/listing-keys.ts";
import { normalizeTools } from "../../src/catalog/normalize.ts";
import { type Json, parseJson } from "../../src/kernel/json.ts";
import type { ServerName } from "../../src/model/names.ts";

const evil = "evil" as ServerName;

test("what cannot be a tool is dropped with a problem, and costs no other tool", () => {
  const good = { name: "good", inputSchema: "not a schema", surprise: [1], description: 7 };
  const { tools, problems } = normalizeTools(evil, [
    null,
    1,
    "x",
    [],
    {},
    { name: 3 },
    good,
    { title: "no name" },
  ]);
  expect(tools).toEqual([good]);
  expect(tools[0]).toBe(good);
  expect(problems.map(({ message }) => message)).toEqual([
    "Element 1 of the tool list is not an object; it is left out.",
    "Element 2 of the tool list is not an object; it is left out.",
    "Element 3 of the tool list is not an object; it is left out.",
    "Element 4 of the tool list is not an object; it is left out.",
    "Element 5 of the tool list has no name that is text; it is left out.",
    "Element 6 of the tool list has no name that is text; it is left out.",
    "Element 8 of the tool list has no name that is text; it is left out.",
  ]);
});

test("a definition that is listed again is dropped; another one under the same name is kept, and both are said", () => {
  const { tools, problems } = normalizeTools(evil, [
    { name: "a", title: "1" },
    { name: "b" },
    { title: "1", name: "a" },
    { name: "a", title: "2" },
  ]);
  expect(tools).toEqual([{ name: "a", title: "1" }, { name: "b" }, { name: "a", title: "2" }]);
  expect(problems).toEqual([
    { server: evil, tool: "a", message: "It is listed more than once." },
    {
      server: evil,
      tool: "a",
      message: "The name is listed with different definitions; a call cannot tell them apart.",
    },
  ]);
});

test("the lock tells definitions of one name apart by keys that no tool is really called by", () => {
  const tools = [
    { name: "a", title: "1" },
    { name: "a", title: "2" },
    { name: "a#2" },
    { name: "a", title: "3" },
  ];
  expect([...listingKeys(tools)]).toEqual([
    ["a", tools[0]],
    ["a#3", tools[1]],
    ["a#2", tools[2]],
    ["a#4", tools[3]],
  ]);
});

test("names that are special to JavaScript are names like others, also as keys", () => {
  const listed = ["__proto__", "constructor", "toString", "hasOwnProperty"].map((name) => ({ name }));
  expect(normalizeTools(evil, listed)).toEqual({ tools: listed, problems: [] });
  const inherited = parseJson('{"__proto__":{"name":"ghost"}}');
  expect(normalizeTools(evil, [inherited]).tools).toEqual([]);
});

test("an empty name, a name of spaces and a name of 200 characters are kept: the server will know them", () => {
  const listed = ["", "  ", "x".repeat(200), "a/b c\u001b[2J"].map((name) => ({ name }));
  expect(normalizeTools(evil, listed).tools).toEqual(listed);
});

test("a definition that nests ten thousand levels costs its schema only", () => {
  let deep: Json = {};
  for (let level = 0; level < 10_000; level += 1) deep = { properties: deep };
  const { tools, problems } = normalizeTools(evil, [
    { name: "a", description: "Goes deep.", inputSchema: deep },
    { name: "b" },
  ]);
  expect(tools).toEqual([{ name: "a", description: "Goes deep." }, { name: "b" }]);
  expect(problems).toEqual([
    {
      server: evil,
      tool: "a",
      message: "The definition nests deeper than 200 levels; its schemas are taken as unknown.",
    },
  ]);
});
