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
