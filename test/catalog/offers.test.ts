import { expect, test } from "vitest";
import { buildCatalog, nameCatalog, type ServerDefinitions } from "../../src/catalog/build.ts";
import { createLookup } from "../../src/catalog/lookup.ts";
import { normalizeOffers } from "../../src/catalog/normalize.ts";
import type { Json } from "../../src/kernel/json.ts";
import { EMPTY_LOCK, type Lock } from "../../src/model/lock.ts";
import type { ServerName } from "../../src/model/names.ts";
import { server } from "./definitions.ts";

/** A server `s` with these tools and offers. */
function offering(
  given: {
    tools?: readonly Json[];
    resources?: readonly Json[];
    templates?: readonly Json[];
    prompts?: readonly Json[];
  },
  entry: Parameters<typeof server>[2] = {},
): ServerDefinitions {
  const { tools = [], resources = [], templates = [], prompts = [] } = given;
  return { ...server("s", tools, entry), offers: normalizeOffers({ resources, templates, prompts }) };
}

const locked = (before: Lock, definitions: ServerDefinitions): Lock =>
  nameCatalog([definitions], before).lock;
const built = (definitions: ServerDefinitions, lock: Lock = EMPTY_LOCK) =>
  buildCatalog([definitions], lock).servers[0];

const note = { uri: "note://1", name: "note" };

test("resources and prompts are called by wire names that no tool has, whichever came first", () => {
  const first = offering({ resources: [note], prompts: [{ name: "sum-up" }] });
  const lock = locked(EMPTY_LOCK, first);
  const wires = (definitions: ServerDefinitions, before: Lock) => {
    const found = built(definitions, before);
    return [
      found?.resources?.read.wire,
      found?.prompts[0]?.wire,
      ...(found?.tools.map((tool) => tool.wire) ?? []),
    ];
  };
  expect(wires(first, lock)).toEqual(["s__read_resource", "s__prompt_sum_up"]);
  const grown = offering({ ...first.offers, tools: ["read_resource", "prompt_sum-up"] } as any);
  expect(wires(grown, locked(lock, grown))).toEqual([
    "s__read_resource",
    "s__prompt_sum_up",
    "s__prompt_sum_up_2",
    "s__read_resource_2",
  ]);
  expect(wires(grown, locked(EMPTY_LOCK, grown))).toEqual([
    "s__read_resource_2",
    "s__prompt_sum_up_2",
    "s__prompt_sum_up",
    "s__read_resource",
  ]);
});

test("a name stays with its prompt while it is gone, and a rename of the config gives a new one", () => {
  const both = offering({ prompts: [{ name: "a" }, { name: "A" }] });
  const lock = locked(EMPTY_LOCK, both);
  const names = (definitions: ServerDefinitions, before: Lock) =>
    built(definitions, before)?.prompts.map((prompt) => [prompt.raw, prompt.export]);
  expect(names(both, lock)).toEqual([
    ["A", "a"],
    ["a", "a_2"],
  ]);
  const one = offering({ prompts: [{ name: "a" }] });
  const later = locked(lock, one);
  expect(names(one, later)).toEqual([["a", "a_2"]]);
  expect(names(both, locked(later, both))).toEqual(names(both, lock));
  const renamed = offering({ prompts: [{ name: "a" }] }, { rename: { a: "brief" } });
  expect(names(renamed, locked(later, renamed))).toEqual([["a", "brief"]]);
});

test("what the config denies is not there, and a denied resource is not readable by its URI either", () => {
  const secret = { uri: "note://secret", name: "secret" };
  const definitions = offering(
    {
      resources: [note, secret],
      templates: [
        { uriTemplate: "user://{id}/mail", name: "mail" },
        { uriTemplate: "log://{day}", name: "log" },
      ],
      prompts: [{ name: "spy" }, { name: "help" }],
    },
    { deny: ["secret", "mail", "spy", "raw://blocked"] },
  );
  const found = built(definitions);
  expect(found?.resources?.listed).toEqual([note]);
  expect(found?.resources?.templates.map(({ export: name }) => name)).toEqual(["log"]);
  expect(found?.prompts.map((prompt) => prompt.raw)).toEqual(["help"]);
  const { isReadable } = createLookup(buildCatalog([definitions], EMPTY_LOCK));
  const readable = (uri: string): boolean => isReadable("s" as ServerName, uri);
  for (const uri of ["note://1", "log://monday", "raw://other"]) expect(readable(uri), uri).toBe(true);
  for (const uri of ["note://secret", "user://7/mail", "raw://blocked"])
    expect(readable(uri), uri).toBe(false);
});

test("odd elements are left out, and what changes with the content does not change the tree", () => {
  const { resources, prompts } = normalizeOffers({
    resources: [
      null,
      "x",
      { uri: 7, name: "x" },
      { uri: "no name" },
      {
        ...note,
        size: 1,
        annotations: { lastModified: "now" },
        icons: [],
        _meta: {},
        mimeType: "text/plain",
      },
      { ...note, name: "again" },
    ],
    templates: [],
    prompts: [{ name: "p" }, { title: "no name" }],
  });
  expect(resources).toEqual([{ ...note, mimeType: "text/plain" }]);
  expect(prompts).toEqual([{ name: "p" }]);
});

test("a prompt takes texts, those it requires and no others", () => {
  const prompt = {
    name: "p",
    arguments: [{ name: "a", required: true, description: "An A." }, { name: "b" }, { odd: true }, null],
  };
  expect(built(offering({ prompts: [prompt] }))?.prompts[0]).toMatchObject({
    method: "prompts/get",
    risk: "read",
    inputSchema: {
      properties: { a: { type: "string", description: "An A." }, b: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    },
  });
});

test("a disabled server has none", () => {
  const definitions = offering({ resources: [note], prompts: [{ name: "p" }] }, { isEnabled: false });
  const lock = locked(EMPTY_LOCK, offering({ resources: [note], prompts: [{ name: "p" }] }));
  expect(built(definitions, lock)).toMatchObject({ resources: undefined, prompts: [] });
});
