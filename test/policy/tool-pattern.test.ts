import { describe, expect, test } from "vitest";
import { McpfsError } from "../../src/kernel/errors.ts";
import { parseToolPattern } from "../../src/policy/tool-pattern.ts";

describe("a pattern of tools meets each name on its own side of the slash", () => {
  test.each<[string, string, string, boolean]>([
    ["crm/delete_lead", "crm", "delete_lead", true],
    ["crm/delete_*", "crm", "delete_lead", true],
    ["crm/delete_*", "crm", "undelete_lead", false],
    ["crm/*", "crm2", "get", false],
    ["*/get_*", "docs", "get_page", true],
    ["crm/*", "evil", "crm/delete", false],
    ["*/delete", "crm", "x/delete", false],
    ["crm/a/b", "crm", "a/b", true],
    ["c?m/*", "crm", "anything at all", true],
  ])("%s and %s / %s: %s", (pattern, server, raw, want) => {
    expect(parseToolPattern(pattern).matches({ server, raw })).toBe(want);
  });
});

test.each(["", "crm", "/", "crm/", "/get", "*"])("%j is no pattern", (text) => {
  expect(() => parseToolPattern(text)).toThrow(McpfsError);
});
