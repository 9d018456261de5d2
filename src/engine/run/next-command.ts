import type { ErrorCode } from "../../kernel/errors.ts";
import { type CallEffect, LIMIT_TABLE, type Limits, type RunReport, raised } from "../../model/run.ts";
import { isCallRun } from "./single-call.ts";

/** What is known of a run that ended. */
export interface EndedRun {
  readonly runId: string;
  readonly caller: string;
  readonly kind: RunReport["kind"];
  readonly code: ErrorCode | undefined;
  readonly effects: readonly CallEffect[];
  readonly limits: Limits;
  /** As the user named it. */
  readonly script: string;
}

/** The one command that goes on with a run; `null` for one that ended well, failed before it did anything, or is one call that failed. */
export function nextCommand({ runId, caller, kind, code, effects, limits, script }: EndedRun): string | null {
  if (kind === "ok" || (kind === "failed" && (effects.length === 0 || isCallRun({ caller, script }))))
    return null;
  const resume = `mcpfs runs resume ${runId}`;
  if (kind === "suspended") return `mcpfs runs approve ${runId} && ${resume}`;
  const limit = raisedLimit(code, limits);
  if (limit !== undefined) return `${resume} ${limit}`;
  // Whoever mends the script names it; one that came from standard input comes from there again.
  if (kind === "failed") return `${resume} ${script === "<stdin>" ? "-" : quoted(script)}`;
  return resume;
}

/** The option that raises the limit which ended the run. */
function raisedLimit(code: ErrorCode | undefined, limits: Limits): string | undefined {
  for (const name of Object.keys(LIMIT_TABLE) as (keyof Limits)[]) {
    const { code: own, option } = LIMIT_TABLE[name];
    const more = raised(name, limits[name]);
    if (own === code && option !== undefined && more !== undefined) return `${option} ${more}`;
  }
  return undefined;
}

function quoted(script: string): string {
  return /^[\w./-]+$/.test(script) ? script : `'${script.replaceAll("'", "'\\''")}'`;
}

/** Numbers of the calls that a new run of the script would make twice: they took effect, or may have, and are more than reads. */
export function repeatsOf(kind: RunReport["kind"], effects: readonly CallEffect[]): readonly number[] {
  if (kind === "ok") return [];
  return effects
    .filter(({ status, risk }) => risk !== "read" && (status === "done" || status === "unknown"))
    .map(({ call }) => call);
}
