import { expect, test } from "vitest";
import { renderServer } from "../../src/render/server-files.ts";
import { renderSignature } from "../../src/render/signature.ts";
import { compile } from "./compile.ts";
import { serverOf, toolOf } from "./support.ts";

const getDocument = toolOf({
  name: "get_document",
  folder: "google-drive",
  description: "Retrieves a document.",
  risk: "read",
  input: {
    type: "object",
    properties: {
      documentId: { type: "string", description: "The document's id" },
      fields: { type: "string" },
    },
    required: ["documentId"],
  },
  output: { type: "object", properties: { content: { type: "string" } }, required: ["content"] },
});

// M2
test("a wrapper is the types, the description with the risk, and one call", async () => {
  const { files, problems } = await renderServer(serverOf([getDocument], "google-drive"));
  expect(problems).toEqual([]);
  expect(Object.fromEntries(files)).toEqual({
    "servers/google-drive/getDocument.ts": `export interface GetDocumentInput {
 documentId: string // The document's id
 fields?: string
}
export type GetDocumentOutput = { content: string }
/** read: Retrieves a document. */
export const getDocument = tool<GetDocumentInput, GetDocumentOutput>("google_drive__get_document")
`,
    "servers/google-drive/index.ts": `export * from "./getDocument.js"; // Retrieves a document.\n`,
  });
});

test("a signature says the same without a body", async () => {
  expect(await renderSignature(getDocument)).toBe(`// import { getDocument } from "./servers/google-drive"
/** read: Retrieves a document. */
export function getDocument(input: GetDocumentInput): Promise<GetDocumentOutput>
export interface GetDocumentInput {
 documentId: string // The document's id
 fields?: string
}
export type GetDocumentOutput = { content: string }
`);
  expect(await compile([["signature.d.ts", await renderSignature(getDocument)]])).toBe("");
});

test("arguments may be left out where none is required; a tool without arguments takes none", async () => {
  const tools = [
    toolOf({ name: "optional", input: { type: "object", properties: { a: { type: "string" } } } }),
    toolOf({ name: "none", input: { type: "object", properties: {} } }),
    toolOf({ name: "empty", input: {} }),
    toolOf({ name: "unsaid", input: { type: "object" } }),
    toolOf({
      name: "needed",
      input: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    }),
  ];
  const { files } = await renderServer(serverOf(tools));
  const script = `import * as s from "./servers/s";
await s.optional(); await s.optional({ a: "x" }); await s.none(); await s.none({}); await s.empty(); await s.empty({ b: 1 });
await s.unsaid({ b: 1 } satisfies s.UnsaidInput);
// @ts-expect-error
await s.needed();
// @ts-expect-error
await s.none({ a: 1 });
const free = await s.none();
free.any.thing.goes;
`;
  expect(await compile([...files, ["script.ts", script]])).toBe("");
});

test("what one tool answers can be handed to another as free data", async () => {
  const row = {
    type: "object",
    properties: { id: { type: "string" }, note: { $ref: "#/$defs/Note" } },
    required: ["id"],
    $defs: { Note: { type: "object", properties: { text: { type: "string" } } } },
  };
  const tools = [
    toolOf({ name: "read", input: {}, output: row }),
    toolOf({
      name: "write",
      input: { type: "object", properties: { data: { type: "object" } }, required: ["data"] },
    }),
  ];
  const { files } = await renderServer(serverOf(tools));
  const script = `import * as s from "./servers/s";
const row = await s.read();
await s.write({ data: row });
if (row.note) await s.write({ data: row.note });
`;
  expect(await compile([...files, ["script.ts", script]])).toBe("");
});

test("a type name that two tools export is no ambiguity; each keeps its own input and output", async () => {
  const node = {
    type: "object",
    properties: { kids: { type: "array", items: { $ref: "#/$defs/Node" } } },
    $defs: {
      Node: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/Node" } } } },
    },
  };
  const clash = {
    type: "object",
    properties: { a: { $ref: "#/$defs/GetAInput" } },
    $defs: { GetAInput: { type: "object", properties: { x: { type: "number" } } } },
  };
  const tools = [
    toolOf({ name: "get_a", input: node, output: node }),
    toolOf({ name: "get_b", input: node, output: { type: "object" } }),
    toolOf({ name: "get_c", input: clash }),
    toolOf({ name: "36", export: "_36", input: node }),
    toolOf({ name: "36_input", export: "_36Input", input: {} }),
  ];
  const { files } = await renderServer(serverOf(tools));
  const script = `import * as s from "./servers/s";
import type { GetAInput, GetAOutput, GetBInput, GetCInput } from "./servers/s";
import type { Node } from "./servers/s/getA";
const a: GetAInput = { kids: [] };
const n: Node = { kids: [] };
await s.getA(a); await s._36(); await s._36Input();
export default [a, n] satisfies [GetBInput, GetAOutput];
`;
  expect(await compile([...files, ["script.ts", script]])).toBe("");
});

test("input and output share a definition that is the same, and tell apart those that differ", async () => {
  const point = (type: string): object => ({ type: "object", properties: { x: { type } }, required: ["x"] });
  const schema = (type: string): never =>
    ({ type: "object", properties: { p: { $ref: "#/$defs/Pt" } }, $defs: { Pt: point(type) } }) as never;
  const same = toolOf({ name: "same", input: schema("number"), output: schema("number") });
  const other = toolOf({ name: "other", input: schema("number"), output: schema("string") });
  const { files } = await renderServer(serverOf([same, other]));
  expect(files.get(same.file)?.match(/type Pt\w* =/g)).toEqual(["type Pt ="]);
  expect(files.get(other.file)?.match(/type Pt\w* =/g)).toEqual(["type Pt =", "type Pt_2 ="]);
});

test("a tool named like the door, and one with an exotic name, compile", async () => {
  const tools = ["callMCPTool", "tool", "_", "技能検索", "ßeta", "$"].map((name, index) =>
    toolOf({
      name: `n${index}`,
      export: name,
      input: { type: "object", properties: { a: { type: "string" } } },
    }),
  );
  const { files } = await renderServer(serverOf(tools));
  expect(await compile(files)).toBe("");
});

test("a disabled server has no files, one without tools an empty index", async () => {
  expect((await renderServer({ ...serverOf([getDocument]), isEnabled: false })).files.size).toBe(0);
  expect([...(await renderServer(serverOf([]))).files]).toEqual([["servers/s/index.ts", "export {};\n"]]);
});

test("same in, same bytes out", async () => {
  const render = async (): Promise<unknown> => [
    ...(await renderServer(serverOf([getDocument], "google-drive"))).files,
  ];
  expect(await render()).toEqual(await render());
});

test("what TypeScript cannot say stands in the comment, in few words, and not twice", async () => {
  const table: readonly (readonly [object, string])[] = [
    [{ type: "integer", minimum: 1, maximum: 100, default: 20 }, "1–100, default 20"],
    [{ type: "number", minimum: 0, description: "Rows to skip" }, "Rows to skip (≥ 0)"],
    [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, "> 0, < 1"],
    [
      { type: "number", minimum: 1, maximum: 50, default: 10, description: "How many (1-50, default 10)" },
      "How many (1-50, default 10)",
    ],
    [{ type: "string", minLength: 1 }, "not empty"],
    [{ type: "string", minLength: 2, maxLength: 5 }, "2–5 chars"],
    [{ type: "string", pattern: "^a$", format: "date-time" }, "date-time, /^a$/"],
    [{ type: "string", format: "uri", description: "The page's URL" }, "The page's URL"],
    [
      { type: "array", maxItems: 3, uniqueItems: true, items: { type: "string", format: "email" } },
      "≤ 3 items, unique\n  each: email",
    ],
    [{ type: "string", title: "V", examples: ["a", "b"] }, 'e.g. "a", "b"'],
    [{ type: "string", title: "Something else" }, "Something else"],
    [
      {
        oneOf: [
          { const: "a", title: "Alpha" },
          { const: "b", description: "Beta" },
        ],
      },
      "a: Alpha\n  b: Beta",
    ],
    [{ type: "boolean", default: false, deprecated: true }, "default false, deprecated"],
  ];
  for (const [schema, want] of table) {
    const tool = toolOf({ input: { type: "object", properties: { v: schema as never } } });
    const text = (await renderServer(serverOf([tool]))).files.get(tool.file) ?? "";
    const above = /\/\*\* ([\s\S]*?) \*\/\n v\?/.exec(text)?.[1];
    expect(above ?? / v\?: .*? \/\/ (.*)/.exec(text)?.[1]).toBe(want);
  }
});
