import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFilter } from "../../src/config/filter.ts";
import { matchGlob } from "../../src/kernel/glob.ts";
import { server } from "./parse.ts";

// M3
describe("a pattern matches a raw name", () => {
  test.each([
    ["get_contact", "get_contact", []],
    ["get_contact", "get_contacts", undefined],
    ["get_*", "get_contact", ["contact"]],
    ["get_*", "get_", [""]],
    ["*", "", [""]],
    ["*_*", "a_b_c", ["a", "b_c"]],
    ["*_all", "get_all_all", ["get_all"]],
    ["a*a", "a", undefined],
    ["a*b*c", "aXbYbZc", ["X", "YbZ"]],
    ["**", "ab", ["", "ab"]],
    ["?at", "cat", []],
    ["?at", "at", undefined],
    ["?", "😀", []],
    ["Get*", "get_x", undefined],
    ["a.b[0]{c}/d", "a.b[0]{c}/d", []],
    ["a.*", "axb", undefined],
    ["", "", []],
    ["", "a", undefined],
  ] as const)("%j on %j", (pattern, name, want) => {
    expect(matchGlob(pattern, name)).toEqual(want);
  });

  test("captures put in place of the stars give the name again", () => {
    const character = fc.constantFrom("a", "b", "*");
    fc.assert(
      fc.property(
        fc.string({ unit: character, maxLength: 8 }),
        fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 10 }),
        (pattern, name) => {
          const isMatch = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name);
          const captures = matchGlob(pattern, name);
          expect(captures !== undefined).toBe(isMatch);
          let star = 0;
          if (captures !== undefined)
            expect(pattern.replaceAll("*", () => captures[star++] ?? "?")).toBe(name);
        },
      ),
    );
  });

  test("a pattern of many stars takes no longer than its length asks", () => {
    expect(matchGlob(`${"a*".repeat(200)}b`, "a".repeat(20_000))).toBeUndefined();
  });
});

describe("allow and deny", () => {
  test.each([
    [undefined, undefined, "x", true],
    [["get_*"], undefined, "get_a", true],
    [["get_*"], undefined, "set_a", false],
    [undefined, ["set_*"], "set_a", false],
    [undefined, ["set_*"], "get_a", true],
    [["*"], ["*_secret"], "get_secret", false],
    [[], undefined, "get_a", false],
  ])("allow %j, deny %j: %s is %j", (allow, deny, name, want) => {
    const { filter } = server({ command: "node", tools: { allow, deny } });
    for (const kind of ["tool", "resource", "prompt"] as const)
      expect(filter.isAllowed(name, kind)).toBe(want);
  });
});

describe("rename", () => {
  test.each([
    [
      "a map",
      { get_contact: "contact", "a*": "star" },
      { get_contact: "contact", "a*": "star", abc: "abc", constructor: "constructor" },
    ],
    [
      "patterns in order",
      [
        { pattern: "gh_get_*", to: "fetch_*" },
        { pattern: "gh_*", to: "*" },
      ],
      { gh_get_pr: "fetch_pr", gh_list: "list", other: "other" },
    ],
    ["one pattern", { pattern: "gh_*_v?", to: "*" }, { gh_list_v2: "list", pattern: "pattern" }],
    ["an empty new name keeps the old one", [{ pattern: "gh_*", to: "*" }], { gh_: "gh_" }],
  ])("%s", (_what, rename, want) => {
    const { filter, problem } = server({ command: "node", tools: { rename } });
    expect(problem).toBeUndefined();
    for (const [name, renamed] of Object.entries(want)) {
      for (const kind of ["tool", "resource", "prompt"] as const)
        expect(filter.rename(name, kind)).toBe(renamed);
    }
  });

  test("a module is asked with name, server and kind", () => {
    const filter = createFilter({
      server: "crm",
      allow: undefined,
      deny: [],
      rename: {
        kind: "module",
        path: "/w/r.mjs",
        written: "r.mjs",
        digest: "",
        rename: (name, from, kind) => (name === "keep" ? undefined : `${from}_${kind}_${name}`),
      },
    });
    expect(filter.rename("a", "prompt")).toBe("crm_prompt_a");
    expect(filter.rename("keep", "tool")).toBe("keep");
  });

  test("a module that throws or answers no text is an error that names it", () => {
    const throwing = (): string => {
      throw new Error("no");
    };
    const wrong = (() => 3) as unknown as () => string;
    for (const rename of [throwing, wrong]) {
      const filter = createFilter({
        server: "crm",
        allow: undefined,
        deny: [],
        rename: { kind: "module", path: "/w/r.mjs", written: "/w/r.mjs", digest: "", rename },
      });
      expect(() => filter.rename("a", "tool")).toThrow(
        expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining("/w/r.mjs") }),
      );
    }
  });
});
