import { type Journal, openJournal } from "../../journal/journal.ts";
import { type Past, pastOf } from "../../journal/past.ts";
import { type ReadJournal, readJournal } from "../../journal/read-journal.ts";
import { joinHints, McpfsError } from "../../kernel/errors.ts";
import { tryFileLock } from "../../kernel/file-lock.ts";
import { type Json, stringifyJson } from "../../kernel/json.ts";
import { HIDDEN } from "../../kernel/log.ts";
import { showRun } from "../../kernel/next-steps.ts";
import type { JournalParts } from "./run-folder.ts";
import { findRun, type RunFolder } from "./run-folder.ts";

/** A run of the past, held so that no other process goes on with it. */
export interface PastRun {
  readonly folder: RunFolder;
  readonly past: Past;
  readonly read: ReadJournal;
  /** Opens its journal for what comes now. */
  readonly openJournal: () => Promise<Journal>;
  readonly release: () => Promise<void>;
}

/**
 * Takes a run that nobody works on, and reads its journal.
 * @throws McpfsError USAGE for an unknown run, RUN_BUSY while another process has it, JOURNAL_INVALID
 */
export async function takeRun(parts: JournalParts, runId: string): Promise<PastRun> {
  const folder = await findRun(parts.root, runId);
  const release = await tryFileLock(folder.lock);
  if (release === undefined) throw busy(runId);
  try {
    const { key, isKept } = await parts.sealKey();
    const read = await readJournal(folder.journal, { key, runId });
    if (read === undefined || !isKept) throw noJournal(folder, isKept);
    return {
      folder,
      read,
      past: pastOf(read.events),
      openJournal: async () =>
        await openJournal({
          path: folder.journal,
          runId,
          key,
          print: parts.redactor.printJson,
          durability: parts.durability,
          after: read,
        }),
      release,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** True where the arguments of a run held a secret, which its journal hides: it would compute with another. */
export function hidesArguments({
  isHidden,
  args,
}: {
  readonly isHidden: boolean;
  readonly args: Json;
}): boolean {
  return isHidden && stringifyJson(args).includes(HIDDEN);
}

function busy(runId: string): McpfsError {
  return new McpfsError("RUN_BUSY", `The run ${runId} goes on in another process.`, {
    hint: joinHints("Wait for it to end.", showRun(runId)),
  });
}

export function noJournal({ shown, runId }: RunFolder, isKeyKept: boolean): McpfsError {
  return isKeyKept
    ? new McpfsError("JOURNAL_INVALID", `The run ${runId} has no journal in ${shown}.`, {
        hint: "It may have been deleted. Run the script again.",
      })
    : new McpfsError("JOURNAL_INVALID", "The key that journals are sealed with cannot be kept.", {
        hint: "Make your folder for configs writable, or set MCPFS_HOME to one that is; then run the script again.",
      });
}
