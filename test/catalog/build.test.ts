import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildCatalog, nameCatalog } from "../../src/catalog/build.ts";
import { diffDefinitions } from "../../src/catalog/diff.ts";
import { digestJson } from "../../src/kernel/digest.ts";
import { EMPTY_LOCK } from "../../src/model/lock.ts";
import type { ListingKey, ServerName } from "../../src/model/names.ts";
import type { RawTool } from "../../src/model/tool.ts";
import { server } from "./definitions.ts";

test("a tool of the catalog carries its names, its texts, its schemas and its definition as received", () => {
  const definition = {
    name: "get_contact",
    description: "Gets a contact.",
    inputSchema: { type: "object" },
    outputSchema: { type: "object", properties: {} },
    annotations: { title: "Get contact", readOnlyHint: true },
  };
  const catalog = buildCatalog([server("crm-eu", [definition], { purpose: "Customers" })], EMPTY_LOCK);
  expect(catalog.servers).toHaveLength(1);
  expect(catalog.servers[0]).toMatchObject({
    name: "crm-eu",
    folder: "crm-eu",
    purpose: "Customers",
    retired: [],
  });
  expect(catalog.servers[0]?.tools[0]).toEqual({
    method: "tools/call",
    server: "crm-eu",
    folder: "crm-eu",
    raw: "get_contact",
    key: "get_contact",
    wire: "crm_eu__get_contact",
    export: "getContact",
    file: "servers/crm-eu/getContact.ts",
    title: "Get contact",
    description: "Gets a contact.",
    inputSchema: definition.inputSchema,
    outputSchema: definition.outputSchema,
    risk: "read",
    hints: { readOnly: true },
    definition,
    digest: digestJson(definition),
  });
});

test.each([
  [undefined, "unstated"],
  [{}, "unstated"],
  [{ title: "T" }, "unstated"],
  ["odd", "unstated"],
  [{ readOnlyHint: "yes" }, "unstated"],
  [{ readOnlyHint: true }, "read"],
  [{ readOnlyHint: true, destructiveHint: false }, "read"],
  [{ destructiveHint: true }, "destructive"],
  [{ readOnlyHint: false, destructiveHint: false }, "write"],
  [{ destructiveHint: false, idempotentHint: true }, "write"],
  [{ readOnlyHint: false }, "destructive"],
  [{ openWorldHint: true }, "destructive"],
  [{ idempotentHint: true }, "destructive"],
])("the risk of a tool with annotations %j is %s", (annotations, risk) => {
  const catalog = buildCatalog([server("s", [{ name: "t", annotations }])], EMPTY_LOCK);
  expect(catalog.servers[0]?.tools[0]?.risk).toBe(risk);
});

test("texts and schemas that are none become empty ones", () => {
  const odd = { name: "t", title: 1, description: ["x"], inputSchema: "string", outputSchema: null };
  const tool = buildCatalog([server("s", [odd])], EMPTY_LOCK).servers[0]?.tools[0];
  expect(tool).toMatchObject({
    title: "",
    description: "",
    inputSchema: {},
    outputSchema: undefined,
    definition: odd,
  });
});

test("servers are sorted by folder and tools by export, whatever order they came in", () => {
  const catalog = buildCatalog([server("b", ["z", "a"]), server("a", [])], EMPTY_LOCK);
  expect(catalog.servers.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(catalog.servers[1]?.tools.map((tool) => tool.export)).toEqual(["a", "z"]);
});

test("what the config denies, what is gone and what is disabled is retired, and the lock keeps its names", () => {
  const before = [server("crm", ["get", "drop"]), server("off", ["x"]), server("old", ["y"])];
  const lock = nameCatalog(before, EMPTY_LOCK).lock;
  const now = [
    server("crm", ["get", "drop"], { deny: ["drop"] }),
    server("off", ["x"], { isEnabled: false }),
  ];
  const named = nameCatalog(now, lock).lock;
  const catalog = buildCatalog(now, named);
  expect(
    catalog.servers.map(({ name, isEnabled, tools, retired }) => [name, isEnabled, tools.length, retired]),
  ).toEqual([
    ["crm", true, 1, [{ key: "drop", wire: "crm__drop", export: "drop" }]],
    ["off", false, 0, [{ key: "x", wire: "off__x", export: "x" }]],
    ["old", false, 0, [{ key: "y", wire: "old__y", export: "y" }]],
  ]);
  const digestOf = (name: string, raw: string): string | undefined =>
    named.servers.get(name as ServerName)?.tools.get(raw as ListingKey)?.digest;
  expect(digestOf("crm", "get")).toBe(digestJson({ name: "get" }));
  expect(digestOf("crm", "drop")).toBeUndefined();
  expect(digestOf("off", "x")).toBe(digestJson({ name: "x" }));
});

test("a rename of the config changes folder names never, wire and export always", () => {
  const catalog = buildCatalog(
    [server("crm", ["get_contact"], { rename: { get_contact: "fetch-person" } })],
    EMPTY_LOCK,
  );
  expect(catalog.servers[0]?.tools[0]).toMatchObject({
    raw: "get_contact",
    wire: "crm__fetch_person",
    export: "fetchPerson",
    file: "servers/crm/fetchPerson.ts",
  });
});

test("the catalog of a workspace without a lock has the names that the lock will have", () => {
  const servers = [server("b", ["x", "X", "x_"]), server("a", ["y"])];
  const lock = nameCatalog(servers, EMPTY_LOCK).lock;
  expect(buildCatalog(servers, EMPTY_LOCK)).toEqual(buildCatalog(servers, lock));
});

test("a difference counts by name and content, not by the order of tools or keys", () => {
  const before: RawTool[] = [{ name: "b", a: { x: 1, y: 2 } }, { name: "gone" }, { name: "c", v: 1 }];
  const after: RawTool[] = [
    { name: "c", v: 2 },
    { name: "new" },
    { a: { y: 2, x: 1 }, name: "b" },
    { name: "__proto__" },
  ];
  expect(diffDefinitions(before, after)).toEqual({
    added: ["__proto__", "new"],
    changed: ["c"],
    changes: [{ tool: "c", path: "v", before: "1", after: "2" }],
    removed: ["gone"],
  });
  expect(diffDefinitions(after, after)).toEqual({ added: [], changed: [], removed: [], changes: [] });
});

const corpus = new URL("../../../shared/corpus/servers/", import.meta.url);
let files: string[] = [];
try {
  files = readdirSync(corpus).filter((file) => file.endsWith(".json"));
} catch {
  console.log("The corpus of captured servers is absent; its test is skipped.");
}

test.skipIf(files.length === 0)(
  "every captured server keeps all its tools, each under names of its own",
  () => {
    const captured = files.map((file) => {
      const { tools } = JSON.parse(readFileSync(new URL(file, corpus), "utf8")) as {
        tools: { name: string }[];
      };
      return { name: file.replace(/\.json$/, ""), tools };
    });
    const catalog = buildCatalog(
      captured.map(({ name, tools }) => server(name, tools as never)),
      EMPTY_LOCK,
    );
    const tools = catalog.servers.flatMap((each) => each.tools);
    // Also the two names that one server lists twice, with different definitions.
    expect(tools).toHaveLength(captured.flatMap((each) => each.tools).length);
    expect(new Set(tools.map((tool) => tool.wire)).size).toBe(tools.length);
    expect(new Set(tools.map((tool) => tool.file.toLowerCase())).size).toBe(tools.length);
  },
);
