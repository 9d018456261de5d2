import { realpath } from "node:fs/promises";
import { withFileLock } from "../kernel/file-lock.ts";
import { writeAtomic } from "../kernel/fsx.ts";
import { isJsonObject, type Json, own } from "../kernel/json.ts";
import type { ServerName } from "../model/names.ts";
import { readUserFile, USER_FILE_MODE, type UserFile, userFilePath, writingUserFile } from "./user-folder.ts";

/** Digests of what this user has approved for each server of one workspace. */
export type Approvals = ReadonlyMap<ServerName, ReadonlySet<string>>;

/** What this user has approved, kept outside of every workspace: a repository that is cloned approves nothing itself. */
export interface TrustStore {
  /** @throws McpfsError CONFIG_INVALID when the file cannot be read or understood: then nothing is trusted */
  readonly read: () => Promise<Approvals>;
  /** @throws McpfsError CONFIG_INVALID as `read` does, FILE_FAILED when it cannot be written */
  readonly add: (approved: ReadonlyMap<ServerName, readonly string[]>) => Promise<void>;
}

const VERSION = 1;

/** Creates the store of the workspace `root`, `trust.json` in the user's folder. Nothing is read before it is asked. */
export function createTrustStore(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): TrustStore {
  const path = userFilePath(env, "trust.json");
  const file: UserFile<Stored> = {
    path,
    parse: parseStore,
    consequence: "no server is started",
    hint: 'It holds what you have trusted. Repair or delete it, then "mcpfs trust" asks again.',
  };
  const read = async (): Promise<Stored> => (await readUserFile(file)) ?? new Map();

  return {
    read: async () => approvalsOf((await read()).get(await realpath(root))),
    add: async (approved) => {
      const workspace = await realpath(root);
      await writingUserFile(
        path,
        () =>
          withFileLock(userFilePath(env, "trust.lock"), async () => {
            const stored = new Map(await read());
            const servers = new Map(stored.get(workspace));
            for (const [name, digests] of approved)
              servers.set(name, [...new Set([...(servers.get(name) ?? []), ...digests])]);
            await writeAtomic(path, storeText(stored.set(workspace, servers)), USER_FILE_MODE);
          }),
        'Without a file: "mcpfs trust --json" prints a digest for MCPFS_TRUST.',
      );
    },
  };
}

/** Workspace → server → digests. */
type Stored = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

function parseStore(value: Json): Stored {
  const workspaces = own(value, "workspaces");
  if (own(value, "version") !== VERSION || !isJsonObject(workspaces))
    throw new TypeError("not a trust store");
  return new Map(
    Object.entries(workspaces).map(([workspace, servers]) => {
      if (!isJsonObject(servers)) throw new TypeError("not an object of servers");
      return [workspace, new Map(Object.entries(servers).map(([name, digests]) => [name, texts(digests)]))];
    }),
  );
}

function texts(value: Json | undefined): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new TypeError("not a list of digests");
}

function storeText(stored: Stored): string {
  const workspaces = Object.fromEntries(
    [...stored].map(([workspace, servers]) => [workspace, Object.fromEntries(servers)]),
  );
  return `${JSON.stringify({ version: VERSION, workspaces }, null, 2)}\n`;
}

function approvalsOf(servers: ReadonlyMap<string, readonly string[]> | undefined): Approvals {
  return new Map([...(servers ?? [])].map(([name, digests]) => [name as ServerName, new Set(digests)]));
}
