import { isJsonObject } from "../../kernel/json.ts";
import type { ServerName } from "../../model/names.ts";
import type { Limits } from "../../model/run.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import type { SyncReport } from "../../model/sync-report.ts";
import type { Catalog, Tool } from "../../model/tool.ts";
import { permissionOf } from "../../policy/permission.ts";
import { createValidator, type Validator } from "../../schema/validator.ts";
import { callNeedsApproval } from "../call/waits-for-approval.ts";
import { openRecordedRun, type RecordParts } from "./recorded-run.ts";
import { singleCall } from "./single-call.ts";

export interface LearnRequest {
  readonly catalog: Catalog;
  /** Only tools of these are called. */
  readonly servers: readonly ServerName[];
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

/**
 * Calls, through the broker and recorded as one run, each tool that says it only reads, needs no arguments, and declares no output;
 * no other. Learns the types of what they answer.
 */
export async function callToLearn(
  parts: RecordParts,
  { catalog, servers, limits, signal = new AbortController().signal }: LearnRequest,
): Promise<Pick<SyncReport, "learned" | "warnings">> {
  const validator = createValidator();
  const tools = parts.entries
    .filter(({ name }) => servers.includes(name))
    .flatMap((entry) => toolsToCall(entry, catalog, validator))
    // Nobody is asked about calls that serve nothing but types.
    .filter((tool) => permissionOf(parts.policy, tool, "call") === "allow");
  if (tools.length === 0) return { learned: [], warnings: [] };
  await using run = await openRecordedRun(parts, {
    caller: "call",
    script: "sync --learn",
    text: "",
    args: null,
    limits,
  });
  const outcomes = await Promise.all(
    tools.map((tool) =>
      singleCall(run.broker, tool, { args: {}, signal, caller: "call" }, callNeedsApproval(tool)),
    ),
  );
  const { changed, warnings } = await run.learn();
  await run.end({ kind: "ok", code: undefined, lines: 0 });
  const failures = outcomes.flatMap((outcome) =>
    outcome.kind === "ok" ? [] : [`${outcome.error.server}/${outcome.error.tool}: ${outcome.error.message}`],
  );
  return {
    learned: changed.map(({ server, raw }) => ({ server, tool: raw })),
    warnings: [...failures, ...warnings],
  };
}

function toolsToCall(
  { name, outputs }: ServerEntry,
  catalog: Catalog,
  validator: Validator,
): readonly Tool[] {
  const tools = catalog.servers.find((server) => server.name === name)?.tools ?? [];
  return tools.filter(
    (tool) =>
      tool.risk === "read" &&
      tool.outputSchema === undefined &&
      outputs.learning(tool.raw).isOn &&
      takesNothing(tool, validator),
  );
}

/** True when `{}` is surely good: a schema that nobody can judge by may ask for anything. */
function takesNothing({ wire, inputSchema }: Tool, validator: Validator): boolean {
  const { faults, unusable } = validator.judge(wire, inputSchema, {});
  return isJsonObject(inputSchema) && faults.length === 0 && unusable === undefined;
}

/** One report of a sync, and of the one after it that wrote what was learned. */
export function withLearned(
  first: SyncReport,
  second: SyncReport,
  { learned, warnings }: Pick<SyncReport, "learned" | "warnings">,
): SyncReport {
  return {
    ...first,
    files: {
      written: first.files.written + second.files.written,
      deleted: first.files.deleted + second.files.deleted,
      unchanged: second.files.unchanged,
    },
    isStale: first.isStale || second.isStale,
    warnings: [...first.warnings, ...warnings, ...second.warnings],
    learned,
  };
}
