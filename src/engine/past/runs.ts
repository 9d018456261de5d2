import { stat } from "node:fs/promises";
import pLimit from "p-limit";
import type { JournalEvent } from "../../journal/events.ts";
import { linesOf } from "../../journal/lines-of.ts";
import { type Past, pastOf } from "../../journal/past.ts";
import { readJournal } from "../../journal/read-journal.ts";
import { systemCode } from "../../kernel/errors.ts";
import { isFileLocked } from "../../kernel/file-lock.ts";
import { type Json, own, parseJson } from "../../kernel/json.ts";
import type { RunReport } from "../../model/run.ts";
import { hidesArguments, noJournal } from "../run/past-run.ts";
import type { JournalParts } from "../run/run-folder.ts";
import { findRun, type RunFolder, runFolder, runIds, startOfRun } from "../run/run-folder.ts";
import { isCallRun } from "../run/single-call.ts";
import { endKind } from "./end-kind.ts";
import { pastReport } from "./past-report.ts";
import { type Pruned, pruneRuns, type Retention } from "./prune-runs.ts";

/** One line of `runs list`. `running`: it goes on; `broken`: its journal cannot be read. */
export interface RunSummary {
  readonly runId: string;
  readonly kind: RunReport["kind"] | "running" | "broken";
  readonly script: string;
  /** ISO 8601, in UTC. */
  readonly startedAt: string;
  /** Calls that were sent to servers. */
  readonly calls: number;
  readonly resumable: boolean;
}

/** One run as its journal tells it. */
export interface ToldRun {
  readonly events: readonly JournalEvent[];
  readonly past: Past;
  readonly isRunning: boolean;
  readonly report: RunReport;
}

/** The runs that a workspace remembers. */
export interface Runs {
  /** Newest first. */
  readonly list: () => Promise<readonly RunSummary[]>;
  /** @throws McpfsError USAGE for an unknown run, JOURNAL_INVALID */
  readonly read: (runId: string) => Promise<ToldRun>;
  /** Deletes what need not be kept; `isDry` only says which runs would go. */
  readonly prune: (retention: Partial<Retention>, isDry?: boolean) => Promise<Pruned>;
}

/** Opens the records of a workspace's runs. */
export function openRuns(parts: JournalParts & { readonly retention: Retention }): Runs {
  return {
    list: async () => {
      const atOnce = pLimit(READS_AT_ONCE);
      const ids = await runIds(parts.root);
      const listed = await Promise.all(ids.map((id) => atOnce(() => summaryOf(runFolder(parts.root, id)))));
      return listed.reverse();
    },
    read: async (runId) => {
      const folder = await findRun(parts.root, runId);
      const isRunning = await isFileLocked(folder.lock);
      const { key, isKept } = await parts.sealKey();
      const read = await readJournal(folder.journal, { key, runId });
      if (read === undefined) throw noJournal(folder, isKept);
      const past = pastOf(read.events);
      return { events: read.events, past, isRunning, report: pastReport(past, read.events, isRunning) };
    },
    prune: async (retention, isDry) =>
      await pruneRuns(parts.root, { ...parts.retention, ...retention }, Date.now(), isDry),
  };
}

const READS_AT_ONCE = 8;
/** Larger journals are told as broken: `runs show` says why. */
const MAX_LISTED_BYTES: number = 256 * 1024 * 1024;

/** From a glance at the lines: a list must be quick, and believes nothing that matters. */
async function summaryOf({ runId, journal, lock }: RunFolder): Promise<RunSummary> {
  const startedAt = new Date(startOfRun(runId)).toISOString();
  const broken: RunSummary = { runId, kind: "broken", script: "", startedAt, calls: 0, resumable: false };
  try {
    if ((await stat(journal)).size > MAX_LISTED_BYTES) return broken;
    const isRunning = await isFileLocked(lock);
    const { first, turn, calls, isHidden } = await glance(journal);
    const run = parseJson(first);
    const [script, caller, atMs] = [own(run, "script"), own(run, "caller"), own(run, "atMs")];
    if (typeof script !== "string" || typeof caller !== "string" || typeof atMs !== "number") return broken;
    const kind = isRunning ? "running" : endKind(/^\{"event":"end","kind":"(\w+)"/.exec(turn)?.[1]);
    return {
      runId,
      kind,
      script,
      startedAt: new Date(atMs).toISOString(),
      calls,
      resumable:
        kind !== "ok" &&
        kind !== "running" &&
        !isHidden &&
        !hidesArguments({ isHidden: own(run, "hidden") === true, args: own(run, "args") ?? null }) &&
        (!isCallRun({ caller, script }) || isOpenCall(run, kind)),
    };
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) !== "") return broken;
    throw error;
  }
}

interface Glance {
  readonly first: string;
  /** The line that began or ended the last attempt. */
  readonly turn: string;
  readonly calls: number;
  readonly isHidden: boolean;
}

async function glance(journal: string): Promise<Glance> {
  const calls = new Set<string>();
  let [first, turn, isHidden]: [string | undefined, string, boolean] = [undefined, "", false];
  for await (const lines of linesOf(journal))
    for (const line of lines) {
      first ??= line;
      if (TURN.test(line)) turn = line;
      if (HIDDEN_VALUE.test(line)) isHidden = true;
      const [, call] = CALL.exec(line) ?? [];
      if (call !== undefined) calls.add(call);
    }
  return { first: first ?? "", turn, calls: calls.size, isHidden };
}

/** A single call that waits, or was interrupted: its run holds a script that makes it. */
function isOpenCall(run: Json, kind: RunSummary["kind"]): boolean {
  return kind !== "failed" && own(run, "text") !== "";
}

const CALL = /^\{"event":"call","call":(\d+)/;
/** What begins or ends an attempt. */
const TURN = /^\{"event":"(?:run|resume|end)"/;
/** An answer whose secret was hidden is never replayed. */
const HIDDEN_VALUE = /^\{"event":"(?:builtin-)?answer".*"value":.*"hidden":true,"seal":"[^"]*"\}$/;
