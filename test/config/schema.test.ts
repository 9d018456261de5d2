import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { configJsonSchema, configSchemaText, FILE_KEYS, LIMIT_KEYS } from "../../src/config/schema.ts";
import { SERVER_KEYS } from "../../src/config/server-schema.ts";
import { McpfsError } from "../../src/kernel/errors.ts";
import { own } from "../../src/kernel/json.ts";
import { parse } from "./parse.ts";

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(configJsonSchema());

/** What the parser says of a file as JSON: no error, and no entry with a problem. */
function isAccepted(file: unknown): boolean {
  try {
    return parse(JSON.stringify(file)).servers.every(({ problem }) => problem === undefined);
  } catch (error) {
    if (error instanceof McpfsError) return false;
    throw error;
  }
}

const node = { command: "node", args: ["s.mjs"] };
const url = "https://h.example/mcp";

describe("the JSON Schema and the parser agree", () => {
  test.each([
    {},
    { mcpServers: {} },
    { $schema: "./.mcpfs/mcpfs.schema.json", mcpServers: { x: node } },
    { mcpServers: { x: { command: "npx", args: ["-y", 1, true], env: { A: "b", PORT: 1, ON: true } } } },
    { mcpServers: { x: { type: "local", command: ["node", "s.mjs"], environment: { K: "v" } } } },
    {
      mcpServers: {
        x: { url, headers: { A: "b" } },
        y: { url, type: "sse" },
        z: { url, transport: "streamable-http" },
      },
    },
    { mcpServers: { x: { builtin: "docs" }, y: { builtin: "crm", enabled: false } } },
    {
      mcpServers: {
        x: { ...node, cwd: "./sub", timeoutMs: 5, protocol: "legacy", purpose: "p", description: "d" },
      },
    },
    { mcpServers: { x: { ...node, tools: { allow: ["a*"], deny: [], rename: { a: "b" } } } } },
    { mcpServers: { x: { ...node, tools: { rename: [{ pattern: "a*", to: "*" }] } } } },
    { mcpServers: { x: { ...node, learn: false, trustAnnotations: false } } },
    {
      mcpServers: { x: { ...node, tools: { learn: { a: false, "b*": { enums: ["rows.kind"] }, c: true } } } },
    },
    { mcpServers: { x: { ...node, tools: { output: { a: { type: "object" }, b: true } } } } },
    { mcpServers: { x: { ...node, alwaysAllow: [], disabled: true, unheardOf: 1 } }, unheardOf: 1 },
    { mcpServers: { x: { ...node, type: "stdio", url } } },
    { servers: { x: node }, inputs: [{ id: "a", type: "promptString" }] },
    { limits: { timeout: "60s", cpu: 5, memory: "256mb", maxCalls: 0, maxCallsAtOnce: 1, maxOutput: "1kb" } },
    { limits: { timeout: "none", maxArguments: "1.5mb", maxResult: 10, maxBundle: "10b" } },
    { policy: {}, privacy: { mode: "mask" }, search: {}, sandbox: {}, models: {} },
  ])("both accept %j", (file) => {
    expect([isAccepted(file), validate(file)]).toEqual([true, true]);
  });

  test.each([
    [[]],
    ["text"],
    [null],
    [{ mcpServers: [] }],
    [{ mcpServers: null }],
    [{ servers: "x" }],
    [{ inputs: {} }],
    [{ $schema: 1 }],
    [{ limits: [] }],
    [{ limits: { timeout: "60" } }],
    [{ limits: { timeout: 0 } }],
    [{ limits: { timeout: "0s" } }],
    [{ limits: { memory: "0.0mb" } }],
    [{ limits: { timeout: true } }],
    [{ limits: { memory: "none" } }],
    [{ limits: { maxCalls: 1.5 } }],
    [{ limits: { maxCallsAtOnce: 0 } }],
    [{ mcpServers: { mcpfs: node } }],
    [{ mcpServers: { McpFS: node } }],
    [{ mcpServers: { "": node } }],
    [{ mcpServers: { x: null } }],
    [{ mcpServers: { x: {} } }],
    [{ mcpServers: { x: { command: 1 } } }],
    [{ mcpServers: { x: { command: [] } } }],
    [{ mcpServers: { x: { command: ["node", null] } } }],
    [{ mcpServers: { x: { command: "node", args: "s" } } }],
    [{ mcpServers: { x: { command: "node", args: [{}] } } }],
    [{ mcpServers: { x: { command: "node", env: { A: null } } } }],
    [{ mcpServers: { x: { command: "node", env: [] } } }],
    [{ mcpServers: { x: { command: "node", type: "http" } } }],
    [{ mcpServers: { x: { command: "node", url } } }],
    [{ mcpServers: { x: { command: "node", builtin: "docs" } } }],
    [{ mcpServers: { x: { builtin: "mail" } } }],
    [{ mcpServers: { x: { url, type: "stdio" } } }],
    [{ mcpServers: { x: { url, type: "ws" } } }],
    [{ mcpServers: { x: { url, headers: { A: null } } } }],
    [{ mcpServers: { x: { ...node, enabled: "yes" } } }],
    [{ mcpServers: { x: { ...node, timeoutMs: 0 } } }],
    [{ mcpServers: { x: { ...node, timeoutMs: 1.5 } } }],
    [{ mcpServers: { x: { ...node, timeoutMs: 2 ** 31 } } }],
    [{ mcpServers: { x: { ...node, protocol: "new" } } }],
    [{ mcpServers: { x: { ...node, tools: [] } } }],
    [{ mcpServers: { x: { ...node, tools: { allow: "a" } } } }],
    [{ mcpServers: { x: { ...node, tools: { deny: [1] } } } }],
    [{ mcpServers: { x: { ...node, tools: { rename: [{ pattern: "a" }] } } } }],
    [{ mcpServers: { x: { ...node, tools: { rename: { a: 1 } } } } }],
    [{ mcpServers: { x: { ...node, learn: "no" } } }],
    [{ mcpServers: { x: { ...node, trustAnnotations: 0 } } }],
    [{ mcpServers: { x: { ...node, tools: { learn: false } } } }],
    [{ mcpServers: { x: { ...node, tools: { learn: { a: {} } } } } }],
    [{ mcpServers: { x: { ...node, tools: { learn: { a: { enums: "status" } } } } } }],
    [{ mcpServers: { x: { ...node, tools: { output: { a: "string" } } } } }],
    [{ mcpServers: { x: { ...node, tools: { output: { a: [] } } } } }],
    [{ mcpServers: { x: { ...node, purpose: 1 } } }],
    [{ servers: { x: {} } }],
  ])("both refuse %j", (file) => {
    expect([isAccepted(file), validate(file)]).toEqual([false, false]);
  });
});

test("every key has a description, for the editor to show", () => {
  const schema = configJsonSchema();
  const described = (object: unknown): string[] =>
    Object.entries(own(object, "properties") ?? {}).flatMap(([key, value]) =>
      typeof own(value, "description") === "string" ? [key] : [],
    );
  expect(described(schema)).toEqual(FILE_KEYS);
  expect(described(own(own(schema, "properties"), "limits"))).toEqual(LIMIT_KEYS);
  expect(described(own(own(schema, "definitions"), "server"))).toEqual(SERVER_KEYS);
});

test("the schema's text is the same each time, and ends with a line end", () => {
  expect(configSchemaText()).toBe(configSchemaText());
  expect(configSchemaText().endsWith("}\n")).toBe(true);
  expect(JSON.parse(configSchemaText())).toMatchObject({
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "mcpfs.json",
  });
});
