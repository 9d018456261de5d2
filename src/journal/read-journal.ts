import { lstat } from "node:fs/promises";
import { McpfsError, systemCode } from "../kernel/errors.ts";
import { readIfExists } from "../kernel/fsx.ts";
import { own, parseJson } from "../kernel/json.ts";
import { count } from "../kernel/text.ts";
import { isJournalEvent } from "./event-form.ts";
import { JOURNAL_VERSION, type JournalEvent } from "./events.ts";
import { lengthPath } from "./journal.ts";
import { linesOf } from "./lines-of.ts";
import { type SealSource, sealOf, unsealed } from "./seal.ts";

/** A journal that was found to be what mcpfs wrote. */
export interface ReadJournal {
  readonly events: readonly JournalEvent[];
  /** Where the next event goes: the length without a last line that a crash cut off. */
  readonly bytes: number;
  readonly seal: string;
}

/** A run of a thousand calls takes a megabyte or so; what is larger than this would only fill the memory. */
const MAX_BYTES: number = 256 * 1024 * 1024;

/**
 * Reads a journal and believes none of it: every line must carry the seal of this user's key, and the whole must be as long as was
 * noted. A last line that was cut off by a crash is left out.
 * @returns `undefined` where there is no journal
 * @throws McpfsError JOURNAL_INVALID for one that was cut, edited or moved, is too large, or of another version
 */
export async function readJournal(path: string, source: SealSource): Promise<ReadJournal | undefined> {
  if (!(await isThere(path))) return undefined;
  const noted = await notedLength(path);
  const events: JournalEvent[] = [];
  let seal = "";
  let at = 0;
  let isNotedMet = noted?.bytes === 0;
  const take = (text: string): void => {
    const number = events.length + 1;
    const found = unsealed(text);
    if (number === 1) refuseOtherVersion(path, found?.line ?? text);
    if (found === undefined) throw edited(path, number);
    seal = sealOf(source, seal, found.line);
    if (seal !== found.seal) throw number === 1 ? foreign(path) : edited(path, number);
    const event = parse(found.line);
    if (!isJournalEvent(event) || (number === 1) !== (event.event === "run")) throw edited(path, number);
    events.push(event);
    at += Buffer.byteLength(text) + 1;
    if (at === noted?.bytes) isNotedMet = seal === noted.seal;
  };
  for await (const lines of linesOf(path)) lines.forEach(take);
  if (events.length === 0) throw cut(path);
  if (!isNotedMet) throw cut(path);
  return { events, bytes: at, seal };
}

/** @throws McpfsError JOURNAL_INVALID for one that need not be looked at */
async function isThere(path: string): Promise<boolean> {
  try {
    const stat = await lstat(path);
    if (!stat.isFile()) throw invalid(path, "is not a file", "Delete what stands there.");
    if (stat.size > MAX_BYTES) {
      const size = count(Math.ceil(stat.size / 1024 / 1024), "megabyte");
      throw invalid(path, `has ${size}; up to ${MAX_BYTES / 1024 / 1024} are read`, AGAIN);
    }
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

async function notedLength(
  path: string,
): Promise<{ readonly bytes: number; readonly seal: string } | undefined> {
  const [, bytes, seal] = /^(\d{16}) (\S+)\n$/.exec((await readIfExists(lengthPath(path))) ?? "") ?? [];
  return bytes === undefined || seal === undefined ? undefined : { bytes: Number(bytes), seal };
}

function parse(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}

function refuseOtherVersion(path: string, line: string): void {
  const event = parse(line);
  const version = own(event, "version");
  if (own(event, "event") !== "run" || version === JOURNAL_VERSION) return;
  throw invalid(
    path,
    `is of version ${typeof version === "number" ? version : "unknown"}; this mcpfs reads version ${JOURNAL_VERSION}`,
    "Resume it with the version of mcpfs that began it, or run the script again.",
  );
}

const AGAIN =
  "Nothing of it was run. Look at what the run did at its servers before you run the script again.";

function foreign(path: string): McpfsError {
  return invalid(
    path,
    "does not carry this user's seal: it was edited, or another user, machine or workspace wrote it",
    AGAIN,
  );
}

function edited(path: string, line: number): McpfsError {
  return invalid(path, `was changed at line ${line} after it was written`, AGAIN);
}

function cut(path: string): McpfsError {
  return invalid(path, "is shorter than what was written to it", AGAIN);
}

function invalid(path: string, what: string, hint: string): McpfsError {
  return new McpfsError("JOURNAL_INVALID", `The journal ${path} ${what}.`, { hint, data: { path } });
}
