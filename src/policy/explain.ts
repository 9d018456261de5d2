import type { Decision, PolicyQuestion } from "./decision.ts";
import { createPolicy, type PolicyRules } from "./policy.ts";
import { type Rule, type RuleTools, ruleMatches } from "./rules.ts";

/** A decision, and what each rule before it said. */
export interface Explanation {
  readonly decision: Decision;
  /** In order; the last one is the rule that decided, unless the preset did. */
  readonly considered: readonly { readonly rule: string; readonly matches: boolean; readonly why: string }[];
}

/** Decides as the policy does, and says which rules did not match and why. */
export function explainDecision(
  policy: PolicyRules,
  question: PolicyQuestion,
  tools: RuleTools,
): Explanation {
  const considered: Explanation["considered"][number][] = [];
  for (const rule of policy.rules) {
    const step = explainRule(rule, question, tools);
    considered.push(step);
    if (step.matches) break;
  }
  return { decision: createPolicy(policy, tools).decide(question), considered };
}

function explainRule(
  rule: Rule,
  question: PolicyQuestion,
  tools: RuleTools,
): Explanation["considered"][number] {
  const match = ruleMatches(rule, question, tools);
  switch (match.kind) {
    case "yes":
      return { rule: rule.name, matches: true, why: "all its conditions are met" };
    case "unclear":
      return { rule: rule.name, matches: true, why: match.reason };
    case "no":
      return { rule: rule.name, matches: false, why: `not met: ${match.why}` };
  }
}
