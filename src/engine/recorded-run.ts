import { join } from "node:path";
import { type Broker, createBroker } from "../broker/broker.ts";
import { createBudget } from "../budget/budget.ts";
import type { Lookup } from "../catalog/lookup.ts";
import { openJournal } from "../journal/journal.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Json } from "../kernel/json.ts";
import type { Redactor } from "../kernel/log.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { openVault } from "../masking/vault.ts";
import type { RunTokens } from "../model/ledger.ts";
import type { Limits } from "../model/run.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import { openFlow } from "../policy/flow.ts";
import { type Caller, openPolicy } from "../policy/policy.ts";
import { createValidator } from "../schema/validator.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { createLearner, type Learner } from "./learner.ts";
import { limitCallTime } from "./limit-call-time.ts";
import { createRunId } from "./run-id.ts";
import { createTally } from "./tally.ts";
import { createToolSource, type ToolSourceParts } from "./tool-source.ts";

/** What every kind of run needs of its host. */
export interface RecordParts {
  readonly root: string;
  readonly tools: ToolSourceParts;
  /** The catalog as it is when the run begins. */
  readonly lookup: Lookup;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly entries: readonly ServerEntry[];
  readonly ledger: Ledger;
}

export interface RecordRequest {
  readonly caller: Caller;
  /** As the user named it. */
  readonly script: string;
  readonly text: string;
  readonly args: Json;
  readonly limits: Limits;
}

/** A run whose calls go through a broker of its own, into a journal of its own. */
export interface RecordedRun {
  readonly runId: string;
  /** Seed of the run's random numbers. */
  readonly seed: string;
  readonly startMs: number;
  /** The run's folder, absolute; and as it is shown. */
  readonly folder: string;
  readonly shownFolder: string;
  readonly broker: Broker;
  /** Merges the shapes of the run's answers into what the workspace has learned. */
  readonly learn: Learner["save"];
  /**
   * Records the end and closes the journal.
   * @param answerTokens what goes to the model; absent: the run was for no model, and is not in the ledger
   * @returns what the run cost a model
   */
  readonly end: (end: RunEnding) => Promise<RunTokens>;
}

export interface RunEnding {
  readonly kind: string;
  readonly code: string | undefined;
  readonly answerTokens?: number;
}

/** Opens the journal of a run and builds its broker. */
export async function openRecordedRun(parts: RecordParts, request: RecordRequest): Promise<RecordedRun> {
  const { clock } = parts;
  const { caller, script, text, args, limits } = request;
  const startMs = clock.now();
  const runId = createRunId(startMs);
  const folder = join(parts.root, ".mcpfs", "runs", runId);
  const journal = await openJournal(join(folder, "journal.jsonl"), parts.redactor.redactJson);
  journal.append({
    event: "run",
    version: 1,
    runId,
    caller,
    script,
    text,
    args,
    seed: runId,
    limits,
    atMs: startMs,
  });
  const tally = createTally();
  const source = tally.watch(createToolSource(parts.tools));
  const learner = createLearner(parts.root, parts.entries);
  const broker = createBroker({
    tools: source,
    vault: openVault,
    validator: createValidator(),
    budget: createBudget(limits, clock),
    policy: openPolicy,
    flow: openFlow,
    journal: {
      append: (event) => {
        tally.onEvent(event);
        journal.append(event);
      },
    },
    caller: limitCallTime(source, limits.callMs),
    limits,
    clock,
    // A key that is a secret would stand in a committed file as the name of a field.
    learn: (tool, value) => learner.observe(tool, parts.redactor.redactTexts(value)),
  });
  return {
    runId,
    seed: runId,
    startMs,
    folder,
    shownFolder: `.mcpfs/runs/${runId}`,
    broker,
    learn: learner.save,
    end: async ({ kind, code, answerTokens }) => {
      journal.append({ event: "end", kind, ...(code === undefined ? {} : { code }), atMs: clock.now() });
      await journal.close();
      const { tokens: spent, ...counted } = tally.total();
      const tokens = { ...spent, script: estimateTokens(text), answer: answerTokens ?? 0 };
      if (answerTokens !== undefined)
        await parts.ledger.add({
          kind: "run",
          atMs: startMs,
          runId,
          script,
          ended: kind,
          ...counted,
          tokens,
        });
      return tokens;
    },
  };
}
