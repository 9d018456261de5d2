import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../src/policy/decision.ts";
import { heldBack, looseningsOf } from "../../src/policy/loosening.ts";
import { createPolicy, type PolicyRules } from "../../src/policy/policy.ts";
import { PRESETS } from "../../src/policy/presets.ts";
import type { Rule } from "../../src/policy/rules.ts";
import { createStrictValidator } from "../../src/schema/validator.ts";
import { makeTool } from "../support/make-tool.ts";

let rules = 0;
function rule(permission: Rule["permission"], tools: readonly string[], callers?: readonly string[]): Rule {
  rules += 1;
  const nothing = { servers: undefined, hints: undefined, arguments: undefined };
  return { name: `rule ${rules}`, ...nothing, tools, callers, permission, reason: `reason ${rules}` };
}
const deny = rule("deny", ["send_*"]);
const ask = rule("ask", ["get_*"]);
const allow = rule("allow", ["delete_*"]);
const balanced = (...given: readonly Rule[]): PolicyRules => ({ preset: "balanced", rules: given });

describe("what lets out no more than what was trusted counts as it is", () => {
  test.each<[what: string, before: PolicyRules, now: PolicyRules]>([
    ["the same", balanced(deny, allow), balanced(deny, allow)],
    ["other names and reasons", balanced(allow), balanced({ ...allow, name: "other", reason: "" })],
    ["a rule that denies, in front", balanced(allow), balanced(deny, allow)],
    ["a rule that asks, at the end", balanced(allow), balanced(allow, ask)],
    ["one that allows is taken away", balanced(deny, allow), balanced(deny)],
    ["a stricter preset", { preset: "open", rules: [] }, { preset: "strict", rules: [] }],
  ])("%s", (_what, before, now) => {
    expect(heldBack(now, looseningsOf(before))).toBe(now);
  });
});

describe("what lets out more asks", () => {
  test.each<
    [what: string, before: PolicyRules, now: PolicyRules, want: (rule: Rule) => string, preset: string]
  >([
    ["a rule that allows is new", balanced(), balanced(allow), () => "ask", "balanced"],
    [
      "it stood behind one that denied",
      balanced(deny, allow),
      balanced(allow, deny),
      ({ permission }) => (permission === "allow" ? "ask" : permission),
      "balanced",
    ],
    [
      "one that denied now allows",
      balanced(deny),
      balanced({ ...deny, permission: "allow" }),
      () => "ask",
      "strict",
    ],
    ["one that denied is gone", balanced(deny), balanced(), () => "", "strict"],
    [
      "one that denied only asks",
      balanced(deny),
      balanced({ ...deny, permission: "ask" }),
      () => "ask",
      "strict",
    ],
    ["a looser preset", { preset: "strict", rules: [] }, balanced(), () => "", "strict"],
  ])("%s", (_what, before, now, want, preset) => {
    const held = heldBack(now, looseningsOf(before));
    expect(held.rules.map(({ permission }) => permission)).toEqual(now.rules.map(want));
    expect(held.preset).toBe(preset);
  });

  test("two policies that were trusted are both the measure", () => {
    const approved = [...looseningsOf(balanced(deny)), ...looseningsOf({ preset: "open", rules: [ask] })];
    expect(heldBack({ preset: "open", rules: [ask, deny] }, approved).preset).toBe("open");
    expect(heldBack({ preset: "open", rules: [deny] }, approved).preset).toBe("strict");
  });
});

test("no call goes out unasked that the trusted policy did not let out unasked", () => {
  const tools = ["get_lead", "delete_lead", "send_mail", "update_lead"].map((raw) => makeTool("crm", raw));
  const callers: readonly Caller[] = ["exec", "serve"];
  const someRule = fc
    .record({
      permission: fc.constantFrom<Rule["permission"]>("allow", "ask", "deny"),
      tools: fc.subarray(["get_*", "delete_*", "send_*", "*_lead", "*"], { minLength: 1 }),
      callers: fc.option(fc.subarray(["exec", "serve"], { minLength: 1 }), { nil: undefined }),
    })
    .map((given) => rule(given.permission, given.tools, given.callers));
  const policies = fc
    .array(someRule, { minLength: 1, maxLength: 4 })
    .chain((pool) =>
      fc.tuple(
        fc.record({ preset: fc.constantFrom(...PRESETS), rules: fc.shuffledSubarray(pool) }),
        fc.record({ preset: fc.constantFrom(...PRESETS), rules: fc.shuffledSubarray(pool) }),
      ),
    );
  fc.assert(
    fc.property(policies, ([before, now]) => {
      const trusted = createPolicy(before, createStrictValidator());
      const held = createPolicy(heldBack(now, looseningsOf(before)), createStrictValidator());
      const plain = createPolicy(now, createStrictValidator());
      for (const tool of tools)
        for (const caller of callers) {
          const question = { tool, caller, arguments: {} };
          if (held.decide(question).kind === "allow") expect(trusted.decide(question).kind).toBe("allow");
          // Held back is never less strict than what the file says.
          if (plain.decide(question).kind === "deny") expect(held.decide(question).kind).toBe("deny");
        }
    }),
    { numRuns: 500 },
  );
});
