import { builtinKey, callKey, type Past } from "../../journal/past.ts";
import { digestText } from "../../kernel/digest.ts";
import { joinHints, McpfsError } from "../../kernel/errors.ts";
import { HIDDEN } from "../../kernel/log.ts";
import { resumeWithScript, showRun } from "../../kernel/next-steps.ts";
import type { ScriptSource } from "../../model/bundle.ts";
import { type Limits, type RunReport, withLimits } from "../../model/run.ts";
import { type Caller, readCaller } from "../../policy/decision.ts";
import { hidesArguments, takeRun } from "./past-run.ts";
import { continueRecordedRun } from "./recorded-run.ts";
import { createReplay } from "./replay.ts";
import { bundleOf, type RunParts, type RunRequest, runRecorded } from "./run.ts";
import { isCallRun } from "./single-call.ts";

export interface ResumeRequest extends Omit<RunRequest, "source" | "args" | "limits"> {
  readonly runId: string;
  /** The script, where it was edited; else the recorded one. */
  readonly source?: ScriptSource | undefined;
  /** Asked for now. */
  readonly limits: Partial<Limits>;
  /** Those of the config. */
  readonly configured: Limits;
}

/**
 * Goes on with a run: replays what its journal holds, and makes the calls that follow. The same journal is written on.
 * @throws McpfsError USAGE for a run that is unknown or ended well, RUN_BUSY, JOURNAL_INVALID
 */
export async function resumeRun(
  partsFor: (limits: Limits, caller: Caller) => Promise<RunParts>,
  open: Parameters<typeof takeRun>[0],
  request: ResumeRequest,
): Promise<RunReport> {
  const run = await takeRun(open, request.runId);
  try {
    const { past } = run;
    refuseFinished(past);
    const source = request.source ?? recordedScript(past);
    refuseHidden(past);
    const limits = withLimits(largest(past.script.limits, request.configured), request.limits);
    const caller = callerOf(past);
    const parts = await partsFor(limits, caller);
    const bundle = await bundleOf(parts, source);
    const isSameScript = !(bundle instanceof McpfsError) && digestText(bundle.code) === past.bundle;
    const replay = createReplay({
      past,
      isSameScript,
      redact: parts.redactor.redactJson,
    });
    const { name: script, path, text } = source;
    const { args } = past.run;
    await using record = await continueRecordedRun(
      parts,
      run,
      { caller, script, path, text, args, limits, granted: request.granted ?? [] },
      replay.calls,
    );
    const printedLines = isSameScript ? past.scriptEnd?.lines : undefined;
    return await runRecorded(
      parts,
      { ...request, source, args, limits, caller },
      { record, bundle, replay: { replay, printedLines } },
    );
  } finally {
    await run.release();
  }
}

/** The run keeps the limits that it had, and gets what the config gives by now where that is more. */
function largest(had: Limits, configured: Limits): Limits {
  const names = Object.keys(configured) as (keyof Limits)[];
  return Object.fromEntries(
    names.map((name) => [name, Math.max(had[name], configured[name])]),
  ) as unknown as Limits;
}

/** Who the run's calls are asked for: as it was, so that a resume is no way around a rule. */
function callerOf({ run }: Past): Caller {
  return readCaller(run.caller) ?? "exec";
}

function refuseFinished({ run, end }: Past): void {
  if (isCallRun(run) && (end?.kind === "failed" || run.text === ""))
    throw new McpfsError("USAGE", `The run ${run.runId} was no script but "${run.script}".`, {
      hint: "Of single calls only one that waits, or was interrupted, is resumed; make the call again.",
    });
  if (end?.kind === "ok")
    throw new McpfsError("USAGE", `The run ${run.runId} ended well; there is nothing to resume.`, {
      hint: showRun(run.runId),
    });
}

function recordedScript({ run, script }: Past): ScriptSource {
  const { script: name, path, text, hidden } = script;
  if (hidden === true && text.includes(HIDDEN))
    throw new McpfsError(
      "USAGE",
      `The script of the run ${run.runId} holds a secret, which its journal hides.`,
      {
        hint: resumeWithScript(run.runId, name === "<stdin>" ? "script.ts" : name),
      },
    );
  return { path, name, text };
}

/** A script that got a secret in a value may compute with it; without it, it would do something else. */
function refuseHidden({ run, order, calls, builtins }: Past): void {
  const isArgument = hidesArguments({ isHidden: run.hidden === true, args: run.args });
  const isHidden =
    isArgument ||
    [...calls.values()].some(({ call, answer }) => answer?.isHidden && order.includes(callKey(call))) ||
    [...builtins.values()].some(
      ({ builtin, answer }) => answer?.isHidden && order.includes(builtinKey(builtin)),
    );
  if (isHidden) throw secretError(run.runId, isArgument);
}

function secretError(runId: string, isArgument: boolean): McpfsError {
  const what = isArgument ? "arguments" : "answers";
  return new McpfsError(
    "JOURNAL_INVALID",
    `The ${what} of the run ${runId} held a secret of mcpfs.json, which its journal hides: they cannot be replayed.`,
    {
      hint: joinHints("Run a script that does the rest.", showRun(runId)),
    },
  );
}
