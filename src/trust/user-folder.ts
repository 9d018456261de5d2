import { join } from "node:path";
import envPaths from "env-paths";
import { McpfsError, systemCode } from "../kernel/errors.ts";
import { readIfExists } from "../kernel/fsx.ts";
import { type Json, parseJson } from "../kernel/json.ts";

/** Only its user may read or write what lies there. */
export const USER_FILE_MODE = 0o600;

/**
 * The user's folder for what no workspace may say of itself: `~/.config/mcpfs` on Linux, or `MCPFS_HOME`. A repository that is cloned
 * approves nothing.
 */
export function userFolder(env: Readonly<Record<string, string | undefined>>): string {
  const home = env.MCPFS_HOME;
  return home === undefined || home === "" ? envPaths("mcpfs", { suffix: "" }).config : home;
}

/** One file of that folder, and what its errors say. */
export interface UserFile<T> {
  readonly path: string;
  /** @throws TypeError where the value is not what the file holds */
  readonly parse: (value: Json) => T;
  /** What is so while it cannot be read: `no server is started`. */
  readonly consequence: string;
  readonly hint: string;
}

/** Names a file in the user's folder. */
export function userFilePath(env: Readonly<Record<string, string | undefined>>, name: string): string {
  return join(userFolder(env), name);
}

/**
 * Does `work`, which writes a user's file, and names what the system says of the file or of its lock.
 * @param instead a sentence on what helps where the file cannot be written
 * @throws McpfsError FILE_FAILED, and what `work` throws of ours
 */
export async function writingUserFile<T>(path: string, work: () => Promise<T>, instead = ""): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof McpfsError) throw error;
    throw new McpfsError("FILE_FAILED", `${path} cannot be written (${systemCode(error)}).`, {
      hint: `Correct its permissions, or set MCPFS_HOME to a folder of yours. ${instead}`.trim(),
      cause: error,
    });
  }
}

/** What a user's file holds; `undefined` where there is none. @throws McpfsError CONFIG_INVALID: nothing is approved by accident */
export async function readUserFile<T>(file: UserFile<T>): Promise<T | undefined> {
  const invalid = (what: string, cause: unknown): McpfsError =>
    new McpfsError("CONFIG_INVALID", `${file.path} ${what}; ${file.consequence}.`, {
      hint: file.hint,
      cause,
    });
  let text: string | undefined;
  try {
    text = await readIfExists(file.path);
  } catch (error) {
    throw invalid(`cannot be read (${systemCode(error)})`, error);
  }
  if (text === undefined) return undefined;
  try {
    return file.parse(parseJson(text));
  } catch (error) {
    throw invalid("cannot be understood", error);
  }
}
