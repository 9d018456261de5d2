import { join } from "node:path";
import { type Broker, createBroker } from "../broker/broker.ts";
import { createBudget } from "../budget/budget.ts";
import type { Lookup } from "../catalog/lookup.ts";
import { openJournal } from "../journal/journal.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Json } from "../kernel/json.ts";
import type { Redactor } from "../kernel/log.ts";
import { openVault } from "../masking/vault.ts";
import type { AskApproval } from "../model/approval.ts";
import type { AskedEvent, DecidedEvent } from "../model/call-event.ts";
import type { Limits } from "../model/run.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import { openFlow } from "../policy/flow.ts";
import { type Caller, createPolicy, type PolicyRules } from "../policy/policy.ts";
import type { ToolPattern } from "../policy/tool-pattern.ts";
import { createStrictValidator, createValidator } from "../schema/validator.ts";
import { createApprovals } from "./approvals.ts";
import type { Grants } from "./grants.ts";
import { createLearner, type Learner } from "./learner.ts";
import { limitCallTime } from "./limit-call-time.ts";
import { createRunId } from "./run-id.ts";
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
  readonly policy: PolicyRules;
  readonly grants: Grants;
  /** Absent where no person is there. */
  readonly askApproval: AskApproval | undefined;
}

export interface RecordRequest {
  readonly caller: Caller;
  /** As the user named it. */
  readonly script: string;
  readonly text: string;
  readonly args: Json;
  readonly limits: Limits;
  /** Calls of these tools need no person in this run. */
  readonly granted?: readonly ToolPattern[];
  /** What earlier parts of this run asked and were told, from its journal. */
  readonly decided?: readonly (AskedEvent | DecidedEvent)[];
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
  /** Records the end and closes the journal. */
  readonly end: (kind: string, code: string | undefined) => Promise<void>;
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
  const source = createToolSource(parts.tools);
  const learner = createLearner(parts.root, parts.entries);
  const broker = createBroker({
    tools: source,
    vault: openVault,
    validator: createValidator(),
    budget: createBudget(limits, clock),
    policy: createPolicy(parts.policy, createStrictValidator()),
    flow: openFlow,
    approvals: createApprovals({
      grants: parts.grants,
      patterns: request.granted ?? [],
      past: request.decided ?? [],
      person: parts.askApproval,
      redact: parts.redactor.redactJson,
    }),
    journal,
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
    end: async (kind, code) => {
      journal.append({ event: "end", kind, ...(code === undefined ? {} : { code }), atMs: clock.now() });
      await journal.close();
    },
  };
}
