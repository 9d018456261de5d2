import { count } from "../kernel/text.ts";
import type { PolicyRules } from "./policy.ts";

/**
 * A sentence about what a policy lets out that the default would ask about; `undefined` where it lets nothing out. Whoever trusts a
 * config that came from elsewhere trusts this as well, and should see it.
 */
export function unaskedSentence({ preset, rules }: PolicyRules): string | undefined {
  if (preset === "open") return 'Its policy is "open": nobody is asked before a call.';
  const allowing = rules.filter(({ permission }) => permission === "allow").length;
  if (allowing === 0) return undefined;
  return `Its policy has ${count(allowing, "rule")} by which calls go out without asking.`;
}
