import { digestJson } from "../kernel/digest.ts";
import type { PolicyRules } from "./policy.ts";
import { PRESETS } from "./presets.ts";
import type { Rule } from "./rules.ts";

/**
 * What of a policy lets calls out: each rule that allows, and the preset. Each is one text, its own digest (or the preset's name) and
 * then the digests of the rules in front of it that ask or deny, since without those it would let out more.
 */
export function looseningsOf({ preset, rules }: PolicyRules): readonly string[] {
  const guards: string[] = [];
  const found: string[] = [];
  for (const rule of rules) {
    if (rule.permission === "allow") found.push([ruleDigest(rule), ...guards].join(" "));
    else guards.push(ruleDigest(rule));
  }
  return [...found, [preset, ...guards].join(" ")];
}

/**
 * A policy as far as it lets out no more than what was approved: another rule that allows asks, and another preset is `strict`. What
 * asks or denies more than before needs no approval.
 * @param approved what {@link looseningsOf} gave for policies that were approved
 */
export function heldBack(policy: PolicyRules, approved: Iterable<string>): PolicyRules {
  const known = [...approved].map(parseLoosening);
  const isApproved = (text: string): boolean => {
    const { part, guards } = parseLoosening(text);
    return known.some(
      (other) => covers(other.part, part) && [...other.guards].every((guard) => guards.has(guard)),
    );
  };
  const loosenings = looseningsOf(policy);
  if (loosenings.every(isApproved)) return policy;
  const [last = ""] = loosenings.slice(-1);
  let next = 0;
  const rules = policy.rules.map((rule) => {
    if (rule.permission !== "allow") return rule;
    const text = loosenings[next] ?? "";
    next += 1;
    return isApproved(text) ? rule : { ...rule, permission: "ask" as const, reason: NEW };
  });
  return { preset: isApproved(last) ? policy.preset : "strict", rules };
}

const NEW =
  'This rule lets out more than what you have trusted in this workspace; "mcpfs trust" takes it as it is now.';

function parseLoosening(text: string): { readonly part: string; readonly guards: ReadonlySet<string> } {
  const [part = "", ...guards] = text.split(" ");
  return { part, guards: new Set(guards) };
}

/** Presets stand in the order of what they let out, the loosest first. */
function covers(approved: string, part: string): boolean {
  const names: readonly string[] = PRESETS;
  const before = names.indexOf(approved);
  return before === -1 ? approved === part : before <= names.indexOf(part);
}

/** Of its conditions and what it says; its name, which counts the rules before it, and its reason change nothing. */
function ruleDigest({ name: _, reason: __, ...rule }: Rule): string {
  return digestJson(rule);
}
