import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bundler, createBundler } from "../../src/bundle/bundler.ts";
import { createPlaceMapper } from "../../src/bundle/place.ts";
import { runInGuest } from "./guest.ts";
import { makeWorkspace, worldOf } from "./workspace.ts";

let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
let bundler: Bundler;

beforeAll(async () => {
  bundler = createBundler();
  workspace = await makeWorkspace({
    "servers/mcpfs/index.ts": 'export * from "./extract.js"; // Makes a value.\n',
    "servers/mcpfs/extract.ts":
      'export const extract = <T = any>(value: unknown, schema?: object): Promise<T> => callMCPTool("mcpfs__extract", { value, schema })\n',
    "servers/crm/index.ts":
      'export * from "./query.js";\nexport { getLead, type LeadOutput } from "./getLead.js";\n',
    "servers/crm/query.ts":
      'export interface Row {\n id: integer // The number. (≥ 1)\n status: "open"|"closed"\n kind?: ["a","b","c"][number]\n}\nexport type QueryOutput = Row[]\nexport const query = tool<{}, QueryOutput>("crm__query")\n',
    "servers/crm/getLead.ts":
      'export type LeadOutput = { name: string }\nexport const getLead = tool<{}, LeadOutput>("crm__get_lead")\n',
    "shapes.ts":
      'export type { Invoice as Bill } from "./more";\nexport interface Base { readonly id: string }\n',
    "more.ts": "export interface Invoice { total: number }\n",
  });
});
afterAll(async () => {
  await bundler.close();
  await workspace.remove();
});

const bundle = async (text: string, file?: string) =>
  await bundler.bundle(
    { path: file === undefined ? undefined : join(workspace.root, file), name: file ?? "<stdin>", text },
    worldOf(workspace.root),
  );

const IMPORT = 'import { extract } from "./servers/mcpfs";\n';

/** The schema of the only call that a script makes. */
async function schemaIn(script: string): Promise<unknown> {
  const { calls, error } = await runInGuest((await bundle(script)).code, () => null);
  expect(error).toBeUndefined();
  expect(calls).toHaveLength(1);
  expect(calls[0]?.name).toBe("mcpfs__extract");
  const { value, schema } = JSON.parse(calls[0]?.args ?? "{}");
  expect(value).toBe("text");
  return schema;
}

const object = (properties: object, required: readonly string[] = Object.keys(properties), more = {}) => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required }),
  additionalProperties: false,
  ...more,
});
const string = { type: "string" };
const number = { type: "number" };

// M25
describe("a type becomes the JSON Schema of its values", () => {
  const cases: readonly [type: string, declarations: string, schema: unknown][] = [
    ["string", "", string],
    ["number[]", "", { type: "array", items: number }],
    ["readonly integer[]", "", { type: "array", items: { type: "integer" } }],
    ["Array<boolean>", "", { type: "array", items: { type: "boolean" } }],
    ['"a" | "b"', "", { enum: ["a", "b"] }],
    ["string | null", "", { anyOf: [string, { type: "null" }] }],
    ["-1 | `x` | true", "", { enum: [-1, "x", true] }],
    ["[string, number?]", "", { type: "array", prefixItems: [string, number], items: false, minItems: 1 }],
    ["[string, ...number[]]", "", { type: "array", prefixItems: [string], items: number, minItems: 1 }],
    ["{ a: string; b?: number }", "", object({ a: string, b: number }, ["a"])],
    ["{ a: string | undefined }", "", object({ a: string }, [])],
    ["Invoice", "interface Invoice { total: number }", object({ total: number })],
    [
      "Invoice",
      "interface Invoice {\n  /** In *euros*. */\n  total: number;\n  paid: string; // As a date.\n}",
      object({
        total: { ...number, description: "In *euros*." },
        paid: { ...string, description: "As a date." },
      }),
    ],
    ["B", "interface A { a: string }\ninterface B extends A { b: number }", object({ a: string, b: number })],
    ["A & { b: number }", "interface A { a: string }", object({ a: string, b: number })],
    ["Partial<A>", "interface A { a: string }", object({ a: string }, [])],
    ["Required<A>", "interface A { a?: string }", object({ a: string })],
    ['Pick<A, "a">', "interface A { a: string; b: number }", object({ a: string })],
    ['Omit<A, "a">', "interface A { a: string; b: number }", object({ b: number })],
    ["NonNullable<A>", "type A = string | null", string],
    ["Record<string, number>", "", { type: "object", additionalProperties: number }],
    ['Record<"a" | "b", number>', "", object({ a: number, b: number })],
    ["{ [key in 'a' | 'b']?: number }", "", object({ a: number, b: number }, [])],
    ["{ a: string; b?: never }", "", object({ a: string, b: { not: {} } }, ["a"])],
    ["string | never", "", string],
    ["{ [key: string]: number }", "", { type: "object", properties: {}, additionalProperties: number }],
    ['A["a"]', "interface A { a: string }", string],
    ["Page<string>", "interface Page<T> { items: T[] }", object({ items: { type: "array", items: string } })],
    [
      "Page",
      "interface Page<T = number> { items: T[] }",
      object({ items: { type: "array", items: number } }),
    ],
    ["Color", 'enum Color { Red = "red", Blue = "blue" }', { enum: ["red", "blue"] }],
    ["Level", "enum Level { Low, High = 5, Top }", { enum: [0, 5, 6] }],
    [
      "Tree",
      "interface Tree { name: string; children: Tree[] }",
      {
        $ref: "#/$defs/Tree",
        $defs: {
          Tree: object({ name: string, children: { type: "array", items: { $ref: "#/$defs/Tree" } } }),
        },
      },
    ],
    [
      "A<A<string>>",
      "interface W<T> { v: T }\ninterface A<T> { w: W<T> }",
      object({ w: object({ v: object({ w: object({ v: string }) }) }) }),
    ],
    [
      "{ a: N<string>; b: N<number> }",
      "interface N<T> { v: T; next?: N<T> }",
      {
        ...object({ a: { $ref: "#/$defs/N" }, b: { $ref: "#/$defs/N_2" } }),
        $defs: {
          N: object({ v: string, next: { $ref: "#/$defs/N" } }, ["v"]),
          N_2: object({ v: number, next: { $ref: "#/$defs/N_2" } }, ["v"]),
        },
      },
    ],
    [
      "{ a: L; b: L }",
      "interface L { next?: L }",
      {
        ...object({ a: { $ref: "#/$defs/L" }, b: { $ref: "#/$defs/L" } }),
        $defs: { L: object({ next: { $ref: "#/$defs/L" } }, []) },
      },
    ],
    ["Base", 'import type { Base } from "./shapes";', object({ id: string })],
    ["Bill", 'import { Bill } from "./shapes";', object({ total: number })],
    ["s.Bill", 'import * as s from "./shapes";', object({ total: number })],
    ["crm.LeadOutput", 'import * as crm from "./servers/crm";', object({ name: string })],
    [
      "QueryOutput",
      'import { QueryOutput } from "./servers/crm";',
      {
        type: "array",
        items: object(
          {
            id: { type: "integer", description: "The number. (≥ 1)" },
            status: { enum: ["open", "closed"] },
            kind: { enum: ["a", "b", "c"] },
          },
          ["id", "status"],
        ),
      },
    ],
  ];
  test.each(cases)("%s of %j", async (type, declarations, schema) => {
    const script = `${IMPORT}${declarations}\nexport default await extract<${type}>("text");`;
    expect(await schemaIn(script)).toEqual(schema);
  });
});

describe("every way to write the call", () => {
  const invoice = object({ total: number });
  const type = "interface Invoice { total: number }\n";
  test.each([
    ["a type's name as argument", `${IMPORT}${type}export default await extract("text", Invoice);`],
    [
      "another name for it",
      `import { extract as e } from "./servers/mcpfs";\n${type}export default await e("text", Invoice);`,
    ],
    [
      "another name for it, and a type",
      `import { extract as e } from "./servers/mcpfs";\n${type}export default await e<Invoice>("text");`,
    ],
    [
      "a namespace",
      `import * as mcpfs from "./servers/mcpfs";\n${type}export default await mcpfs.extract<Invoice>("text");`,
    ],
    ["no import", `${type}export default await mcpfs_extract<Invoice>("text");`],
    [
      "the file itself",
      `import { extract } from "./servers/mcpfs/extract";\n${type}export default await extract<Invoice>("text");`,
    ],
    ["a type over several lines", `${IMPORT}export default await extract<{\n  total: number;\n}>("text");`],
    ["a top-level return", `${IMPORT}${type}return await extract<Invoice>("text");`],
    [
      "inside of a function",
      `${IMPORT}const read = async (text: string) => {\n  ${type}  return await extract<Invoice>(text);\n};\nexport default await read("text");`,
    ],
    ["a schema", `${IMPORT}export default await extract("text", ${JSON.stringify(invoice)});`],
    [
      "a schema in a variable",
      `${IMPORT}const Invoice = ${JSON.stringify(invoice)};\nexport default await extract("text", Invoice);`,
    ],
    [
      "a schema, and a type for the compiler",
      `${IMPORT}${type}export default await extract<Invoice>("text", ${JSON.stringify(invoice)});`,
    ],
  ])("%s", async (_name, script) => {
    expect(await schemaIn(script)).toEqual(invoice);
  });

  test("in a skill", async () => {
    const path = join(workspace.root, "skills/bills/index.ts");
    await mkdir(dirname(path), { recursive: true });
    const skill =
      'import { extract } from "../../servers/mcpfs";\nimport type { Bill } from "../../shapes";\nexport const bill = (text: string) => extract<Bill>(text);\n';
    await writeFile(path, skill);
    const script = 'import { bill } from "./skills/bills";\nexport default await bill("text");';
    expect(await schemaIn(script)).toEqual(invoice);
  });

  test("a function of the same name that is the script's own is left alone", async () => {
    const script =
      'const extract = <T>(value: T, other?: unknown) => value;\nexport default extract<string>("mcpfs");';
    const { value, calls } = await runInGuest((await bundle(script)).code);
    expect({ value, calls }).toEqual({ value: "mcpfs", calls: [] });
  });

  test("two calls with two types", async () => {
    const script = `${IMPORT}export default [await extract<string>("a"), await extract<number>("b")];`;
    const { calls } = await runInGuest((await bundle(script)).code);
    expect(calls.map(({ args }) => JSON.parse(args))).toEqual([
      { value: "a", schema: string },
      { value: "b", schema: number },
    ]);
  });
});

describe("a type that cannot be said is an error at its place, before anything runs", () => {
  test.each([
    ["Date", "", /not in sight, or is no data/, /JSON has no dates/, 2, 30],
    ["Nowhere", "", /Nowhere is not in sight/, /Declare it/, 2, 30],
    ["() => void", "", /no data in JSON/, /Write the shape out/, 2, 30],
    ["A", "class A { a = 1 }", /class/, /Write the shape out/, 3, 30],
    ["A", "interface A {\n  at: Date;\n}", /Date/, /no dates/, 3, 7],
    ["A", "interface A {\n  run(): void;\n}", /method/, /Leave it out/, 3, 3],
    ["keyof { a: 1 }", "", /takes a compiler/, /Write the shape out/, 2, 30],
    ["A", "type A = string & number;", /Only objects can be joined/, /Write the shape out/, 2, 10],
    ["P<string>", "interface P<T> { more: P<T[]> }", /too large/, /a part of it/, 2, 24],
    ["{ [key in string]: number }", "", /computed/, /Write the shape out/, 2, 30],
    ["A", "type A = A[] | string[number];", /no such member/, /Write the shape out/, 2, 23],
  ])("%s of %j", async (type, declarations, message, hint, line, column) => {
    const head = declarations === "" ? IMPORT : `${IMPORT}${declarations}\n`;
    const error = await bundle(`${head}export default await extract<${type}>("text");`).catch(
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ code: "SCRIPT_ERROR" });
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
    expect(error.data).toEqual({ file: "<stdin>", line, column });
  });

  test("also where the type is in another file", async () => {
    await writeFile(
      join(workspace.root, "bad.ts"),
      "export interface Bad {\n  when: Map<string, string>;\n}\n",
    );
    const error = await bundle(
      `${IMPORT}import type { Bad } from "./bad";\nexport default await extract<Bad>("text");`,
    ).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "SCRIPT_ERROR", hint: "Use Record<string, …>." });
    expect(error.data).toEqual({ file: "bad.ts", line: 2, column: 9 });
  });
});

test("lines and columns stay: an error of a call has the place of the call", async () => {
  const script = `${IMPORT}interface Invoice {\n  total: number;\n}\nconst bills = [await extract<Invoice>("text"), nowhere()];\nexport default bills;`;
  const bundled = await bundle(script);
  const { error } = await runInGuest(bundled.code, () => null);
  expect(createPlaceMapper(bundled).stack(error?.stack ?? "")).toMatchObject({
    file: "<stdin>",
    line: 5,
    column: 48,
  });
  const failing = await runInGuest(bundled.code, () => {
    throw new Error("no");
  });
  expect(createPlaceMapper(bundled).stack(failing.calls[0]?.stack ?? "")).toMatchObject({
    file: "<stdin>",
    line: 5,
  });
});
