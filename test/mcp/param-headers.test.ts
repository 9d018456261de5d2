import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { findParamMarks, paramHeaders } from "../../src/mcp/param-headers.ts";
import { httpServer } from "../servers/http-server.ts";
import { answerModern } from "../servers/modern-http.ts";
import { serverEntry } from "../servers/servers.ts";
import { namesOf, rawName, serverName, testHub } from "./fixtures.ts";

const mark = (header: unknown, type: unknown = "string"): unknown => ({ type, "x-mcp-header": header });

test.each([
  [
    {
      region: mark("Region"),
      n: mark("N", "integer"),
      deep: { type: "object", properties: { b: mark("B", "boolean") } },
    },
    3,
  ],
  [{ region: { type: "string", default: { "x-mcp-header": "no schema" } } }, 0],
  [{}, 0],
])("marks are found where the specification allows them: %j", (properties, count) => {
  const found = findParamMarks({ type: "object", properties } as any);
  expect(found.kind === "marks" && found.marks.length).toBe(count);
});

test.each([
  [{ properties: { a: mark("A", "number") } }, "needs the type"],
  [{ properties: { a: mark("A", "object") } }, "needs the type"],
  [{ properties: { a: mark("A b") } }, "not the name of a header"],
  [{ properties: { a: mark("A\r\nX: y") } }, "not the name of a header"],
  [{ properties: { a: mark("") } }, "not the name of a header"],
  [{ properties: { a: mark(7) } }, "not the name of a header"],
  [{ properties: { a: mark("X"), b: mark("x") } }, "twice"],
  [{ properties: { a: { type: "array", items: mark("A") } } }, "no single argument"],
  [{ anyOf: [{ properties: { a: mark("A") } }] }, "no single argument"],
  [{ $defs: { a: mark("A") } }, "no single argument"],
  [{ "x-mcp-header": "A", type: "string" }, "no single argument"],
])("a wrong mark is found: %j", (schema, words) => {
  const found = findParamMarks(schema as any);
  expect(found.kind === "invalid" && found.reason).toContain(words);
});

test.each([
  ["eu-west", "eu-west"],
  ["a b", "a b"],
  ["", "=?base64??="],
  [" a", "=?base64?IGE=?="],
  ["a\nb", "=?base64?YQpi?="],
  ["grün", "=?base64?Z3LDvG4=?="],
  ["=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="],
  [true, "true"],
  [-7, "-7"],
  [12345678901234567890n, "12345678901234567890"],
  [null, undefined],
  [undefined, undefined],
  [["a"], undefined],
  [Number.NaN, undefined],
])("the argument %s goes out as %s", (value, want) => {
  const headers = paramHeaders([{ path: ["o", "a"], header: "A" }], { o: { a: value } } as any);
  expect(headers["Mcp-Param-A"]).toBe(want);
});

test("a server of 2026-07-28 over HTTP gets marked arguments as headers; a tool with a wrong mark is left out with a warning", async () => {
  const schema = (properties: object): any => fromJsonSchema({ type: "object", properties } as any);
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "web", version: "1" }, { capabilities: { tools: {} } });
      const echo = (args: unknown): any => ({ content: [{ type: "text", text: JSON.stringify(args) }] });
      server.registerTool("good", { inputSchema: schema({ region: mark("Region") }) }, echo);
      server.registerTool("wrong", { inputSchema: schema({ region: mark("Region", "number") }) }, echo);
      return server;
    },
    { legacy: "reject" },
  );
  await using server = await httpServer((exchange) => answerModern(handler, exchange).catch(() => {}));
  await using hub = testHub(serverEntry("web", { kind: "http", url: server.url, headers: {} }));
  const link = await hub.link(serverName("web"));
  // Not listed on this link yet: the marks are looked up first, or the server would refuse.
  const answer = await link.callTool(rawName("good"), { region: "grün" });
  expect(answer.content).toEqual([{ type: "text", text: '{"region":"grün"}' }]);
  const call = server.requests.find(({ message }) => message?.method === "tools/call");
  expect(call?.headers["mcp-param-region"]).toBe("=?base64?Z3LDvG4=?=");
  const list = await link.listTools();
  expect(namesOf(list)).toEqual(["good"]);
  expect(list.warnings).toEqual([
    "The tool wrong is left out: x-mcp-header at region needs the type string, integer or boolean.",
  ]);
});
