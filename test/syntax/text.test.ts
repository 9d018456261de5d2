import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freeName, functionNameOf, identifiersIn } from "../../src/syntax/identifier.ts";
import { importedNameAt } from "../../src/syntax/imports.ts";
import { scriptFacts } from "../../src/syntax/script-facts.ts";
import { joinSlashed, relativeSpecifier, workspacePath } from "../../src/syntax/specifier.ts";
import { offsetOf, placeOf } from "../../src/syntax/text-edits.ts";

describe("a relative import means a path below the workspace", () => {
  const cases: readonly [specifier: string, folder: string | undefined, path: string | undefined][] = [
    ["./servers/crm", "", "servers/crm"],
    ["./servers/crm", undefined, "servers/crm"],
    ["../../servers/crm/getContact.js", "skills/a", "servers/crm/getContact.js"],
    ["../servers/crm", "skills/a", "servers/crm"],
    ["./servers/crm", "skills/a", "servers/crm"],
    ["./skills/b", "skills/a", "skills/b"],
    ["../b", "skills/a", "skills/b"],
    ["./part", "skills/a", "skills/a/part"],
    ["../../../client.js", "servers/crm", "client.js"],
    ["./client", undefined, "client"],
    ["./client/x", "lib", "lib/client/x"],
    ["./helper", "lib", "lib/helper"],
    ["./helper", undefined, undefined],
    ["../helper", "", undefined],
    ["./servers/../../x", "", undefined],
    ["./servers/../client", "", "client"],
    [".", "lib", "lib"],
    ["..", "lib", ""],
  ];
  it.each(cases)("%s from %s", (specifier, folder, path) =>
    expect(workspacePath(specifier, folder)).toBe(path),
  );

  it("and the import that is made for a path leads back to it", () => {
    const segment = fc.constantFrom("a", "b", "servers", "x.ts");
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
    fc.assert(
      fc.property(fc.oneof(path, fc.constant("")), path, (folder, target) => {
        expect(joinSlashed(folder, relativeSpecifier(folder, target))).toBe(target);
      }),
    );
  });
});

it("an offset and its place are two names of one position, whatever ends the lines", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "é", "😀", "\n", "\r\n", "\r", "\u2028"), { maxLength: 20 }),
      (parts) => {
        const text = parts.join("");
        const starts = parts.map((_, index) => parts.slice(0, index).join("").length);
        for (const offset of starts) expect(offsetOf(text, placeOf(text, offset))).toBe(offset);
      },
    ),
  );
});

describe("the import behind a position", () => {
  const cases: readonly [text: string, mark: string, want: object | undefined][] = [
    ['import { nope } from "./x";', "nope", { specifier: "./x", name: "nope" }],
    ['import { nope as a } from "./x";', "nope", { specifier: "./x", name: "nope" }],
    ['import { a, type B, nope } from "./x";', "nope", { specifier: "./x", name: "nope" }],
    ['import { "odd name" as a } from "./x";', '"odd', { specifier: "./x", name: "odd name" }],
    ['import crm from "./x";', "crm", { specifier: "./x", name: "default" }],
    ['import crm, { nope } from "./x";', "nope", { specifier: "./x", name: "nope" }],
    ['export { nope } from "./x";', "nope", { specifier: "./x", name: "nope" }],
    ['import * as crm from "./x";\nawait crm.nope();', "nope", { specifier: "./x", name: "nope" }],
    ['import * as crm from "./x";\nawait crm?.nope();', "nope", { specifier: "./x", name: "nope" }],
    ['import * as crm from "./x";\nf(() => [crm["nope"]]);', '"nope"', { specifier: "./x", name: "nope" }],
    ['import * as crm from "./x";\nother.nope();', "nope", undefined],
    ['import * as crm from "./x";\ncrm[nope];', "nope", undefined],
    ["const nope = 1;", "nope", undefined],
    ["const nope = ;(", "nope", undefined],
  ];
  it.each(cases)("%s", (text, mark, want) => expect(importedNameAt(text, text.indexOf(mark))).toEqual(want));
});

describe("names", () => {
  const cases: readonly [skill: string, name: string][] = [
    ["weekly-report", "weeklyReport"],
    ["a", "a"],
    ["3d-print", "_3dPrint"],
    ["delete", "delete_"],
    ["sheet-2-csv", "sheet2Csv"],
    ["fs", "fs_"],
  ];
  it.each(cases)("the skill %s is the function %s", (skill, name) =>
    expect(functionNameOf(skill)).toBe(name),
  );
  it("a taken name gets a number", () => {
    expect(freeName("a", new Set(["a", "a_2"]))).toBe("a_3");
    expect(freeName("b", new Set(["a"]))).toBe("b");
  });
  it("identifiers of a text are found in any script of the world", () => {
    expect(identifiersIn("crm_get(été_x, $a.b) // crm_get", (name) => name.includes("_"))).toEqual([
      "crm_get",
      "été_x",
    ]);
  });
});

describe("a listing's facts of a script", () => {
  it("servers by every kind of import, values that it exports, no types", () => {
    const text = [
      'import { a } from "../../servers/crm";',
      'export { b } from "./servers/docs/x";',
      'const c = await import("../servers/slack");',
      'type D = import("./servers/typed").D;',
      "export interface E {}",
      "export type F = 1;",
      "export const { g, h: [i] } = a, j = 1;",
      "export enum K { L }",
      "export class M {}",
      "export default function () {}",
      "function n() {}",
      "export { n as o, type F as P };",
    ].join("\n");
    expect(scriptFacts(text, "skills/x/index.ts")).toEqual({
      servers: ["crm", "docs", "slack", "typed"],
      exports: ["b", "g", "i", "j", "K", "M", "default", "o"],
    });
  });
  it("none of a text that does not parse", () =>
    expect(scriptFacts("const = (", "skills/x.ts")).toBeUndefined());
  it("none of a text that is nested without end", () =>
    expect(scriptFacts("[".repeat(100_000), "skills/x.ts")).toBeUndefined());
});
