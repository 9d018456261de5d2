import type { Hints } from "../model/tool.ts";

/** The condition of a rule on the hints of a tool: values that they must have, or that there are none. */
export type HintsPattern = "none" | Hints;

/**
 * Whether a tool's hints meet a condition. Where a server gives any hint, the specification's defaults stand for those that it leaves
 * out (MCP, server/tools, ToolAnnotations): not read-only, destructive, not idempotent, open world. What only reads destroys
 * nothing. A tool without hints meets `none` only.
 */
export function hintsMatch(pattern: HintsPattern, hints: Hints): boolean {
  const isSilent = Object.keys(hints).length === 0;
  if (pattern === "none" || isSilent) return pattern === "none" && isSilent;
  const readOnly = hints.readOnly ?? false;
  const effective: Required<Hints> = {
    readOnly,
    destructive: !readOnly && (hints.destructive ?? true),
    idempotent: hints.idempotent ?? readOnly,
    openWorld: hints.openWorld ?? true,
  };
  return HINTS.every((name) => pattern[name] === undefined || pattern[name] === effective[name]);
}

const HINTS = ["readOnly", "destructive", "idempotent", "openWorld"] as const;
