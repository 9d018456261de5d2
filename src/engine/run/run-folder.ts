import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SealKey } from "../../journal/seal-key.ts";
import { McpfsError, systemCode } from "../../kernel/errors.ts";
import { statIfExists } from "../../kernel/fsx.ts";
import type { Redactor } from "../../kernel/log.ts";
import { nearestOf } from "../../kernel/nearest.ts";
import { listRuns } from "../../kernel/next-steps.ts";
import { oneLine } from "../../kernel/text.ts";
import type { Durability } from "../../model/run-keeping.ts";

/** What journals of a workspace are written and read with. */
export interface JournalParts {
  readonly root: string;
  readonly redactor: Redactor;
  readonly sealKey: () => Promise<SealKey>;
  readonly durability: Durability;
}

/** Where everything about one run lies. */
export interface RunFolder {
  readonly runId: string;
  /** Absolute. */
  readonly path: string;
  /** As it is shown: below the workspace, with slashes. */
  readonly shown: string;
  readonly journal: string;
  /** Held by the process in which the run goes on. */
  readonly lock: string;
}

export function runFolder(root: string, runId: string): RunFolder {
  const path = join(runsFolder(root), runId);
  return {
    runId,
    path,
    shown: `.mcpfs/runs/${runId}`,
    journal: join(path, "journal.jsonl"),
    lock: join(path, "run.lock"),
  };
}

/** The folder of a run that was made before. @throws McpfsError USAGE when there is none, or it is a link */
export async function findRun(root: string, runId: string): Promise<RunFolder> {
  const folder = runFolder(root, RUN_ID.test(runId) ? runId : "none");
  if (RUN_ID.test(runId) && (await statIfExists(folder.path))?.isDirectory() === true) return folder;
  const near = nearestOf(runId, await runIds(root), 3);
  throw new McpfsError("USAGE", `There is no run ${JSON.stringify(oneLine(runId))}.`, {
    hint: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : listRuns(),
  });
}

/** The ids of all runs of a workspace, oldest first. */
export async function runIds(root: string): Promise<readonly string[]> {
  try {
    const found = await readdir(runsFolder(root), { withFileTypes: true });
    return found
      .filter((entry) => entry.isDirectory() && RUN_ID.test(entry.name))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** When a run began, by the second that its id names, in milliseconds since 1970. */
export function startOfRun(runId: string): number {
  const [, year, month, day, hour, minute, second] = RUN_ID.exec(runId) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** What {@link createRunId} makes. */
const RUN_ID = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-[0-9a-f]{8}$/;

function runsFolder(root: string): string {
  return join(root, ".mcpfs", "runs");
}
