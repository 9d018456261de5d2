import type { JournalEvent } from "../journal/events.ts";
import { stringifyJson } from "../kernel/json.ts";
import type { RunReport } from "../model/run.ts";

/** What a run cost a language model in tokens, and what the same calls would have cost without a script. */
export interface RunTokens {
  /** Arguments and results of all calls, as a model that calls tools itself writes and reads them. */
  readonly direct: number;
  /** The script that the model wrote. */
  readonly script: number;
  /** What the script printed and returned. */
  readonly answer: number;
}

/** A token of a language model is about four characters of English or JSON. */
const CHARACTERS_PER_TOKEN = 4;

/** Reckons from the events of the run's journal, which holds every call that was made. */
export function runTokens(events: readonly JournalEvent[], report: RunReport, script: string): RunTokens {
  let characters = 0;
  for (const event of events) {
    if (event.event === "call") characters += event.tool.length + stringifyJson(event.arguments).length;
    if (event.event === "answer")
      characters += stringifyJson(event.error?.message ?? event.value ?? null).length;
  }
  return {
    direct: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    script: Math.ceil(script.length / CHARACTERS_PER_TOKEN),
    answer: report.usage.estimatedTokens,
  };
}
