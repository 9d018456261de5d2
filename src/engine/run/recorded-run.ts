import { type Broker, createBroker } from "../../broker/broker.ts";
import type { PastCalls } from "../../broker/ports.ts";
import { createBudget } from "../../budget/budget.ts";
import type { Lookup } from "../../catalog/lookup.ts";
import { JOURNAL_VERSION, type JournalEvent } from "../../journal/events.ts";
import { type Journal, openJournal } from "../../journal/journal.ts";
import { builtinKey, callKey } from "../../journal/past.ts";
import type { Clock } from "../../kernel/clock.ts";
import { tryFileLock } from "../../kernel/file-lock.ts";
import type { Json } from "../../kernel/json.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openVault } from "../../masking/vault.ts";
import type { AskApproval } from "../../model/approval.ts";
import type { RunTokens } from "../../model/ledger.ts";
import type { Limits, RunReport } from "../../model/run.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import type { TextModel } from "../../model/text-model.ts";
import type { Caller } from "../../policy/decision.ts";
import { openFlow } from "../../policy/flow.ts";
import { createPolicy, type PolicyRules } from "../../policy/policy.ts";
import type { ToolPattern } from "../../policy/tool-pattern.ts";
import { createStrictValidator, createValidator } from "../../schema/validator.ts";
import { estimateTokens } from "../../tokens/estimate-tokens.ts";
import { type ApprovalEvent, createApprovals } from "../call/approvals.ts";
import type { Grants } from "../call/grants.ts";
import { createHandOver, type HandOver } from "../call/hand-over.ts";
import { withExtract } from "../servers/extract-source.ts";
import { type SetServerParts, withSetServer } from "../servers/set-server.ts";
import { createToolSource, type ToolSourceParts } from "../servers/tool-source.ts";
import { createLearner, type Learner } from "../workspace/learner.ts";
import { limitCallTime } from "./limit-call-time.ts";
import type { PastRun } from "./past-run.ts";
import type { JournalParts } from "./run-folder.ts";
import { type RunFolder, runFolder } from "./run-folder.ts";
import { createRunId } from "./run-id.ts";
import { createTally } from "./tally.ts";

/** What every kind of run needs of its host. */
export interface RecordParts extends JournalParts {
  readonly tools: ToolSourceParts;
  readonly setServer: SetServerParts;
  /** The language model that this run may ask. */
  readonly model: () => Promise<TextModel>;
  /** The catalog as it is when the run begins. */
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly entries: readonly ServerEntry[];
  readonly policy: PolicyRules;
  readonly grants: Grants;
  /** Absent where no person is there. */
  readonly askApproval: AskApproval | undefined;
  readonly ledger: Ledger;
}

export interface RecordRequest {
  readonly caller: Caller;
  /** As the user named it. */
  readonly script: string;
  /** Absolute, where it is a file. */
  readonly path?: string | undefined;
  readonly text: string;
  readonly args: Json;
  readonly limits: Limits;
  /** Calls of these tools need no person in this run. */
  readonly granted?: readonly ToolPattern[];
}

/** A run whose calls go through a broker of its own, into a journal of its own. Disposed of without an end, it is one that was interrupted. */
export interface RecordedRun extends AsyncDisposable {
  readonly runId: string;
  readonly caller: Caller;
  /** Seed of the run's random numbers. */
  readonly seed: string;
  /** Where the script's clock begins. */
  readonly startMs: number;
  /** When this attempt began; the same in a run's first. */
  readonly attemptMs: number;
  readonly folder: RunFolder;
  readonly broker: Broker;
  readonly journal: Pick<Journal, "append">;
  readonly handOver: HandOver;
  /** Merges the shapes of the run's answers into what the workspace has learned. */
  readonly learn: Learner["save"];
  /**
   * Records the end and closes the journal.
   * @returns what this attempt cost a model
   */
  readonly end: (end: RunEnding) => Promise<RunTokens>;
}

/** How a run ended, as its journal says it. */
export interface RunEnding {
  readonly kind: RunReport["kind"];
  readonly code: string | undefined;
  /** Console lines that the script printed. */
  readonly lines: number;
  /** What goes to the model; absent: the run was for no model, and is not in the ledger. */
  readonly answerTokens?: number;
  readonly report?: RunReport;
}

/** Opens the journal of a new run and builds its broker. */
export async function openRecordedRun(parts: RecordParts, request: RecordRequest): Promise<RecordedRun> {
  const startMs = parts.clock.now();
  const runId = createRunId(startMs);
  const folder = runFolder(parts.root, runId);
  const release = (await tryFileLock(folder.lock)) ?? nothing;
  const open = async (): Promise<Journal> =>
    await openJournal({
      path: folder.journal,
      runId,
      key: (await parts.sealKey()).key,
      print: parts.redactor.printJson,
      durability: parts.durability,
    });
  const { caller, script, path, text, args, limits } = request;
  return await begin(open, release, (journal) => {
    journal.append({
      event: "run",
      version: JOURNAL_VERSION,
      runId,
      caller,
      script,
      ...(path === undefined ? {} : { path }),
      text,
      args,
      seed: runId,
      limits,
      atMs: startMs,
    });
    return assemble(parts, request, { folder, journal, startMs, attemptMs: startMs, release });
  });
}

/** Opens a journal and writes its first event; where one of these fails, nothing stays open. */
async function begin(
  open: () => Promise<Journal>,
  release: () => Promise<void>,
  start: (journal: Journal) => RecordedRun,
): Promise<RecordedRun> {
  let journal: Journal | undefined;
  try {
    journal = await open();
    return start(journal);
  } catch (error) {
    await journal?.close();
    await release();
    throw error;
  }
}

/** Goes on with the journal of a run that was taken, and builds a broker that knows what it did. */
export async function continueRecordedRun(
  parts: RecordParts,
  run: PastRun,
  request: RecordRequest,
  past: PastCalls,
): Promise<RecordedRun> {
  const attemptMs = parts.clock.now();
  const { script, path, text, limits } = request;
  const { folder, release } = run;
  const startMs = run.past.run.atMs;
  const decided = run.read.events.filter(isApprovalEvent);
  return await begin(run.openJournal, release, (journal) => {
    journal.append({
      event: "resume",
      script,
      ...(path === undefined ? {} : { path }),
      text,
      limits,
      atMs: attemptMs,
    });
    return assemble(parts, request, { folder, journal, startMs, attemptMs, release, past, decided });
  });
}

interface Opened {
  readonly folder: RunFolder;
  readonly journal: Journal;
  readonly startMs: number;
  readonly attemptMs: number;
  readonly release: () => Promise<void>;
  readonly past?: PastCalls;
  readonly decided?: readonly ApprovalEvent[];
}

function isApprovalEvent(event: JournalEvent): event is JournalEvent & ApprovalEvent {
  return event.event === "asked" || event.event === "decided" || event.event === "call";
}

function assemble(parts: RecordParts, request: RecordRequest, opened: Opened): RecordedRun {
  const { clock } = parts;
  const { limits, script, text } = request;
  const { folder, journal, past } = opened;
  const tally = createTally();
  const { model } = parts;
  const source = tally.watch(
    withExtract(withSetServer(createToolSource(parts.tools), parts.setServer), {
      model,
      onTokens: tally.onModel,
    }),
  );
  const learner = createLearner(parts.root, parts.entries);
  const handOver = createHandOver();
  const record = (event: JournalEvent): void => {
    tally.onEvent(event);
    journal.append(event);
    if (event.event === "answer" || event.event === "refused") handOver.recorded(callKey(event.call));
    if (event.event === "builtin-answer") handOver.recorded(builtinKey(event.builtin));
  };
  const made = past?.effects
    .filter(({ status }) => status !== "never-sent")
    .map(({ server, tool }) => `${server}/${tool}`);
  const broker = createBroker({
    tools: source,
    vault: openVault,
    validator: createValidator(),
    budget: createBudget(limits, clock, made),
    policy: createPolicy(parts.policy, createStrictValidator()),
    flow: openFlow,
    approvals: createApprovals({
      grants: parts.grants,
      patterns: request.granted ?? [],
      past: opened.decided ?? [],
      person: parts.askApproval,
      redact: parts.redactor.redactJson,
    }),
    journal: { append: record },
    ...(past === undefined ? {} : { past }),
    caller: limitCallTime(source, limits.callMs),
    limits,
    clock,
    // A key that is a secret would stand in a committed file as the name of a field.
    learn: (tool, value) => learner.observe(tool, parts.redactor.redactTexts(value)),
  });
  const close = async (): Promise<void> => {
    await journal.close();
    await opened.release();
  };
  return {
    runId: folder.runId,
    caller: request.caller,
    seed: folder.runId,
    startMs: opened.startMs,
    attemptMs: opened.attemptMs,
    folder,
    broker,
    journal: { append: record },
    handOver,
    learn: learner.save,
    end: async ({ kind, code, lines, report, answerTokens }) => {
      journal.append({
        event: "end",
        kind,
        ...(code === undefined ? {} : { code }),
        lines,
        ...(report === undefined ? {} : { report: report as unknown as Json }),
        atMs: clock.now(),
      });
      await close();
      const { tokens: spent, ...counted } = tally.total();
      const tokens = { ...spent, script: estimateTokens(text), answer: answerTokens ?? 0 };
      if (answerTokens !== undefined)
        await parts.ledger.add({
          kind: "run",
          atMs: opened.attemptMs,
          runId: folder.runId,
          script,
          ended: kind,
          ...counted,
          tokens,
        });
      return tokens;
    },
    [Symbol.asyncDispose]: close,
  };
}

/** The folder of a new run is nobody else's. */
async function nothing(): Promise<void> {}
