import type { Decision, Permission, PolicyQuestion } from "./decision.ts";
import { decideByPreset, type Preset } from "./presets.ts";
import { type Rule, type RuleTools, ruleMatches } from "./rules.ts";

/** Decides every call to a server. Pure: the same question has the same answer. */
export interface Policy {
  readonly decide: (question: PolicyQuestion) => Decision;
}

/** What `mcpfs.json` says about calls. */
export interface PolicyRules {
  /** Decides where no rule does. */
  readonly preset: Preset;
  /** In order; the first that matches decides. */
  readonly rules: readonly Rule[];
}

/** The policy of a config that says nothing. */
export const DEFAULT_POLICY: PolicyRules = { preset: "balanced", rules: [] };

/**
 * Creates the policy of a workspace: the first rule that matches decides, else the preset.
 * A rule whose condition on the arguments cannot be judged (its schema is no usable one, a text is too long for its pattern) denies:
 * nobody knows what its author wanted of this call.
 */
export function createPolicy({ preset, rules }: PolicyRules, tools: RuleTools): Policy {
  return {
    decide: (question) => {
      for (const rule of rules) {
        const match = ruleMatches(rule, question, tools);
        if (match.kind === "yes")
          return {
            kind: rule.permission,
            rule: rule.name,
            reason: rule.reason || OWN_REASON[rule.permission],
          };
        if (match.kind === "unclear") return { kind: "deny", rule: rule.name, reason: match.reason };
      }
      return decideByPreset(preset, question.tool);
    },
  };
}

/** What is said for a rule that gives no reason itself. */
const OWN_REASON: Readonly<Record<Permission, string>> = {
  allow: "A rule of mcpfs.json allows it.",
  ask: "A rule of mcpfs.json wants a person to decide.",
  deny: "A rule of mcpfs.json denies it.",
};
