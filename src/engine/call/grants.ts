import { randomUUID } from "node:crypto";
import type { Clock } from "../../kernel/clock.ts";
import { type Grant, type GrantStatus, type GrantSubject, grantStatus } from "../../model/grant.ts";
import { BUILTIN_SERVER, type ServerName } from "../../model/names.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import { identityDigest } from "../../model/server-identity.ts";
import type { Tool } from "../../model/tool.ts";
import type { GrantStore } from "../../trust/grant-store.ts";

/** A grant as `grants list` shows it. */
export interface ListedGrant extends Grant {
  readonly status: GrantStatus;
}

/** What this user has allowed for longer than a run, in this workspace. */
export interface Grants {
  /** @throws McpfsError CONFIG_INVALID as the store does */
  readonly covers: (tool: Tool) => Promise<boolean>;
  /** @param untilMs absent: for ever. @throws McpfsError CONFIG_INVALID, FILE_FAILED */
  readonly add: (tool: Tool, untilMs?: number) => Promise<void>;
  /**
   * All of them, the oldest first.
   * @param toolOf the tool of a grant as the workspace has it now
   * @throws McpfsError CONFIG_INVALID
   */
  readonly list: (toolOf: (grant: Grant) => Tool | undefined) => Promise<readonly ListedGrant[]>;
  /** @throws McpfsError CONFIG_INVALID, FILE_FAILED */
  readonly revoke: (ids: ReadonlySet<string>) => Promise<void>;
}

/** Creates the grants of a workspace; the store is read anew each time, since another command may change it. */
export function createGrants(options: {
  readonly store: () => Promise<GrantStore>;
  readonly entryOf: (server: ServerName) => ServerEntry | undefined;
  readonly clock: Clock;
}): Grants {
  const { store, entryOf, clock } = options;
  const subjectOf = (tool: Tool | undefined): GrantSubject | undefined => {
    if (tool === undefined) return undefined;
    const { server, raw, digest } = tool;
    const entry = entryOf(server);
    if (entry === undefined && server !== BUILTIN_SERVER) return undefined;
    const identity = entry === undefined ? `builtin ${BUILTIN_SERVER}` : identityOf(entry);
    return { server, identity, tool: raw, definition: digest };
  };
  return {
    covers: async (tool) => {
      const subject = subjectOf(tool);
      const nowMs = clock.now();
      return (await (await store()).read()).some((grant) => grantStatus(grant, subject, nowMs) === "valid");
    },
    add: async (tool, untilMs) => {
      const subject = subjectOf(tool);
      if (subject === undefined) return;
      const id = randomUUID().slice(0, 8);
      const end = untilMs === undefined ? {} : { untilMs };
      await (await store()).add({ id, ...subject, ...end, grantedMs: clock.now() });
    },
    list: async (toolOf) => {
      const nowMs = clock.now();
      const grants = [...(await (await store()).read())].sort((a, b) => a.grantedMs - b.grantedMs);
      return grants.map((grant) => ({
        ...grant,
        status: grantStatus(grant, subjectOf(toolOf(grant)), nowMs),
      }));
    },
    revoke: async (ids) => await (await store()).remove(ids),
  };
}

/** A demo server starts nothing of its own and has no identity: it is what ships with mcpfs. */
function identityOf({ identity, transport }: ServerEntry): string {
  if (identity !== undefined) return identityDigest(identity);
  return transport.kind === "builtin" ? `builtin ${transport.name}` : "none";
}
