import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { McpfsError, systemCode } from "../kernel/errors.ts";
import { nearestOf } from "../kernel/nearest.ts";
import { oneLine } from "../kernel/text.ts";
import { isTemporary } from "./open-inside.ts";
import { shownPath } from "./script-path.ts";

const MAX_NAMES = 5;

/** What stands behind a path: where it is, and how the script names it. */
export interface Place {
  /** Absolute, links resolved. */
  readonly real: string;
  /** Below the files folder, with slashes. */
  readonly below: string;
}

/** A file operation that failed. */
export function fileFailed(message: string, hint: string, cause?: unknown): McpfsError {
  return new McpfsError("FILE_FAILED", message, { hint, cause });
}

/** Says in our words what the system says about `place`; an {@link McpfsError} stays as it is. */
export async function fileFault(error: unknown, place: Place): Promise<McpfsError> {
  if (error instanceof McpfsError) return error;
  const code = systemCode(error);
  if (code === "ENOENT") return await missing(place, error);
  const known = SENTENCES.get(code);
  const [sentence, hint] = known ?? [
    "cannot be used: the system says %code.",
    "Look at the path with fs.stat.",
  ];
  return fileFailed(`${shownPath(place.below)} ${sentence.replace("%code", code || "nothing")}`, hint, error);
}

const SENTENCES: ReadonlyMap<string, readonly [sentence: string, hint: string]> = new Map([
  ["EISDIR", ["is a folder.", "List it with fs.readdir, or name a file in it."]],
  ["ENOTDIR", ["is not a folder, or a part of it is a file.", "Look at each part of the path with fs.stat."]],
  ["EEXIST", ["exists already.", "Use another name, or { recursive: true } for a folder that may exist."]],
  ["ENOTEMPTY", ["is a folder that is not empty.", "Remove it first with fs.rm and { recursive: true }."]],
  ["EACCES", ["is closed to mcpfs by the system.", "Ask the person who owns the file to allow it."]],
  ["EPERM", ["is closed to mcpfs by the system.", "Ask the person who owns the file to allow it."]],
  ["EROFS", ["lies on a disk that can only be read.", "Ask the person who owns the workspace."]],
  ["ENOSPC", ["was not written: the disk is full.", "Remove files that are no longer needed with fs.rm."]],
  [
    "EDQUOT",
    ["was not written: the disk quota is used up.", "Remove files that are no longer needed with fs.rm."],
  ],
  ["ENAMETOOLONG", ["has a name that is too long.", "Use names of at most 255 bytes."]],
  ["EINVAL", ["cannot be moved into itself.", "Choose a path that does not begin with the old one."]],
]);

async function missing(place: Place, cause: unknown): Promise<McpfsError> {
  const slash = place.below.lastIndexOf("/");
  const folder = place.below.slice(0, Math.max(slash, 0));
  const names = await namesIn(dirname(place.real));
  if (names === undefined && folder !== "")
    return fileFailed(
      `There is no folder ${shownPath(folder)}.`,
      `Make it first: await fs.mkdir(${JSON.stringify(shownPath(folder))}, { recursive: true }).`,
      cause,
    );
  return fileFailed(
    `There is no file ${shownPath(place.below)}.`,
    hintFor(place.below.slice(slash + 1), shownPath(folder), names ?? []),
    cause,
  );
}

function hintFor(name: string, folder: string, names: readonly string[]): string {
  const near = nearestOf(name, names, MAX_NAMES);
  const listed = (some: readonly string[]): string => some.map((one) => oneLine(one, 60)).join(", ");
  if (near.length > 0) return `In ${folder} there is: ${listed(near)}.`;
  if (names.length === 0) return `${folder} is empty; write the file first with fs.writeFile.`;
  const more = names.length > MAX_NAMES ? ", …" : "";
  return `In ${folder} there is: ${listed(names.slice(0, MAX_NAMES))}${more}.`;
}

async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder)).filter((name) => !isTemporary(name)).sort();
  } catch {
    return undefined;
  }
}
