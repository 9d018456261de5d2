import { describe, expect, it } from "vitest";
import { toSkillModule } from "../../src/syntax/skill-module.ts";

const OPTIONS = {
  functionName: "weeklyReport",
  description: "Counts rows.",
  scriptFolder: "",
  skillFolder: "skills/weekly-report",
};

function moduleOf(lines: readonly string[], options = OPTIONS): readonly string[] {
  const made = toSkillModule(lines.join("\n"), options);
  if (made.kind === "problem") throw new Error(made.message);
  return made.text.trimEnd().split("\n");
}

const wrapped = (
  signature: string,
  body: readonly string[],
  head: readonly string[] = [],
): readonly string[] => [
  ...head,
  ...(head.length > 0 ? [""] : []),
  "/** Counts rows. */",
  `export async function ${signature} {`,
  ...body,
  "}",
  "",
  `export default ${signature.replace(/\(.*/, "")};`,
];

describe("a script that does things becomes one function", () => {
  const cases: readonly [name: string, script: readonly string[], want: readonly string[]][] = [
    ["statements alone", ["console.log(1);"], wrapped("weeklyReport()", ["  console.log(1);"])],
    [
      "an exported value is returned",
      [
        'import * as crm from "./servers/crm";',
        "",
        "const rows = await crm.list({});",
        "export default rows.length;",
      ],
      wrapped(
        "weeklyReport()",
        ["  const rows = await crm.list({});", "  return rows.length;"],
        ['import * as crm from "../../servers/crm";'],
      ),
    ],
    [
      "an exported value in the middle is returned at the end",
      ["const a = await f();", "export default a;", "console.log(a);"],
      wrapped("weeklyReport()", [
        "  const a = await f();",
        "  const result = a;",
        "  console.log(a);",
        "  return result;",
      ]),
    ],
    [
      "a top-level return stays",
      ["if (await f()) return 1;", "return 2;"],
      wrapped("weeklyReport()", ["  if (await f()) return 1;", "  return 2;"]),
    ],
    [
      "the global args becomes the parameter",
      ["console.log(args.id);"],
      wrapped("weeklyReport(args?: any)", ["  console.log(args.id);"]),
    ],
    [
      "args of the script's own stay",
      ["const args = 1;", "console.log(args);"],
      wrapped("weeklyReport()", ["  const args = 1;", "  console.log(args);"]),
    ],
    [
      "a default function is called at the end, with the arguments",
      [
        "const a = await f();",
        "export default async function main(input: any) {",
        "  return a + input;",
        "}",
      ],
      wrapped("weeklyReport(args?: any)", [
        "  const a = await f();",
        "  async function main(input: any) {",
        "    return a + input;",
        "  }",
        "  return main(args);",
      ]),
    ],
    [
      "a default arrow function in parentheses too",
      ["await f();", "export default (async () => 1);"],
      wrapped("weeklyReport()", ["  await f();", "  const main = (async () => 1);", "  return main();"]),
    ],
    [
      "a default export by name too",
      ["await f();", "export default go;", "function go(x: number) {}"],
      wrapped("weeklyReport(args?: any)", [
        "  await f();",
        "  function go(x: number) {}",
        "  return go(args);",
      ]),
    ],
    [
      "the words export go, types stay",
      [
        "export interface A { b: string }",
        "export const c = await f();",
        "export { c as d };",
        "export type { A as E };",
      ],
      wrapped("weeklyReport()", ["  interface A { b: string }", "  const c = await f();"]),
    ],
    [
      "texts of many lines keep every character",
      ["const t = `a", "b ${x", "  .y}", "c`;", "console.log(t, 'd\\", "e');"],
      wrapped("weeklyReport()", [
        "  const t = `a",
        "b ${x",
        "    .y}",
        "c`;",
        "  console.log(t, 'd\\",
        "e');",
      ]),
    ],
    [
      "imports between statements move up",
      ["await f();", 'import { g } from "./lib/g.ts";', 'export * from "./skills/other";', "await g();"],
      wrapped(
        "weeklyReport()",
        ["  await f();", "  await g();"],
        ['import { g } from "../../lib/g.ts";', 'export * from "../other";'],
      ),
    ],
    [
      "an import of the same name as the skill makes way",
      ['import { weeklyReport } from "./skills/other";', "await weeklyReport();"],
      wrapped("weeklyReport_2()", ["  await weeklyReport();"], ['import { weeklyReport } from "../other";']),
    ],
    ["a script without any statement", ["// nothing"], wrapped("weeklyReport()", ["  // nothing"])],
  ];
  it.each(cases)("%s", (_name, script, want) => expect(moduleOf(script)).toEqual(want));
});

describe("a script of functions keeps its text, and gets a default export that is a function", () => {
  const cases: readonly [name: string, script: readonly string[], want: readonly string[]][] = [
    [
      "an exported function",
      [
        'import * as crm from "../servers/crm"',
        "export async function save(id: string) { return crm.get({ id }); }",
      ],
      [
        'import * as crm from "../../servers/crm"',
        "export async function save(id: string) { return crm.get({ id }); }",
        "",
        "export default save;",
      ],
    ],
    [
      "of several the one with the skill's name is the default",
      ["export const a = () => 1;", "export const weeklyReport = () => 2;"],
      [
        "export const a = () => 1;",
        "export const weeklyReport = () => 2;",
        "",
        "export default weeklyReport;",
      ],
    ],
    [
      "a default function without a name gets the skill's",
      ["export default async function (x: number) { return x; }"],
      ["export async function weeklyReport(x: number) { return x; }", "", "export default weeklyReport;"],
    ],
    [
      "with a name keeps it",
      ["export default function go() {}"],
      ["export function go() {}", "", "export default go;"],
    ],
    [
      "a default arrow function gets the skill's name",
      ["export default (x: number) => x;"],
      ["export const weeklyReport = (x: number) => x;", "", "export default weeklyReport;"],
    ],
    [
      "a default function by name is exported by name too",
      ["const go = () => 1;", "export default go;"],
      ["const go = () => 1;", "export default go;", "", "export { go };"],
    ],
    [
      "a default value is computed when the skill is called, not when it is imported",
      ["export const f = async () => 1;", "export default { n: await f(), args };"],
      ["export const f = async () => 1;", "export default async (args?: any) => ({ n: await f(), args });"],
    ],
  ];
  it.each(cases)("%s", (_name, script, want) => expect(moduleOf(script)).toEqual(want));
});

describe("what cannot become a skill is said with its line", () => {
  it("functions and statements in one script", () => {
    const made = toSkillModule("export function f() {}\n\nconsole.log(f());\n", OPTIONS);
    expect(made).toMatchObject({ kind: "problem", line: 3, message: expect.stringContaining("exports f") });
  });
  it("text that does not parse", () => {
    expect(toSkillModule("const = 1", OPTIONS)).toMatchObject({ kind: "problem" });
  });
});

it("imports lead from the skill's folder, whatever folder the script was in", () => {
  const script = [
    'import a from "./a";',
    'import b from "../b.js";',
    'import { c } from "node:fs/promises";',
    'type D = import("./servers/d").D;',
    "console.log(a, b, c, await import('./servers/e'));",
  ];
  expect(moduleOf(script, { ...OPTIONS, scriptFolder: "lib/deep" }).slice(0, 3)).toEqual([
    'import a from "../../lib/deep/a";',
    'import b from "../../lib/b.js";',
    'import { c } from "node:fs/promises";',
  ]);
  expect(moduleOf(script, { ...OPTIONS, scriptFolder: "lib/deep" }).join("\n")).toContain(
    'import("../../servers/e")',
  );
  expect(
    moduleOf(['import { p } from "./part";', "console.log(p);"], {
      ...OPTIONS,
      scriptFolder: "skills/weekly-report",
    })[0],
  ).toBe('import { p } from "./part";');
});
