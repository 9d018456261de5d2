import type { Caller, JudgedTool, Permission } from "./decision.ts";
import type { PolicyRules } from "./policy.ts";
import { decideByPreset } from "./presets.ts";
import { unmetCondition } from "./rules.ts";

/**
 * What a caller may do with a tool before anybody knows the arguments: what listings show. Rules that look at the arguments are passed
 * over, since they are about some calls; but a tool of which they allow or ask some calls is not denied.
 */
export function permissionOf({ preset, rules }: PolicyRules, tool: JudgedTool, caller: Caller): Permission {
  const some: Permission[] = [];
  for (const rule of rules) {
    if (unmetCondition(rule, tool, caller) !== undefined) continue;
    if (rule.arguments === undefined) return rule.permission === "deny" ? leastOf(some) : rule.permission;
    some.push(rule.permission);
  }
  return decideByPreset(preset, tool).kind;
}

/** What a denied tool may do in some calls: `ask` before `allow`, so that no listing promises too much. */
function leastOf(some: readonly Permission[]): Permission {
  if (some.includes("ask")) return "ask";
  return some.includes("allow") ? "allow" : "deny";
}
