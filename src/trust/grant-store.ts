import { realpath } from "node:fs/promises";
import { withFileLock } from "../kernel/file-lock.ts";
import { writeAtomic } from "../kernel/fsx.ts";
import { isJsonObject, type Json, own } from "../kernel/json.ts";
import type { Grant } from "../model/grant.ts";
import type { RawToolName, ServerName } from "../model/names.ts";
import { readUserFile, USER_FILE_MODE, type UserFile, userFilePath, writingUserFile } from "./user-folder.ts";

/** Grants of this user for one workspace, kept outside of every workspace. */
export interface GrantStore {
  /** Those that expired are among them. @throws McpfsError CONFIG_INVALID when the file cannot be read or understood: then nothing is granted */
  readonly read: () => Promise<readonly Grant[]>;
  /** Adds a grant, in place of one for the same tool. @throws McpfsError CONFIG_INVALID, FILE_FAILED */
  readonly add: (grant: Grant) => Promise<void>;
  /** Takes away grants by their ids. @throws McpfsError CONFIG_INVALID, FILE_FAILED */
  readonly remove: (ids: ReadonlySet<string>) => Promise<void>;
}

const VERSION = 1;

/** Creates the store of the workspace `root`, `grants.json` in the user's folder. Nothing is read before it is asked. */
export function createGrantStore(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): GrantStore {
  const path = userFilePath(env, "grants.json");
  const file: UserFile<Stored> = {
    path,
    parse: parseStore,
    consequence: "no grant counts",
    hint: "It holds what you have allowed for longer than a run. Repair or delete it; calls are then asked about again.",
  };
  const read = async (): Promise<Stored> => (await readUserFile(file)) ?? new Map();

  const change = async (next: (grants: readonly Grant[]) => readonly Grant[]): Promise<void> => {
    const workspace = await realpath(root);
    await writingUserFile(path, () =>
      withFileLock(userFilePath(env, "grants.lock"), async () => {
        const stored = new Map(await read());
        await writeAtomic(
          path,
          storeText(stored.set(workspace, next(stored.get(workspace) ?? []))),
          USER_FILE_MODE,
        );
      }),
    );
  };

  return {
    read: async () => (await read()).get(await realpath(root)) ?? [],
    add: async (grant) =>
      await change((grants) => [
        ...grants.filter(({ server, tool }) => server !== grant.server || tool !== grant.tool),
        grant,
      ]),
    remove: async (ids) => await change((grants) => grants.filter(({ id }) => !ids.has(id))),
  };
}

/** Workspace → grants. */
type Stored = ReadonlyMap<string, readonly Grant[]>;

function parseStore(value: Json): Stored {
  const workspaces = own(value, "workspaces");
  if (own(value, "version") !== VERSION || !isJsonObject(workspaces))
    throw new TypeError("not a store of grants");
  return new Map(
    Object.entries(workspaces).map(([workspace, grants]) => {
      if (!Array.isArray(grants)) throw new TypeError("not a list of grants");
      return [workspace, (grants as readonly Json[]).map(parseGrant)];
    }),
  );
}

function parseGrant(value: Json): Grant {
  const text = (key: string): string => {
    const found = own(value, key);
    if (typeof found !== "string" || found === "") throw new TypeError(`${key} is not a text`);
    return found;
  };
  const number = (key: string): number => {
    const found = own(value, key);
    if (typeof found !== "number") throw new TypeError(`${key} is not a number`);
    return found;
  };
  return {
    id: text("id"),
    server: text("server") as ServerName,
    identity: text("identity"),
    tool: text("tool") as RawToolName,
    definition: text("definition"),
    ...(own(value, "untilMs") === undefined ? {} : { untilMs: number("untilMs") }),
    grantedMs: number("grantedMs"),
  };
}

function storeText(stored: Stored): string {
  return `${JSON.stringify({ version: VERSION, workspaces: Object.fromEntries(stored) }, null, 2)}\n`;
}
