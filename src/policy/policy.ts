import type { JsonObject } from "../kernel/json.ts";
import type { Tool } from "../model/tool.ts";
import type { Caller } from "./caller.ts";
import { decideByPreset, type Preset } from "./presets.ts";
import { type Rule, type RuleTools, ruleMatches } from "./rules.ts";

/** What rules and presets look at, besides arguments and caller. */
export type JudgedTool = Pick<Tool, "server" | "raw" | "hints" | "risk">;

/** What a policy answers. */
export type Permission = "allow" | "ask" | "deny";

/** What a policy is asked about one call. */
export interface PolicyQuestion {
  readonly tool: Tool;
  /** As the tool would get them: valid, and without placeholders. */
  readonly arguments: JsonObject;
  readonly caller: Caller;
}

/** What a policy says, and the rule that said it. */
export type Decision =
  | { readonly kind: "allow"; readonly rule: string; readonly reason: string }
  | { readonly kind: "ask"; readonly rule: string; readonly reason: string }
  | { readonly kind: "deny"; readonly rule: string; readonly reason: string };

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
