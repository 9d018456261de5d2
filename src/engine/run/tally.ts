import type { ToolSource } from "../../broker/ports.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { toMcpfsError } from "../../kernel/errors.ts";
import { stringifyJson } from "../../kernel/json.ts";
import type { RunRecord } from "../../model/ledger.ts";
import type { ModelTokens } from "../../model/text-model.ts";
import { estimateTokens } from "../../tokens/estimate-tokens.ts";
import { resultTokens } from "../../tokens/result-tokens.ts";

/** Counts while a run goes on what its calls would have cost in the conversation, and which tools they were. */
export interface Tally {
  readonly onEvent: (event: JournalEvent) => void;
  /** A request to a language model that the run made has ended. */
  readonly onModel: (tokens: ModelTokens) => void;
  /** The same source of tools, whose found and unknown names are noticed. */
  readonly watch: <T extends ToolSource>(source: T) => T;
  readonly total: () => Pick<RunRecord, "calls" | "called" | "unknown"> & {
    readonly tokens: Pick<RunRecord["tokens"], "arguments" | "results" | "models">;
  };
}

/** A script may call as many wrong names as it likes. */
const MAX_UNKNOWN = 20;

/** Creates the tally of one run. */
export function createTally(): Tally {
  const called = new Set<string>();
  const unknown = new Set<string>();
  const tokens = { arguments: 0, results: 0, models: 0 };
  let calls = 0;
  return {
    onEvent: (event) => {
      if (event.event === "call") {
        calls += 1;
        tokens.arguments += estimateTokens(event.tool) + estimateTokens(stringifyJson(event.arguments));
      } else if (event.event === "answer") {
        tokens.results +=
          event.error === undefined ? resultTokens(event.value ?? null) : estimateTokens(event.error.message);
      }
    },
    onModel: ({ input, output }) => {
      tokens.models += input + output;
    },
    watch: (source) => ({
      ...source,
      find: (name) => {
        try {
          const tool = source.find(name);
          called.add(tool.wire);
          return tool;
        } catch (error) {
          if (toMcpfsError(error).code === "TOOL_UNKNOWN" && unknown.size < MAX_UNKNOWN) unknown.add(name);
          throw error;
        }
      },
    }),
    total: () => ({ calls, called: [...called], unknown: [...unknown], tokens: { ...tokens } }),
  };
}
