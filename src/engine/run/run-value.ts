import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { McpfsError } from "../../kernel/errors.ts";
import { isDeeperThan, type Json, parseJson, stringifyJson } from "../../kernel/json.ts";
import { count } from "../../kernel/text.ts";
import { printLimit, raiseHint } from "../../model/run.ts";
import type { OneRun } from "./one-run.ts";

/** A run's value as it goes to the model. */
export interface RunValue {
  readonly value: Json | undefined;
  /** UTF-8 bytes of its JSON text. */
  readonly bytes: number;
  /** Set where the value is larger than the output budget: it is then kept in a file. */
  readonly error: McpfsError | undefined;
}

/** Deeper values end in a stack overflow somewhere on their way to a reader. */
const MAX_VALUE_DEPTH = 1_000;

/** Reads the JSON text of a run's value; empty text is `undefined`. */
export function readRunValue(run: OneRun, text: string): RunValue {
  if (text === "") return { value: undefined, bytes: 0, error: undefined };
  const parsed = parseJson(text);
  if (isDeeperThan(parsed, MAX_VALUE_DEPTH)) return { value: undefined, bytes: 0, error: tooDeep() };
  const value = run.redactor.redactJson(parsed);
  const bytes = Buffer.byteLength(text);
  if (bytes <= run.limits.outputBytes) return { value, bytes, error: undefined };
  mkdirSync(run.record.folder.path, { recursive: true });
  writeFileSync(join(run.record.folder.path, VALUE_FILE), stringifyJson(value), { mode: 0o600 });
  return { value: undefined, bytes: 0, error: tooLarge(run, bytes) };
}

function tooDeep(): McpfsError {
  return new McpfsError("LIMIT_RESULT", `The script's value nests deeper than ${MAX_VALUE_DEPTH} levels.`, {
    hint: "Return a flatter value, or write the data to a file below ./workspace/ and return its path.",
  });
}

const VALUE_FILE = "value.json";

function tooLarge(run: OneRun, bytes: number): McpfsError {
  const { outputBytes } = run.limits;
  const limit = printLimit("outputBytes", outputBytes);
  const path = `${run.record.folder.shown}/${VALUE_FILE}`;
  return new McpfsError(
    "LIMIT_OUTPUT",
    `The script's value is ${count(bytes, "byte")} of JSON, more than the ${limit} of output that a run may give. The whole is in ${path}.`,
    {
      hint: raiseHint(
        "Return a summary, or write the data to a file below ./workspace/ and return its path.",
        "outputBytes",
        outputBytes,
      ),
      data: { limit: outputBytes, bytes, path },
    },
  );
}
