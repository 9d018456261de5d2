import { describe, expect, it } from "vitest";
import { analyzeScript } from "../../src/check/analyze-script.ts";

describe("the exports of a script", () => {
  it("are its values in the order of the text, with parameters and comments", () => {
    const text = [
      'import type { Row } from "../../servers/docs";',
      "export interface Options { limit: number }",
      "/**",
      " * Writes a sheet",
      " * as CSV.",
      " * @param sheetId - which one",
      " * @param options how",
      " */",
      "export async function saveSheet(sheetId: string, options?: Options, ...rest: Row[]): Promise<string> {",
      '  return sheetId + rest.length + (options?.limit ?? "");',
      "}",
      "/** Adds. */",
      "export const add = (a: number, b = 2, { c, d }: { c: 1; d:\n  2 }, e) => a + b + c + d + e;",
      "export const rate = 0.2;",
      "function hidden() {}",
      "export default saveSheet;",
    ].join("\n");
    expect(analyzeScript(text, "skills/x/index.ts").exports).toEqual([
      {
        name: "saveSheet",
        kind: "function",
        doc: "Writes a sheet\nas CSV.",
        parameters: [
          { name: "sheetId", type: "string", isOptional: false, doc: "which one" },
          { name: "options", type: "Options", isOptional: true, doc: "how" },
          { name: "...rest", type: "Row[]", isOptional: true },
        ],
      },
      expect.objectContaining({ name: "default", kind: "default" }),
      {
        name: "add",
        kind: "function",
        doc: "Adds.",
        parameters: [
          { name: "a", type: "number", isOptional: false },
          { name: "b", type: "number", isOptional: true },
          { name: "input3", type: "{ c: 1; d: 2 }", isOptional: false },
          { name: "e", type: "any", isOptional: false },
        ],
      },
      { name: "rate", kind: "value", doc: "", parameters: [] },
    ]);
  });

  const cases: readonly [text: string, want: readonly object[]][] = [
    ["", []],
    ["const = (", []],
    ["export type A = 1; export interface B {}", []],
    [
      "export default async (input: { id: number }) => input.id;",
      [
        {
          name: "default",
          kind: "default",
          parameters: [{ name: "input", type: "{ id: number }", isOptional: false }],
          doc: "",
        },
      ],
    ],
    ["export default 5;", [{ name: "default", kind: "default", parameters: [], doc: "" }]],
    [
      "export default function f(a?: string) {}",
      [
        {
          name: "default",
          kind: "default",
          parameters: [{ name: "a", type: "string", isOptional: true }],
          doc: "",
        },
      ],
    ],
    [
      "function f(a: bigint) {}\nexport { f as g };",
      [
        {
          name: "g",
          kind: "function",
          parameters: [{ name: "a", type: "bigint", isOptional: false }],
          doc: "",
        },
      ],
    ],
    [
      "export function f(a: string): string;\nexport function f(a: number): number;\nexport function f(a: any) { return a; }",
      [expect.objectContaining({ name: "f", kind: "function" })],
    ],
    [
      "export enum A { B }\nexport class C {}",
      [
        { name: "A", kind: "value", parameters: [], doc: "" },
        { name: "C", kind: "value", parameters: [], doc: "" },
      ],
    ],
  ];
  it.each(cases)("%s", (text, want) => expect(analyzeScript(text, "<stdin>").exports).toEqual(want));
});
