import { matchGlob } from "../kernel/glob.ts";
import { type Json, own } from "../kernel/json.ts";
import type { HintsPattern } from "../policy/hints-pattern.ts";
import { DEFAULT_POLICY, type PolicyRules } from "../policy/policy.ts";
import type { Rule } from "../policy/rules.ts";
import { configError, fieldName, type JsonPath, type JsonText } from "./json-text.ts";
import { type AnnotationsShape, POLICY_KEYS, type PolicyShape, type RuleShape } from "./policy-schema.ts";
import { unknownKeys } from "./unknown-keys.ts";

/**
 * What `policy` of a file says. Whatever could make a rule mean something else than its author believes is an error and not a
 * warning: an unknown key, a caller that does not exist, two rules of one name.
 * @throws McpfsError CONFIG_INVALID
 */
export function parsePolicy(shape: PolicyShape | undefined, document: JsonText, file: string): PolicyRules {
  if (shape === undefined) return DEFAULT_POLICY;
  if (typeof shape === "string") return { preset: shape, rules: [] };
  const refuse: Refuse = (path, sentence, hint) => {
    const position = document.keyPositionOf(path);
    throw configError({ file, position, sentence: `${fieldName(path)} ${sentence}`, hint });
  };
  const policy = own(document.value, "policy");
  refuseUnknown(policy, "policy", ["policy"], refuse);
  const written = own(policy, "rules");
  const rules = (shape.rules ?? []).map((rule, index) => {
    const value = Array.isArray(written) ? (written as readonly Json[])[index] : undefined;
    return parseRule(rule, value, index, refuse);
  });
  const seen = new Set<string>();
  for (const [index, { name }] of rules.entries()) {
    if (seen.has(name))
      refuse(
        ["policy", "rules", index, "name"],
        "is the name of an earlier rule.",
        "Give each rule its own.",
      );
    seen.add(name);
  }
  return { preset: shape.preset ?? DEFAULT_POLICY.preset, rules };
}

type Refuse = (path: JsonPath, sentence: string, hint: string) => never;

function parseRule(rule: RuleShape, value: Json | undefined, index: number, refuse: Refuse): Rule {
  const at = ["policy", "rules", index];
  refuseUnknown(value, "rule", at, refuse);
  if (typeof rule.annotations === "object")
    refuseUnknown(own(value, "annotations"), "annotations", [...at, "annotations"], refuse);
  const callers = listOf(rule.caller);
  for (const caller of callers ?? [])
    if (!isCallerPattern(caller))
      refuse([...at, "caller"], `names ${JSON.stringify(caller)}, which calls nothing.`, CALLERS);
  return {
    name: rule.name ?? `rule ${index + 1}`,
    servers: listOf(rule.server),
    tools: listOf(rule.tool),
    hints: hintsOf(rule.annotations),
    arguments: own(value, "arguments"),
    callers,
    permission: rule.permission,
    reason: rule.reason ?? "",
  };
}

const CALLERS: string =
  'Callers are "exec", "call", "serve", "serve:<client>" and "skill:<name>"; * and ? stand for any characters and one.';

function isCallerPattern(pattern: string): boolean {
  if (pattern.startsWith("skill:") || pattern.startsWith("serve:")) return true;
  return ["exec", "call", "serve", "skill:"].some((caller) => matchGlob(pattern, caller) !== undefined);
}

function refuseUnknown(
  value: Json | undefined,
  part: keyof typeof POLICY_KEYS,
  at: JsonPath,
  refuse: Refuse,
): void {
  for (const { key, sentence } of unknownKeys(value, POLICY_KEYS[part]))
    refuse(
      [...at, key],
      sentence,
      `A ${part === "rule" ? "rule" : part} has: ${POLICY_KEYS[part].join(", ")}.`,
    );
}

function listOf(value: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof value === "string" ? [value] : value;
}

function hintsOf(annotations: "none" | AnnotationsShape | undefined): HintsPattern | undefined {
  if (annotations === undefined || annotations === "none") return annotations;
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  return {
    ...(readOnlyHint === undefined ? {} : { readOnly: readOnlyHint }),
    ...(destructiveHint === undefined ? {} : { destructive: destructiveHint }),
    ...(idempotentHint === undefined ? {} : { idempotent: idempotentHint }),
    ...(openWorldHint === undefined ? {} : { openWorld: openWorldHint }),
  };
}
