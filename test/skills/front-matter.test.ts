import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readFrontMatter } from "../../src/skills/front-matter.ts";
import { descriptionProblem, nameProblem } from "../../src/skills/skill-name.ts";
import { skillText } from "../../src/skills/skill-text.ts";
import { readSkillTools } from "../../src/skills/skill-tool.ts";

const read = (...lines: readonly string[]) => readFrontMatter(["---", ...lines, "---", "Body"].join("\n"));

describe("front matter is read as the text that stands there", () => {
  const cases: readonly [
    name: string,
    lines: readonly string[],
    fields: Record<string, string>,
    problems: number,
  ][] = [
    ["plain", ["name: a", "description: does a"], { name: "a", description: "does a" }, 0],
    [
      "quoted, with marks of YAML inside",
      ["name: a", 'description: "[x]: #1 & *all*"'],
      { name: "a", description: "[x]: #1 & *all*" },
      0,
    ],
    [
      "numbers and booleans stay text",
      ["name: a", "version: 1.10", "on: no", "off: ~", "n: 0x10", "d: 2026-01-01"],
      { name: "a", version: "1.10", on: "no", off: "~", n: "0x10", d: "2026-01-01" },
      0,
    ],
    [
      "folded and literal blocks",
      ["name: a", "description: >-", "  one", "  two", "note: |", "  x", "  y"],
      { name: "a", description: "one two", note: "x\ny\n" },
      0,
    ],
    [
      "a comment and an empty line",
      ["# c", "name: a # why", "", "description: d"],
      { name: "a", description: "d" },
      0,
    ],
    [
      "a broken field costs itself alone",
      ["name: a", 'hint: [x] - e.g. "y"', "description: d"],
      { name: "a", hint: '[x] - e.g. "y"', description: "d" },
      1,
    ],
    [
      "a colon in plain text",
      ["name: a", "description: Use when: asked: now"],
      { name: "a", description: "Use when: asked: now" },
      1,
    ],
    [
      "marks at the start",
      ["name: a", "description: @all %of `it`", "x: *y", "z: &w"],
      { name: "a", description: "@all %of `it`", x: "*y", z: "" },
      2,
    ],
    ["a field that stands twice", ["name: a", "name: b"], { name: "a" }, 1],
    ["an alias bomb", ["a: &a [x, x]", "b: [*a, *a]", "name: n"], { name: "n", b: "[*a, *a]" }, 1],
    ["fields that are no text are left out", ["name: a", "list: [x, y]", "map:", "  k: v"], { name: "a" }, 0],
    [
      "names of methods are fields like any other",
      ["__proto__: x", "constructor: y", "name: a"],
      { __proto__: "x", constructor: "y", name: "a" } as never,
      0,
    ],
  ];
  it.each(cases)("%s", (_name, lines, fields, problems) => {
    const found = read(...lines);
    expect(found.problems).toHaveLength(problems);
    for (const key of Object.getOwnPropertyNames(fields)) expect(found.fields.get(key)).toBe(fields[key]);
    if (!lines.some((line) => line.startsWith("__proto__")))
      expect([...found.fields.keys()].sort()).toEqual(Object.keys(fields).sort());
  });
  it("metadata is a map of texts", () => {
    expect([...read("name: a", "metadata:", "  servers: crm docs", "  version: 2.0").metadata]).toEqual([
      ["servers", "crm docs"],
      ["version", "2.0"],
    ]);
  });
});

describe("front matter in files as systems write them", () => {
  const cases: readonly [name: string, text: string, fields: number, problem: RegExp | undefined][] = [
    ["a byte order mark and CRLF", "\ufeff---\r\nname: a\r\ndescription: d\r\n---\r\nBody", 2, undefined],
    ["no newline at the end", "---\nname: a\ndescription: d\n---", 2, undefined],
    ["spaces behind the dashes", "---  \nname: a\n--- \n", 1, undefined],
    ["an empty file", "", 0, /empty/],
    ["no front matter", "# Title\n", 0, /no front matter/],
    ["not closed", "---\nname: a\ndescription: d\n# Body\n", 2, /not closed/],
    ["a link as text", "../../shared/SKILL.md", 0, /symbolic link/],
    ["a link as text with a newline", "../SKILL.md\n", 0, /symbolic link/],
  ];
  it.each(cases)("%s", (_name, text, fields, problem) => {
    const found = readFrontMatter(text);
    expect(found.fields.size).toBe(fields);
    if (problem === undefined) expect(found.problems).toEqual([]);
    else expect(found.problems.join()).toMatch(problem);
  });
});

describe("a name keeps the rules of the Agent Skills specification", () => {
  const good = ["a", "weekly-report", "x1", "1x", "a-b-c", "claude", "a".repeat(64)];
  it.each(good)("%s is one", (name) => expect(nameProblem(name)).toBeUndefined());
  const bad = [
    "",
    "Weekly-Report",
    "weekly--report",
    "-x",
    "x-",
    "weekly_report",
    "weekly.report",
    "été-skill",
    "技能",
    "a".repeat(65),
    "..",
    "con",
    "lpt1",
    "skill/inner",
    " spaced ",
    "a\n",
    "a\0",
    "../up",
  ];
  it.each(bad)("%j is none, and a sentence says why", (name) => expect(nameProblem(name)).toMatch(/\.$/));
  it("a description has 1 to 1024 characters", () => {
    expect(descriptionProblem("x")).toBeUndefined();
    expect(descriptionProblem("x".repeat(1024))).toBeUndefined();
    for (const text of ["", " \n", "x".repeat(1025)]) expect(descriptionProblem(text)).toMatch(/\.$/);
  });
});

describe("a SKILL.md that is written", () => {
  const facts = { name: "weekly-report", servers: ["crm", "google-drive"], exports: [] };
  const tools = [{ wire: "crm__query", digest: "0123456789abcdef" }];
  const descriptions = [
    "Plain.",
    "[x] {y} *z &w !v %u @t `s` # r",
    "a: b: c",
    '"quoted" and \\ and \'',
    "two\nlines",
    "true",
    "1.10",
    "- x",
    "---",
    "---\nname: evil",
    "emoji 😀 é",
    " x ",
  ];
  it.each(descriptions)("gives back the description %j", (description) => {
    const text = skillText({ ...facts, tools, description });
    const found = readFrontMatter(text);
    expect(found.problems).toEqual([]);
    expect(Object.fromEntries(found.fields)).toEqual({ name: "weekly-report", description });
    const metadata = { servers: "crm google-drive", tools: "crm__query@0123456789ab" };
    expect(Object.fromEntries(found.metadata)).toEqual(metadata);
    expect(readSkillTools(metadata.tools)).toEqual([{ wire: "crm__query", digest: "0123456789ab" }]);
    const strict = parse(text.split(/^---$/m)[1] ?? "");
    expect(strict).toEqual({ name: "weekly-report", description, metadata });
  });
  it("shows how to import and call it", () => {
    const text = skillText({
      ...facts,
      tools: [],
      description: "Counts.",
      exports: [
        {
          name: "weeklyReport",
          kind: "function",
          doc: "Counts\nrows.",
          parameters: [
            { name: "sheetId", type: "string", isOptional: false },
            { name: "limit", type: "number", isOptional: true },
          ],
        },
        { name: "default", kind: "default", doc: "", parameters: [] },
      ],
    });
    expect(text.split("\n").slice(6)).toEqual([
      "",
      "# weekly-report",
      "",
      "Counts.",
      "",
      "Import it in any script:",
      "",
      "```ts",
      'import { weeklyReport } from "./skills/weekly-report";',
      "export default await weeklyReport(sheetId);",
      "```",
      "",
      "- `weeklyReport(sheetId: string, limit?: number)` Counts rows.",
      "",
    ]);
  });
});
