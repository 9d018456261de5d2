import { expect, test } from "vitest";
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

test("of several tools of one name the first counts, and the others are a problem", () => {
  const { tools, problems } = normalizeTools(evil, [
    { name: "a", title: "1" },
    { name: "b" },
    { name: "a", title: "2" },
  ]);
  expect(tools).toEqual([{ name: "a", title: "1" }, { name: "b" }]);
  expect(problems).toEqual([
    { server: evil, tool: "a", message: 'The tool "a" is listed more than once; the first one counts.' },
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
