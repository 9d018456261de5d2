import { open } from "node:fs/promises";
import type { PastCalls } from "../../broker/ports.ts";
import { JOURNAL_VERSION } from "../../journal/events.ts";
import { linesOf } from "../../journal/lines-of.ts";
import { undecidedCalls } from "../../journal/undecided-calls.ts";
import { systemCode, toMcpfsError } from "../../kernel/errors.ts";
import { isSameJson } from "../../kernel/json.ts";
import { type PastRun, takeRun } from "./past-run.ts";
import {
  continueRecordedRun,
  type RecordedRun,
  type RecordParts,
  type RecordRequest,
} from "./recorded-run.ts";
import { type RunFolder, runFolder, runIds } from "./run-folder.ts";

/**
 * Goes on with a call that waits for a person, where its client makes the same call again: what was decided about it meanwhile counts, and
 * what was not is asked once more, in the same run. One that is decided comes first, then the newest. It never went out, so nothing is
 * done twice; that tool, definition and arguments are those that were shown is judged like any decision.
 * @returns nothing where no such call waits
 */
export async function continueWaitingCall(
  parts: RecordParts,
  request: RecordRequest,
): Promise<RecordedRun | undefined> {
  const run = await takeWaiting(parts, request);
  return run === undefined ? undefined : await continueRecordedRun(parts, run, request, NEVER_SENT);
}

const NEVER_SENT: PastCalls = { effects: [], recall: async () => ({ kind: "new" }) };

async function takeWaiting(parts: RecordParts, request: RecordRequest): Promise<PastRun | undefined> {
  let newest: PastRun | undefined;
  for (const runId of [...(await runIds(parts.root))].reverse()) {
    if (!(await mayWait(runFolder(parts.root, runId), request))) continue;
    const run = await take(parts, runId);
    if (run === undefined) continue;
    if (!waitsFor(parts, run, request)) await run.release();
    else if (undecidedCalls(run.read.events).length === 0) {
      await newest?.release();
      return run;
    } else if (newest === undefined) newest = run;
    else await run.release();
  }
  return newest;
}

/** One that goes on elsewhere, was deleted or cannot be read waits for nobody here. */
async function take(parts: RecordParts, runId: string): Promise<PastRun | undefined> {
  try {
    return await takeRun(parts, runId);
  } catch (thrown) {
    const error = toMcpfsError(thrown);
    if (error.code === "INTERNAL") throw error;
    return undefined;
  }
}

function waitsFor({ redactor }: RecordParts, { past }: PastRun, { args, caller }: RecordRequest): boolean {
  return (
    past.end?.kind === "suspended" &&
    past.calls.size === 0 &&
    past.run.caller === caller &&
    isSameJson(past.run.args, redactor.redactJson(args))
  );
}

/** A glance that spares most of a thousand runs: a call of this tool by this client that never went out. */
async function mayWait({ journal, runId }: RunFolder, { caller, script }: RecordRequest): Promise<boolean> {
  const run = JSON.stringify({ event: "run", version: JOURNAL_VERSION, runId, caller, script });
  if (!(await beginsWith(journal, `${run.slice(0, -1)},`))) return false;
  try {
    for await (const lines of linesOf(journal)) if (lines.some((line) => SENT.test(line))) return false;
    return true;
  } catch (error) {
    if (systemCode(error) === "") throw error;
    return false;
  }
}

const SENT = /^\{"event":"(?:call|refused)"/;

async function beginsWith(path: string, text: string): Promise<boolean> {
  const expected = Buffer.from(text);
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer } = await file.read(Buffer.alloc(expected.length), 0, expected.length, 0);
    return buffer.equals(expected);
  } finally {
    await file.close();
  }
}
