import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import type { Caller, Permission } from "../../src/policy/decision.ts";
import { explainDecision } from "../../src/policy/explain.ts";
import { hintsMatch } from "../../src/policy/hints-pattern.ts";
import { permissionOf } from "../../src/policy/permission.ts";
import { createPolicy, type PolicyRules } from "../../src/policy/policy.ts";
import type { Preset } from "../../src/policy/presets.ts";
import { riskyWordsIn } from "../../src/policy/risky-words.ts";
import type { Rule } from "../../src/policy/rules.ts";
import { createStrictValidator } from "../../src/schema/validator.ts";
import { toolWith } from "./tools.ts";

const rule = (given: Partial<Rule> & Pick<Rule, "permission">): Rule => ({
  name: "rule 1",
  servers: undefined,
  tools: undefined,
  hints: undefined,
  arguments: undefined,
  callers: undefined,
  reason: "",
  ...given,
});

function decide(
  policy: PolicyRules,
  tool: ReturnType<typeof toolWith>,
  args: JsonObject = {},
  caller: Caller = "exec",
) {
  return createPolicy(policy, createStrictValidator()).decide({ tool, arguments: args, caller });
}

// M19
describe("a preset decides by what the server claims, and by the name where it claims nothing", () => {
  test.each<[string, Json | undefined, Record<Preset, Permission>]>([
    ["anything", { readOnlyHint: true }, { open: "allow", balanced: "allow", strict: "ask" }],
    ["delete_all", { readOnlyHint: true }, { open: "allow", balanced: "allow", strict: "ask" }],
    ["anything", { destructiveHint: true }, { open: "allow", balanced: "ask", strict: "ask" }],
    ["anything", { destructiveHint: false }, { open: "allow", balanced: "allow", strict: "ask" }],
    ["anything", { readOnlyHint: false }, { open: "allow", balanced: "ask", strict: "ask" }],
    ["anything", { idempotentHint: true }, { open: "allow", balanced: "ask", strict: "ask" }],
    ["anything", { openWorldHint: false }, { open: "allow", balanced: "ask", strict: "ask" }],
    ["get_contact", undefined, { open: "allow", balanced: "allow", strict: "ask" }],
    ["delete_contact", undefined, { open: "allow", balanced: "ask", strict: "ask" }],
    ["sendMail", undefined, { open: "allow", balanced: "ask", strict: "ask" }],
    // A claim that is not true or false is none.
    ["get_contact", { readOnlyHint: "true" }, { open: "allow", balanced: "allow", strict: "ask" }],
    ["delete_contact", { readOnlyHint: "true" }, { open: "allow", balanced: "ask", strict: "ask" }],
  ])("%s with %j", (name, annotations, want) => {
    for (const preset of ["open", "balanced", "strict"] as const)
      expect(decide({ preset, rules: [] }, toolWith(name, annotations)).kind, preset).toBe(want[preset]);
  });

  test("the reason names the word", () => {
    expect(decide({ preset: "balanced", rules: [] }, toolWith("crm.PurgeAll"))).toEqual({
      kind: "ask",
      rule: "balanced: unstated",
      reason: 'Its server says nothing of it, and its name holds the word "purge".',
    });
  });
});

test.each<[string, readonly string[]]>([
  ["delete_file", ["delete"]],
  ["deleteFile", ["delete"]],
  ["DELETE-FILE", ["delete"]],
  ["fileDelete2", ["delete"]],
  ["bulkdelete", ["delete"]],
  ["HTTPSend", ["send"]],
  ["executed_queries", ["execute"]],
  ["run.tests", ["run"]],
  ["ｄｅｌｅｔｅ", ["delete"]],
  ["send_and_delete", ["send", "delete"]],
  ["payload_get", []],
  ["sender_list", []],
  ["runtime_info", []],
  ["get_contact", []],
  ["create_record", []],
  ["update_record", []],
  ["", []],
])("the risky words of %j are %j", (name, want) => {
  expect(riskyWordsIn(name)).toEqual(want);
});

describe("the first rule that matches decides", () => {
  const tool = toolWith("delete_lead", { destructiveHint: true });
  test.each<[string, readonly Rule[], Permission, string]>([
    ["no rule", [], "ask", "balanced: destructive"],
    ["a rule about everything", [rule({ permission: "allow" })], "allow", "rule 1"],
    ["its server", [rule({ servers: ["crm"], permission: "deny" })], "deny", "rule 1"],
    [
      "another server",
      [rule({ servers: ["crm2", "CRM"], permission: "deny" })],
      "ask",
      "balanced: destructive",
    ],
    ["its tool by pattern", [rule({ tools: ["delete_*"], permission: "allow" })], "allow", "rule 1"],
    ["its hints", [rule({ hints: { destructive: true }, permission: "deny" })], "deny", "rule 1"],
    [
      "other hints",
      [rule({ hints: { readOnly: true }, permission: "allow" })],
      "ask",
      "balanced: destructive",
    ],
    ["no hints", [rule({ hints: "none", permission: "allow" })], "ask", "balanced: destructive"],
    ["its caller", [rule({ callers: ["exec"], permission: "allow" })], "allow", "rule 1"],
    [
      "another caller",
      [rule({ callers: ["serve", "skill:*"], permission: "deny" })],
      "ask",
      "balanced: destructive",
    ],
    [
      "two that match",
      [rule({ permission: "allow" }), rule({ name: "rule 2", permission: "deny" })],
      "allow",
      "rule 1",
    ],
    [
      "one that matches behind one that does not",
      [
        rule({ tools: ["x"], permission: "allow" }),
        rule({ name: "rule 2", servers: ["c?m"], permission: "deny" }),
      ],
      "deny",
      "rule 2",
    ],
  ])("%s", (_name, rules, permission, by) => {
    expect(decide({ preset: "balanced", rules }, tool)).toMatchObject({ kind: permission, rule: by });
  });

  test("a skill is meant by its name", () => {
    const policy: PolicyRules = {
      preset: "strict",
      rules: [rule({ callers: ["skill:weekly-*"], permission: "allow" })],
    };
    expect(decide(policy, tool, {}, "skill:weekly-report").kind).toBe("allow");
    expect(decide(policy, tool, {}, "skill:other").kind).toBe("ask");
    expect(decide(policy, tool, {}, "exec").kind).toBe("ask");
  });
});

describe("a rule may look at the arguments", () => {
  const schema = { properties: { amount: { maximum: 100 } }, required: ["amount"] };
  const policy: PolicyRules = {
    preset: "strict",
    rules: [rule({ arguments: schema, permission: "allow" })],
  };
  const pay = toolWith("pay");
  test.each<[JsonObject, Permission]>([
    [{ amount: 100 }, "allow"],
    [{ amount: 101 }, "ask"],
    [{}, "ask"],
    [{ amount: 12345678901234567890n }, "ask"],
  ])("case %#", (args, want) => {
    expect(decide(policy, pay, args).kind).toBe(want);
  });

  test.each<[string, Json, JsonObject]>([
    ["a keyword that does not exist", { properties: { amount: { maxium: 100 } } }, { amount: 1 }],
    ["a format, which nothing checks", { properties: { to: { format: "email" } } }, { to: "x" }],
    ["a reference to nowhere", { $ref: "#/$defs/none" }, {}],
    ["a pattern that could take for ever", { properties: { to: { pattern: "(a+)+$" } } }, { to: "a" }],
    [
      "a text that is too long for its pattern",
      { properties: { to: { pattern: "a+b" } } },
      { to: "a".repeat(30_000) },
    ],
  ])("%s denies, whatever the rule says: nobody knows what it means", (_name, condition, args) => {
    for (const permission of ["allow", "ask", "deny"] as const) {
      const rules = [rule({ arguments: condition, permission })];
      const decision = decide({ preset: "open", rules }, pay, args);
      expect(decision).toMatchObject({ kind: "deny", reason: expect.stringContaining("cannot be judged") });
    }
  });

  test("the same name of two rules does not mix their conditions up", () => {
    const rules = [
      rule({
        name: "a",
        arguments: { properties: { x: { const: 1 } }, required: ["x"] },
        permission: "deny",
      }),
      rule({ name: "b", arguments: { properties: { x: { const: 2 } }, required: ["x"] }, permission: "ask" }),
    ];
    expect(decide({ preset: "open", rules }, pay, { x: 2 })).toMatchObject({ kind: "ask", rule: "b" });
  });
});

describe("hints that are left out have the specification's defaults, where there is any hint", () => {
  test.each<[Parameters<typeof hintsMatch>[0], Parameters<typeof hintsMatch>[1], boolean]>([
    ["none", {}, true],
    ["none", { openWorld: true }, false],
    [{ readOnly: false }, {}, false],
    [{ destructive: true }, { readOnly: false }, true],
    [{ destructive: true }, { idempotent: true }, true],
    [{ destructive: false }, { readOnly: true }, true],
    [{ destructive: true }, { readOnly: true, destructive: true }, false],
    [{ openWorld: true }, { readOnly: true }, true],
    [{ openWorld: false }, { readOnly: true }, false],
    [{ readOnly: true, openWorld: false }, { readOnly: true, openWorld: false }, true],
  ])("%j against %j: %s", (pattern, hints, want) => {
    expect(hintsMatch(pattern, hints)).toBe(want);
  });
});

describe("what a listing shows before anybody knows the arguments", () => {
  const some = { properties: { x: { const: 1 } } };
  const tool = toolWith("get");
  test.each<[string, readonly Rule[], Permission]>([
    ["no rule", [], "allow"],
    ["denied", [rule({ permission: "deny" })], "deny"],
    ["some calls are denied", [rule({ arguments: some, permission: "deny" })], "allow"],
    ["some calls are asked about", [rule({ arguments: some, permission: "ask" })], "allow"],
    [
      "all but some calls are denied",
      [rule({ arguments: some, permission: "allow" }), rule({ name: "2", permission: "deny" })],
      "allow",
    ],
    [
      "all but some that are asked about are denied",
      [
        rule({ arguments: some, permission: "allow" }),
        rule({ name: "2", arguments: some, permission: "ask" }),
        rule({ name: "3", permission: "deny" }),
      ],
      "ask",
    ],
    ["denied to another caller", [rule({ callers: ["serve"], permission: "deny" })], "allow"],
  ])("%s", (_name, rules, want) => {
    expect(permissionOf({ preset: "balanced", rules }, tool, "exec")).toBe(want);
  });
});

test("an explanation names what was looked at, and why it did not decide", () => {
  const policy: PolicyRules = {
    preset: "strict",
    rules: [
      rule({ name: "servers", servers: ["other"], permission: "deny" }),
      rule({ name: "small", arguments: { properties: { amount: { maximum: 5 } } }, permission: "allow" }),
      rule({ name: "last", permission: "ask", reason: "It is much." }),
      rule({ name: "never", permission: "allow" }),
    ],
  };
  const question = { tool: toolWith("pay"), arguments: { amount: 9 }, caller: "exec" as const };
  const { decision, considered } = explainDecision(policy, question, createStrictValidator());
  expect(decision).toEqual({ kind: "ask", rule: "last", reason: "It is much." });
  expect(considered).toEqual([
    { rule: "servers", matches: false, why: "not met: server" },
    { rule: "small", matches: false, why: "not met: arguments: amount must be <= 5, got 9." },
    { rule: "last", matches: true, why: "all its conditions are met" },
  ]);
});

// M6
test.each<[Caller, string, boolean]>([
  ["serve:ci", "serve:ci", true],
  ["serve:ci", "serve", true],
  ["serve:ci", "serve:c?", true],
  ["serve:ci", "serve:cd", false],
  ["serve:oauth:ada@example.com", "serve:oauth:*@example.com", true],
  ["serve", "serve:ci", false],
  ["skill:serve", "serve", false],
])("a rule for %s and the caller pattern %s", (caller, pattern, matches) => {
  const policy = { preset: "open" as const, rules: [rule({ callers: [pattern], permission: "deny" })] };
  expect(permissionOf(policy, toolWith("get"), caller)).toBe(matches ? "deny" : "allow");
});
