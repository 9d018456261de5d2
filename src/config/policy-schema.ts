import { z } from "zod";
import type { JsonObject } from "../kernel/json.ts";
import type { Permission } from "../policy/decision.ts";
import { PRESETS, type Preset } from "../policy/presets.ts";
import { flag, text } from "./schema-parts.ts";

/** `policy` of the file: the name of a preset, or a preset with rules before it. */
export type PolicyShape =
  | Preset
  | { readonly preset?: Preset | undefined; readonly rules?: readonly RuleShape[] | undefined };

/** One entry of `policy.rules`. */
export interface RuleShape {
  readonly name?: string | undefined;
  readonly server?: string | readonly string[] | undefined;
  readonly tool?: string | readonly string[] | undefined;
  readonly annotations?: "none" | AnnotationsShape | undefined;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  readonly caller?: string | readonly string[] | undefined;
  readonly permission: Permission;
  readonly reason?: string | undefined;
}

/** Values that the hints of a tool must have. */
export interface AnnotationsShape {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

const hint = flag.optional();
const PATTERNS = "a pattern, or a list of patterns";
const patterns = z.union([text, z.array(text).min(1, { error: "a list with something in it" })], {
  error: PATTERNS,
});
const preset = z.enum(PRESETS, { error: `one of ${PRESETS.join(", ")}` });

const annotationsObject = z.looseObject(
  { readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint, openWorldHint: hint },
  { error: "none, or an object of hints" },
);

/** An unknown key would silently widen a rule, so an editor marks it; `parsePolicy` refuses it. Keys that start like comments are notes. */
const CLOSED: JsonObject = { additionalProperties: false, patternProperties: { "^(_|//)": {} } };

const ruleObject = z.looseObject(
  {
    name: text.describe("How decisions and errors name this rule.").optional(),
    server: patterns.describe("Servers, by name or pattern (* and ?).").optional(),
    tool: patterns.describe("Tools, by raw name or pattern (* and ?).").optional(),
    annotations: z
      .union([z.literal("none", { error: "none, or an object of hints" }), annotationsObject.meta(CLOSED)], {
        error: "none, or an object of hints",
      })
      .describe(
        "Values that the server's hints must have (a missing one has the specification's default); none: it gives no hint.",
      )
      .optional(),
    arguments: z
      .record(z.string(), z.unknown(), { error: "a JSON Schema" })
      .describe("A JSON Schema that the call's arguments must fit.")
      .optional(),
    caller: patterns.describe("Who calls: exec, call, serve, serve:<client>, or skill:<name>.").optional(),
    permission: z
      .enum(["allow", "ask", "deny"], { error: "allow, ask or deny" })
      .describe("What becomes of a call for which all of this holds."),
    reason: text.describe("A sentence that is shown when this rule asks or denies.").optional(),
  },
  { error: "a rule: an object with permission" },
);

const policyObject = z.looseObject(
  {
    preset: preset.describe("Decides where no rule does. Default: balanced.").optional(),
    rules: z
      .array(ruleObject.meta(CLOSED), { error: "a list of rules" })
      .describe("In order; the first that matches a call decides.")
      .optional(),
  },
  { error: "a preset, or an object with preset and rules" },
);

/** Checks `policy` of the file. */
export const policySchema: z.ZodType<PolicyShape> = z.union([preset, policyObject.meta(CLOSED)], {
  error: `${PRESETS.join(", ")}, or an object with preset and rules`,
});

/** The keys that each part of `policy` may have. */
export const POLICY_KEYS: Readonly<Record<"policy" | "rule" | "annotations", readonly string[]>> = {
  policy: Object.keys(policyObject.shape),
  rule: Object.keys(ruleObject.shape),
  annotations: Object.keys(annotationsObject.shape),
};
