import { matchGlob } from "../kernel/glob.ts";
import type { Json } from "../kernel/json.ts";
import type { Validator } from "../schema/validator.ts";
import { type Caller, isClient, type JudgedTool, type Permission, type PolicyQuestion } from "./decision.ts";
import { type HintsPattern, hintsMatch } from "./hints-pattern.ts";

/** One rule of `mcpfs.json`. A condition that is absent is met by every call. */
export interface Rule {
  /** How decisions and errors name it. */
  readonly name: string;
  /** Patterns of `*` and `?`; one of them must match. */
  readonly servers: readonly string[] | undefined;
  /** Patterns that meet the raw name. */
  readonly tools: readonly string[] | undefined;
  readonly hints: HintsPattern | undefined;
  /** JSON Schema that the arguments must fit. */
  readonly arguments: Json | undefined;
  /** Patterns; `skill:*` is every skill, `serve` every client. */
  readonly callers: readonly string[] | undefined;
  readonly permission: Permission;
  /** A sentence; empty where the config gives none. */
  readonly reason: string;
}

/** What judging a rule takes. */
export interface RuleTools {
  /** Judges arguments by schemas of the config: strict, with patterns that are tried in full. */
  readonly judge: Validator["judge"];
}

export type RuleMatch =
  | { readonly kind: "yes" }
  /** `why` names the condition that is not met, for `policy explain`. */
  | { readonly kind: "no"; readonly why: string }
  | { readonly kind: "unclear"; readonly reason: string };

/** Whether a rule decides about a call. */
export function ruleMatches(
  rule: Rule,
  { tool, arguments: args, caller }: PolicyQuestion,
  { judge }: RuleTools,
): RuleMatch {
  const other = unmetCondition(rule, tool, caller);
  if (other !== undefined) return { kind: "no", why: other };
  if (rule.arguments === undefined) return { kind: "yes" };
  const { faults, unusable } = judge(`rule ${rule.name}`, rule.arguments, args);
  if (unusable !== undefined)
    return { kind: "unclear", reason: `Its condition on the arguments cannot be judged: ${unusable}` };
  return faults[0] === undefined ? { kind: "yes" } : { kind: "no", why: `arguments: ${faults[0]}` };
}

/** The first condition that a tool and a caller do not meet, whatever the arguments; `undefined` where they meet all. */
export function unmetCondition(rule: Rule, tool: JudgedTool, caller: Caller): string | undefined {
  if (!isAnyOf(rule.servers, tool.server)) return "server";
  if (!isAnyOf(rule.tools, tool.raw)) return "tool";
  // A rule for `serve` is for each of its clients.
  const isCaller = isAnyOf(rule.callers, caller) || (isClient(caller) && isAnyOf(rule.callers, "serve"));
  if (!isCaller) return "caller";
  return rule.hints === undefined || hintsMatch(rule.hints, tool.hints) ? undefined : "annotations";
}

function isAnyOf(patterns: readonly string[] | undefined, text: string): boolean {
  return patterns?.some((pattern) => matchGlob(pattern, text) !== undefined) ?? true;
}
