import type { Decision, JudgedTool } from "./decision.ts";
import { riskyWordsIn } from "./risky-words.ts";

/** The policies that have a name. `docs/policy.md` says what each is for. */
export const PRESETS = ["open", "balanced", "strict"] as const;

/** One of the policies that have a name. */
export type Preset = (typeof PRESETS)[number];

/** What a preset says of a tool. The arguments and the caller do not matter to it. */
export function decideByPreset(preset: Preset, tool: JudgedTool): Decision {
  switch (preset) {
    case "open":
      return { kind: "allow", rule: "open", reason: "This preset allows every call." };
    case "balanced":
      return decideByRisk(tool);
    case "strict":
      return { kind: "ask", rule: "strict", reason: "No rule allows it, and this preset asks for all else." };
  }
}

function decideByRisk({ risk, raw, hints }: JudgedTool): Decision {
  const rule = `balanced: ${risk}`;
  switch (risk) {
    case "read":
      return { kind: "allow", rule, reason: "Its server says that it only reads." };
    case "write":
      return { kind: "allow", rule, reason: "Its server says that it destroys nothing." };
    case "destructive":
      return {
        kind: "ask",
        rule,
        reason:
          hints.destructive === true
            ? "Its server says that it may destroy something."
            : "Its server does not say that it destroys nothing.",
      };
    case "unstated": {
      const [word] = riskyWordsIn(raw);
      return word === undefined
        ? { kind: "allow", rule, reason: "Its server says nothing of it, and its name holds no risky word." }
        : {
            kind: "ask",
            rule,
            reason: `Its server says nothing of it, and its name holds the word "${word}".`,
          };
    }
  }
}
