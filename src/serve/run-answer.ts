import { stat } from "node:fs/promises";
import { join } from "node:path";
import { excerptOf } from "../engine/run/excerpt.ts";
import { describeCalls } from "../engine/run/report.ts";
import { type JsonObject, valueText } from "../kernel/json.ts";
import { approveRun } from "../kernel/next-steps.ts";
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
  const { runId, kind, value, output, calls, effects, waiting, warnings } = report;
  const error = kind === "suspended" ? null : report.error;
  const waits = new Set(waiting.map(({ call }) => call));
  const unclear = effects.filter(({ call, status }) => status !== "done" && !waits.has(call));
  const parts = [
    ...output,
    ...(error === null ? [] : [runErrorText(error, source)]),
    ...(error === null && value !== undefined ? [valueText(value)] : []),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...unclear.map(effectText),
    ...waiting.map(waitingText),
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
      effects: effects.map((effect) => ({ ...effect })),
      waiting: waiting.map((call) => ({ ...call })),
      warnings,
    },
    isError: kind === "failed" || kind === "stopped",
    blocks: await keptFiles(root, runId),
  };
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

const OUTCOMES: Readonly<Record<CallEffect["status"], string>> = {
  done: "took effect",
  failed: "failed",
  unknown: "nobody knows whether it took effect",
  "never-sent": "was not sent",
};

function effectText({ call, server, tool, status, retry }: CallEffect): string {
  const again =
    retry === "safe" ? "; may be repeated" : retry === "unsafe" ? "; look before you repeat it" : "";
  return `call ${call} ${server}/${tool}: ${OUTCOMES[status]}${again}`;
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
