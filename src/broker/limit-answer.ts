import { type Hint, McpfsError } from "../kernel/errors.ts";
import { isDeeperThan, stringifyJson } from "../kernel/json.ts";
import type { CallOutcome, ToolAnswer } from "../model/call.ts";
import { type Limits, raiseHint } from "../model/run.ts";
import type { Tool } from "../model/tool.ts";
import { callErrorOf } from "./call-error.ts";
import { MAX_DEPTH } from "./prepare-arguments.ts";
import { unwrapAnswer } from "./unwrap-answer.ts";

/** What a caller gets for an answer; the error LIMIT_RESULT for one that is larger or nests deeper than allowed. */
export function limitAnswer(
  tool: Tool,
  answer: ToolAnswer,
  { resultBytes }: Pick<Limits, "resultBytes">,
): CallOutcome {
  const name = `The answer of ${tool.server}/${tool.raw}`;
  if (isDeeperThan(answer.content, MAX_DEPTH) || isDeeperThan(answer.structured, MAX_DEPTH))
    return tooLarge(
      tool,
      answer,
      `${name} nests deeper than ${MAX_DEPTH} levels.`,
      "Ask the tool for a part of it.",
    );
  const outcome = unwrapAnswer(tool, answer);
  const shown = outcome.kind === "ok" ? outcome.value : outcome.error.content;
  const valueText = shown === undefined ? "" : stringifyJson(shown);
  // Clients get the content too, and beside a structured value it may be anything.
  const beside = answer.structured === undefined ? 0 : Buffer.byteLength(stringifyJson(answer.content));
  const size = Math.max(Buffer.byteLength(valueText), beside);
  if (size > resultBytes)
    return tooLarge(
      tool,
      answer,
      `${name} takes ${size} bytes; the limit is ${resultBytes}.`,
      raiseHint("Ask the tool for less.", "resultBytes", resultBytes),
    );
  if (outcome.kind === "error") return outcome;
  return { kind: "ok", value: outcome.value, valueText, content: outcome.content, warnings: [] };
}

function tooLarge(tool: Tool, { isError }: ToolAnswer, message: string, hint: Hint): CallOutcome {
  const error = new McpfsError("LIMIT_RESULT", message, { hint });
  const effect = isError ? "failed" : "done";
  return { kind: "error", error: callErrorOf(error, tool, effect, tool.wire), warnings: [] };
}
