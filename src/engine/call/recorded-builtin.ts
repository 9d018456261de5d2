import { callErrorOf } from "../../broker/call-error.ts";
import type { Builtin } from "../../builtin/builtin.ts";
import { isRepeatable, isWrite } from "../../builtin/what-calls-do.ts";
import type { Journal } from "../../journal/journal.ts";
import { builtinKey, type PastAnswer } from "../../journal/past.ts";
import { briefJson } from "../../kernel/brief-json.ts";
import type { Clock } from "../../kernel/clock.ts";
import { McpfsError, toMcpfsError } from "../../kernel/errors.ts";
import { isJsonObject, type Json } from "../../kernel/json.ts";
import { BUILTIN_SERVER } from "../../model/names.ts";

/** What earlier attempts of the run recorded of a built-in call. */
export type RecalledBuiltin =
  | { readonly kind: "new" }
  /** It changes files, and the run was over before anybody knew whether it did. */
  | { readonly kind: "again" }
  | { readonly kind: "answered"; readonly answer: PastAnswer };

export interface RecordedBuiltinParts {
  readonly builtin: Builtin;
  readonly journal: Pick<Journal, "append">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Asked once for each call, in the order in which they are made. */
  readonly recall?: (builtin: number, tool: string, args: Json) => Promise<RecalledBuiltin>;
}

export interface BuiltinOutcome {
  /** Names the answer in the journal's order. */
  readonly key: string;
  readonly answer: PastAnswer;
}

/**
 * The built-in server of one run with its record: what a script reads of files, clock and search is in the journal, so that a
 * replay sees the same, and a file is changed once. The result never rejects.
 */
export function recordBuiltin(
  parts: RecordedBuiltinParts,
): (tool: string, args: Json) => Promise<BuiltinOutcome> {
  const { builtin, journal, clock, signal } = parts;
  let made = 0;

  const run = async (number: number, tool: string, args: Json, isAgain: boolean): Promise<PastAnswer> => {
    const brief = briefJson(args);
    const changes = isWrite(tool);
    try {
      if (!isJsonObject(args))
        throw new McpfsError("ARGUMENTS_INVALID", "The arguments of a tool must be one object.");
      if (isAgain && !isRepeatable(tool, args)) throw unknownOutcome(tool);
      if (changes)
        journal.append({ event: "builtin", builtin: number, tool, arguments: brief, atMs: clock.now() });
      const value = await builtin.call(tool, args, signal);
      return record({ number, tool, brief, changes }, { value });
    } catch (thrown) {
      const error = callErrorOf(toMcpfsError(thrown), undefined, "never-sent", tool);
      return record({ number, tool, brief, changes }, { error: { ...error, server: BUILTIN_SERVER } });
    }
  };

  const record = (
    call: {
      readonly number: number;
      readonly tool: string;
      readonly brief: Json;
      readonly changes: boolean;
    },
    outcome: Pick<PastAnswer, "value" | "error">,
  ): PastAnswer => {
    const atMs = clock.now();
    const { number, tool, brief, changes } = call;
    // A timer that the end of the run cut short did not wait; a file that was changed was changed.
    if (!signal.aborted || changes)
      journal.append({ event: "builtin-answer", builtin: number, tool, arguments: brief, ...outcome, atMs });
    return { ...outcome, atMs, isHidden: false };
  };

  return async (tool, args) => {
    made += 1;
    const number = made;
    const key = builtinKey(number);
    try {
      const past = parts.recall === undefined ? undefined : await parts.recall(number, tool, args);
      if (past?.kind === "answered") return { key, answer: past.answer };
      return { key, answer: await run(number, tool, args, past?.kind === "again") };
    } catch (thrown) {
      const error = callErrorOf(toMcpfsError(thrown), undefined, "never-sent", tool);
      const answer = { error: { ...error, server: BUILTIN_SERVER }, atMs: clock.now(), isHidden: false };
      return { key, answer };
    }
  };
}

function unknownOutcome(tool: string): McpfsError {
  const what = `The run was interrupted during mcpfs/${tool}, and nobody knows whether the file was changed.`;
  return new McpfsError("OUTCOME_UNKNOWN", what, {
    hint: "Look at the file, and make it what it should be; the script can catch this error.",
  });
}
