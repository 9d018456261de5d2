import type { PastCall } from "../../journal/past.ts";
import { McpfsError } from "../../kernel/errors.ts";
import { type Json, stringifyJson } from "../../kernel/json.ts";
import { oneLine } from "../../kernel/text.ts";

/** Characters of each side that are shown. */
const MAX_SHOWN = 300;
/** Characters that both have in common, in front of the first difference. */
const BEFORE = 40;

/** The error of a run that does something else than what is recorded, with both calls, one below the other. */
export function diverged(
  recorded: Pick<PastCall, "call" | "name" | "arguments">,
  now: { readonly name: string; readonly args: Json },
): McpfsError {
  const [was, is] = sideBySide(
    `${recorded.name} ${stringifyJson(recorded.arguments)}`,
    `${now.name} ${stringifyJson(now.args)}`,
  );
  return new McpfsError(
    "REPLAY_DIVERGED",
    `Call ${recorded.call} is not the one that was recorded.\n  recorded: ${was}\n  now:      ${is}`,
    {
      hint: "Nothing was sent. Undo what was changed before this call, or run the script as a new run: what the recorded calls did stays done.",
    },
  );
}

/** Both texts, cut to where they differ. */
function sideBySide(one: string, other: string): readonly [string, string] {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const start = Math.max(0, one.length > MAX_SHOWN || other.length > MAX_SHOWN ? same - BEFORE : 0);
  const cut = (text: string): string => oneLine((start === 0 ? "" : "…") + text.slice(start), MAX_SHOWN);
  return [cut(one), cut(other)];
}
