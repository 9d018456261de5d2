import { McpfsError } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import type { ModelAnswer, ModelTokens, TextModel } from "../model/text-model.ts";
import type { Validator } from "../schema/validator.ts";
import { promptOf, repairOf, saysNothing } from "./prompt.ts";
import { readAnswer } from "./read-answer.ts";

/** What `extract` works with. */
export interface ExtractParts {
  readonly model: TextModel;
  readonly validator: Validator;
  /** A word that nobody can know beforehand. */
  readonly mark: string;
  /** Told after each request to the model, also of one whose answer is of no use. */
  readonly onTokens: (tokens: ModelTokens) => void;
}

/** A thousand words of JSON, and what a small model thinks before it. */
const MAX_ANSWER_TOKENS = 4_000;

/**
 * Makes a value that fits `schema` of any data, by a language model. The answer is judged; one that does not fit is sent back once with
 * what is wrong, and then given up.
 * @throws McpfsError ARGUMENTS_INVALID for a schema by which nothing can be judged; TOOL_ERROR when the answer does not fit; what the
 * model throws
 */
export async function extractValue(
  { model, validator, mark, onTokens }: ExtractParts,
  { value, schema }: { readonly value: Json; readonly schema: JsonObject },
  signal: AbortSignal,
): Promise<Json> {
  checkSchema(validator, schema);
  const { system, messages } = promptOf(value, schema, mark);
  const first = await model.answer({ system, messages, maxTokens: MAX_ANSWER_TOKENS }, signal);
  onTokens(first.tokens);
  const read = judge(validator, schema, first);
  if (read.kind === "fits") return read.value;
  const again = [...messages, ...repairOf(first.text, read.faults)];
  const second = await model.answer({ system, messages: again, maxTokens: MAX_ANSWER_TOKENS }, signal);
  onTokens(second.tokens);
  const mended = judge(validator, schema, second);
  if (mended.kind === "fits") return mended.value;
  throw new McpfsError(
    "TOOL_ERROR",
    `The model did not give a value of the type, also not when it was told what is wrong: ${oneLine(mended.faults.join(" "), 600)}`,
    {
      hint: "Ask for less at once, let members be optional, say in comments what they mean, or use a better model.",
    },
  );
}

type Judged =
  | { readonly kind: "fits"; readonly value: Json }
  | { readonly kind: "faulty"; readonly faults: readonly string[] };

function judge(validator: Validator, schema: JsonObject, { text, isCut }: ModelAnswer): Judged {
  const value = readAnswer(text);
  if (value === undefined)
    return {
      kind: "faulty",
      faults: [isCut ? "The answer is too long and was cut off." : "The answer is not JSON."],
    };
  const { faults } = validator.judge(SCHEMA_KEY, schema, value);
  return faults.length === 0 ? { kind: "fits", value } : { kind: "faulty", faults };
}

/** A validator judges one schema here. */
const SCHEMA_KEY = "extract";

/** Nobody is to believe that an answer was checked when it could not be. */
function checkSchema(validator: Validator, schema: JsonObject): void {
  const { unusable } = validator.judge(SCHEMA_KEY, schema, null);
  if (unusable === undefined && !saysNothing(schema)) return;
  throw new McpfsError(
    "ARGUMENTS_INVALID",
    unusable === undefined
      ? "The type says nothing, so no answer could be checked."
      : `The schema cannot be used to check an answer: ${unusable}`,
    { hint: "Name a type: extract<Invoice>(text); or give a JSON Schema with a type." },
  );
}
