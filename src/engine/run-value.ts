import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { McpfsError } from "../kernel/errors.ts";
import { type Json, parseJson } from "../kernel/json.ts";
import { count } from "../kernel/text.ts";
import { howToRaise, printLimit } from "../model/run.ts";
import type { OneRun } from "./run.ts";

/** A run's value as it goes to the model. */
export interface RunValue {
  readonly value: Json | undefined;
  /** UTF-8 bytes of its JSON text. */
  readonly bytes: number;
  /** Set where the value is larger than the output budget: it is then kept in a file. */
  readonly error: McpfsError | undefined;
}

/** Reads the JSON text of a run's value; empty text is `undefined`. */
export function readRunValue(run: OneRun, text: string): RunValue {
  if (text === "") return { value: undefined, bytes: 0, error: undefined };
  const shown = run.parts.redact(text);
  const bytes = Buffer.byteLength(shown);
  const { outputBytes } = run.request.limits;
  if (bytes <= outputBytes) return { value: parseJson(shown), bytes, error: undefined };
  mkdirSync(run.record.folder, { recursive: true });
  writeFileSync(join(run.record.folder, VALUE_FILE), shown, { mode: 0o600 });
  return { value: undefined, bytes: 0, error: tooLarge(run, bytes) };
}

const VALUE_FILE = "value.json";

function tooLarge(run: OneRun, bytes: number): McpfsError {
  const { outputBytes } = run.request.limits;
  const limit = printLimit("outputBytes", outputBytes);
  const path = `${run.record.shownFolder}/${VALUE_FILE}`;
  return new McpfsError(
    "LIMIT_OUTPUT",
    `The script's value is ${count(bytes, "byte")} of JSON, more than the ${limit} of output that a run may give. The whole is in ${path}.`,
    {
      hint: `Return a summary, or write the data to a file below ./workspace/ and return its path. ${howToRaise("outputBytes", outputBytes)}`,
      data: { limit: outputBytes, bytes, path },
    },
  );
}
