import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describeEffects } from "../engine/run/describe-effects.ts";
import { excerptOf } from "../engine/run/excerpt.ts";
import { describeCalls } from "../engine/run/report.ts";
import { type JsonObject, valueText } from "../kernel/json.ts";
import { approveRun } from "../kernel/next-steps.ts";
import { count } from "../kernel/text.ts";
import type { ScriptSource } from "../model/bundle.ts";
import type { CallEffect, RunError, RunReport, WaitingCall } from "../model/run.ts";
import type { MetaAnswer } from "./meta-tool.ts";
import { resourceLink } from "./resources.ts";

/** What a client is told of a run. */
export async function runAnswer(
  root: string,
  report: RunReport,
  source: ScriptSource | undefined,
): Promise<MetaAnswer> {
  const { runId, kind, value, output, calls, effects, waiting, repeats, warnings } = report;
  const error = kind === "suspended" ? null : report.error;
  const waits = new Set(waiting.map(({ call }) => call));
  const unclear = effects.filter(({ call, status }) => status !== "done" && !waits.has(call));
  const parts = [
    ...output,
    ...(error === null ? [] : [runErrorText(error, source)]),
    ...(error === null && value !== undefined ? [valueText(value)] : []),
    ...firstLines(warnings, (warning) => `warning: ${warning}`, "more warning"),
    ...describeEffects({ effects: unclear, repeats: error === null ? [] : repeats }, "client"),
    ...firstLines(waiting, waitingText, "more waiting call"),
    ...(calls.total === 0 ? [] : [`(${describeCalls(calls)})`]),
    ...goOnText(report),
  ];
  return {
    text: parts.join("\n") || "(done, no value)",
    value: {
      runId,
      kind,
      value: value ?? null,
      output,
      calls: { ...calls },
      effects: mostTelling(effects).map((effect) => ({ ...effect })),
      waiting: waiting.slice(0, MAX_LINES).map((call) => ({ ...call })),
      warnings: warnings.slice(0, MAX_LINES),
    },
    isError: kind === "failed" || kind === "stopped",
    blocks: await keptFiles(root, runId),
  };
}

/** Of each kind; more say less. */
const MAX_LINES = 20;
/** A script makes up to a thousand calls, and what all of them did is no answer for a model. */
const MAX_EFFECTS = 100;

function firstLines<T>(items: readonly T[], lineOf: (item: T) => string, noun: string): readonly string[] {
  const rest = items.length - MAX_LINES;
  const lines = items.slice(0, MAX_LINES).map(lineOf);
  return rest <= 0 ? lines : [...lines, `… and ${count(rest, noun)}`];
}

/** All while they are few; of many the first, those before the others that are not done. */
function mostTelling(effects: readonly CallEffect[]): readonly CallEffect[] {
  if (effects.length <= MAX_EFFECTS) return effects;
  const isDone = ({ status }: CallEffect): boolean => status === "done";
  return [...effects.filter((effect) => !isDone(effect)), ...effects.filter(isDone)].slice(0, MAX_EFFECTS);
}

function waitingText({ call, server, tool, reason }: WaitingCall): string {
  return `call ${call} ${server}/${tool} waits for a person: ${reason}`;
}

/** How the client's model goes on with a run that did not end well, where there is something to go on with. */
function goOnText({ runId, kind, next, waiting }: RunReport): readonly string[] {
  if (next === null) return [];
  if (kind === "suspended") return [approveRun(runId, waiting.length).client];
  return [
    `resume_run {"id":"${runId}"} goes on without repeating what was done; with code, if the script is mended.`,
  ];
}

function runErrorText(error: RunError, source: ScriptSource | undefined): string {
  const place = error.file === null || error.line === null ? "" : `\n  at ${error.file}:${error.line}`;
  const excerpt = place === "" || source === undefined ? null : excerptOf(source, error);
  const shown = excerpt === null ? "" : `\n${excerpt}`;
  return `error ${error.code}: ${error.message}${place}${shown}${error.hint === "" ? "" : `\nhint: ${error.hint}`}`;
}

/** Links to what a run kept because it was too much to show. */
async function keptFiles(root: string, runId: string): Promise<readonly JsonObject[]> {
  const links: JsonObject[] = [];
  for (const [name, what] of KEPT) {
    const path = `.mcpfs/runs/${runId}/${name}`;
    if (await stat(join(root, path)).catch(() => undefined)) links.push(resourceLink(path, what));
  }
  return links;
}

const KEPT: readonly (readonly [name: string, what: string])[] = [
  ["output.txt", "The whole console output of the run."],
  ["value.json", "The whole value of the run."],
];
