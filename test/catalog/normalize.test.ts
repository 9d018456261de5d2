import { describe, expect, test } from "vitest";
import { acceptListing } from "../../src/catalog/accept.ts";
import { listingKeys } from "../../src/catalog/listing-keys.ts";
import { assignNames } from "../../src/catalog/naming.ts";
import { normalizeTools } from "../../src/catalog/normalize.ts";
import { type Json, parseJson } from "../../src/kernel/json.ts";
import { EMPTY_LOCK } from "../../src/model/lock.ts";
import type { RawToolName, ServerName } from "../../src/model/names.ts";

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

describe("a hostile list of ten thousand elements costs little, and few sentences", () => {
  const many = (make: (index: number) => Json): readonly Json[] =>
    Array.from({ length: 10_000 }, (_, index) => make(index));
  const cases: readonly {
    readonly listed: string;
    readonly list: readonly Json[];
    readonly tools: number;
    readonly problems: number;
  }[] = [
    { listed: "one name and definition", list: many(() => ({ name: "a" })), tools: 1, problems: 1 },
    {
      listed: "one name, each time another definition",
      list: many((index) => ({ name: "a", title: `${index}` })),
      tools: 10,
      problems: 2,
    },
    { listed: "nothing that is a tool", list: many((index) => index), tools: 0, problems: 21 },
    {
      listed: "names that all become one",
      list: many((index) => ({ name: `get${"_".repeat(index % 100)}item${"-".repeat(1 + index / 100)}` })),
      tools: 10_000,
      problems: 0,
    },
  ];
  test.each(cases)("$listed", ({ list, tools: wanted, problems: told }) => {
    const startMs = performance.now();
    const { tools, problems } = normalizeTools(evil, list);
    const { tools: accepted } = acceptListing({ definitions: [], locked: new Map() }, tools, false);
    const named = assignNames(EMPTY_LOCK, [
      {
        name: evil,
        tools: [...listingKeys(accepted)].map(([key, tool]) => ({
          key,
          raw: tool.name as RawToolName,
          renamed: tool.name,
          digest: "0".repeat(64),
        })),
      },
    ]);
    expect({ tools: tools.length, problems: problems.length }).toEqual({ tools: wanted, problems: told });
    const exports = Array.from(named.servers.get(evil)?.tools.values() ?? [], (tool) => tool.export);
    expect(new Set(exports).size).toBe(wanted);
    // Comparing each with each takes a minute.
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });
});
