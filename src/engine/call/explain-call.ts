import type { JsonObject } from "../../kernel/json.ts";
import type { PolicyQuestion } from "../../policy/decision.ts";
import { type Explanation, explainDecision } from "../../policy/explain.ts";
import type { PolicyRules } from "../../policy/policy.ts";
import { createStrictValidator } from "../../schema/validator.ts";
import type { Grants } from "./grants.ts";

/** What policy says of a call that is not made. */
export interface ExplainedCall extends Explanation, PolicyQuestion {
  readonly arguments: JsonObject;
  /** True when a grant of this user would answer for a person. */
  readonly isGranted: boolean;
  /** False where a part of what the config's policy lets out is held back until the user trusts it. */
  readonly isPolicyTrusted: boolean;
}

/** Explains a decision. The tool is judged as it was accepted; at a call it is judged as its server lists it then. */
export async function explainCall(
  parts: { readonly policy: PolicyRules; readonly isPolicyTrusted: boolean; readonly grants: Grants },
  question: PolicyQuestion,
): Promise<ExplainedCall> {
  const { policy, isPolicyTrusted, grants } = parts;
  const explanation = explainDecision(policy, question, createStrictValidator());
  const isAsked = explanation.decision.kind === "ask";
  const isGranted = isAsked && (await grants.covers(question.tool));
  return { ...question, ...explanation, isGranted, isPolicyTrusted };
}
