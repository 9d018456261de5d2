import { expect, test } from "vitest";
import { parse, server } from "./parse.ts";

const node = { command: "node" };

test.each([
  [{}, "t", true],
  [{ learn: false }, "t", false],
  [{ learn: true }, "t", true],
  [{ tools: { learn: { t: false } } }, "t", false],
  [{ tools: { learn: { t: false } } }, "u", true],
  [{ tools: { learn: { "get_*": false } } }, "get_a", false],
  [{ tools: { learn: { "get_*": false, get_a: true } } }, "get_a", true],
  [{ tools: { learn: { "get_*": false, "*": true } } }, "get_a", false],
  [{ learn: false, tools: { learn: { t: true } } }, "t", true],
  [{ learn: false, tools: { learn: { t: { enums: ["a"] } } } }, "t", true],
  [{ tools: { learn: {} } }, "constructor", true],
] as const)("%j: may anything be learned of %s? %s", (entry, tool, want) => {
  expect(server({ ...node, ...entry }).outputs.learning(tool).isOn).toBe(want);
});

test("enums names the fields whose texts may be kept", () => {
  const { outputs } = server({ ...node, tools: { learn: { t: { enums: ["status", "rows.kind"] } } } });
  expect([...outputs.learning("t").enums]).toEqual(["status", "rows.kind"]);
  expect([...outputs.learning("u").enums]).toEqual([]);
});

test("output gives a tool's own schema by its raw name, not by a pattern", () => {
  const schema = { type: "object", properties: { a: {} } };
  const { outputs } = server({ ...node, tools: { output: { get_a: schema, "x*": true } } });
  expect(outputs.schemaOf("get_a")).toEqual(schema);
  expect(outputs.schemaOf("xy")).toBeUndefined();
  expect(outputs.schemaOf("toString")).toBeUndefined();
});

test.each([
  [{}, true],
  [{ trustAnnotations: true }, true],
  [{ trustAnnotations: false }, false],
])("%j: are annotations believed? %s", (entry, want) => {
  expect(server({ ...node, ...entry }).areAnnotationsTrusted).toBe(want);
});

test("an unknown key beside them is warned of, with the nearest known one", () => {
  const { warnings } = parse(JSON.stringify({ mcpServers: { x: { ...node, tools: { outputs: {} } } } }));
  expect(warnings.join()).toContain("output");
});
