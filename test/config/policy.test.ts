import { describe, expect, test } from "vitest";
import { McpfsError } from "../../src/kernel/errors.ts";
import { parse } from "./parse.ts";

const policyOf = (text: string) => parse(`{"mcpServers":{"crm":{"builtin":"crm"}},"policy":${text}}`);

describe("policy of mcpfs.json", () => {
  test("is balanced where nothing is said", () => {
    expect(parse("{}").policy).toEqual({ preset: "balanced", rules: [] });
    expect(policyOf("{}").policy).toEqual({ preset: "balanced", rules: [] });
  });

  test.each(["open", "balanced", "strict"])("may be the name of a preset: %s", (preset) => {
    expect(policyOf(JSON.stringify(preset)).policy).toEqual({ preset, rules: [] });
  });

  test("may have rules; what a rule leaves out is met by every call", () => {
    const text = `{"preset":"strict","rules":[
      {"permission":"allow","_note":"for the demo"},
      {"name":"no-deletes","server":"crm","tool":["delete_*","purge"],"annotations":{"destructiveHint":true},
       "arguments":{"type":"object"},"caller":"skill:*","permission":"deny","reason":"Ask Ada."},
      {"annotations":"none","permission":"ask"}]}`;
    const nothing = {
      servers: undefined,
      tools: undefined,
      hints: undefined,
      arguments: undefined,
      callers: undefined,
      reason: "",
    };
    expect(policyOf(text)).toMatchObject({
      warnings: [],
      policy: {
        preset: "strict",
        rules: [
          { ...nothing, name: "rule 1", permission: "allow" },
          {
            name: "no-deletes",
            servers: ["crm"],
            tools: ["delete_*", "purge"],
            hints: { destructive: true },
            arguments: { type: "object" },
            callers: ["skill:*"],
            permission: "deny",
            reason: "Ask Ada.",
          },
          { ...nothing, name: "rule 3", hints: "none", permission: "ask" },
        ],
      },
    });
  });

  test.each<[string, RegExp]>([
    ['"lax"', /policy must be .*open, balanced, strict/],
    ["[]", /policy must be /],
    ['{"preset":"lax"}', /policy.preset must be one of open, balanced, strict/],
    ['{"rule":[]}', /policy.rule has no meaning for mcpfs; did you mean rules\?/],
    ['{"rules":{}}', /policy.rules must be a list of rules/],
    ['{"rules":[{}]}', /policy.rules\[0\].permission must be allow, ask or deny/],
    ['{"rules":[{"permission":"allowed"}]}', /permission must be allow, ask or deny, not "allowed"/],
    [
      '{"rules":[{"permission":"deny","tols":"x"}]}',
      /policy.rules\[0\].tols has no meaning for mcpfs; did you mean tool\?/,
    ],
    ['{"rules":[{"permission":"deny","tool":[]}]}', /policy.rules\[0\].tool must be /],
    ['{"rules":[{"permission":"deny","annotations":"any"}]}', /annotations must be /],
    [
      '{"rules":[{"permission":"deny","annotations":{"destructive":true}}]}',
      /did you mean destructiveHint\?/,
    ],
    [
      '{"rules":[{"permission":"deny","annotations":{"readOnlyHint":"yes"}}]}',
      /readOnlyHint must be true or false/,
    ],
    ['{"rules":[{"permission":"deny","caller":"exce"}]}', /caller names "exce", which calls nothing/],
    ['{"rules":[{"permission":"deny","arguments":"x"}]}', /arguments must be a JSON Schema/],
    [
      '{"rules":[{"name":"a","permission":"deny"},{"name":"a","permission":"allow"}]}',
      /policy.rules\[1\].name is the name of an earlier rule/,
    ],
  ])("that could mean something else than its author believes is refused: %s", (text, want) => {
    try {
      policyOf(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(McpfsError);
      expect((error as McpfsError).code).toBe("CONFIG_INVALID");
      expect((error as McpfsError).message).toMatch(want);
    }
  });

  test("whose rule matches no server says so: it protects nothing", () => {
    expect(policyOf('{"rules":[{"server":"cmr","permission":"deny"}]}').warnings).toEqual([
      expect.stringMatching(/policy has the rule "rule 1", which matches no server of this file\.$/),
    ]);
  });
});

test("fillDefaults holds for the file, and an entry may say otherwise", () => {
  const { servers } = parse(
    '{"fillDefaults":true,"mcpServers":{"a":{"builtin":"crm"},"b":{"builtin":"docs","fillDefaults":false}}}',
  );
  expect(servers.map(({ fillsDefaults }) => fillsDefaults)).toEqual([true, false]);
});
