import type { Clock } from "../../kernel/clock.ts";
import { type McpfsError, toMcpfsError } from "../../kernel/errors.ts";
import { stringifyJson } from "../../kernel/json.ts";
import type { ServerLink } from "../../mcp/server-link.ts";
import type { ToolAnswer } from "../../model/call.ts";
import type { ServerName } from "../../model/names.ts";
import { connectionKey, type ServerEntry } from "../../model/server-entry.ts";
import type { ReadPlace, ReadStore } from "./read-store.ts";
import type { StartedServers } from "./started-servers.ts";

/**
 * Reads resources, and keeps what its server allows to keep (`ttlMs`; MCP 2026-07-28, caching), in memory and for later hosts on
 * the disk. What is kept belongs to one entry of the config with its credentials, so both scopes, `private` and `public`, hold for it.
 */
export interface ResourceReads {
  /**
   * The contents of a resource: kept ones while they are fresh; else asked for. Where asking fails since the server cannot be
   * reached, old contents are given with a warning.
   * @throws McpfsError as {@link ServerLink.readResource} does
   */
  readonly read: (server: ServerName, uri: string, signal: AbortSignal) => Promise<ToolAnswer>;
  /** True where something is kept, fresh or not: reading needs no connection then. */
  readonly isKept: (server: ServerName, uri: string) => Promise<boolean>;
  /** What is kept is old from now on, whatever its time to live: one resource, or all of a server. */
  readonly forget: (server: ServerName, uri: string | undefined) => void;
}

/** Contents that were read. */
interface Kept {
  readonly answer: ToolAnswer;
  /** From when on they are old. */
  expiresAtMs: number;
  /** Nothing that changes while nobody is connected is told later, so contents are fresh on the link alone that read them. */
  readonly link: ServerLink;
  /** Whose they are: the entry with its credentials, and what a person signed in with. */
  readonly owner: string;
  readonly bytes: number;
}

/** Under whose name a resource is read. */
interface Owner {
  /** {@link connectionKey} of the entry. */
  readonly key: string;
  readonly id: string;
  readonly isSignedIn: boolean;
}

/** A host keeps so much, and forgets what was read longest ago. */
const MAX_BYTES = 32 * 1024 * 1024;
/** What a lost server, and nothing else, excuses. */
const UNREACHED: ReadonlySet<string> = new Set(["SERVER_FAILED", "SERVER_TIMEOUT", "OUTCOME_UNKNOWN"]);

export interface ResourceReadParts {
  readonly links: Pick<StartedServers, "use" | "isConnected">;
  readonly clock: Clock;
  /** The config's servers as they are now. */
  readonly entries: () => readonly ServerEntry[];
  readonly store: ReadStore;
  /** What a person has signed in with, which the config does not say; empty where nobody has. */
  readonly signedInAs: (entry: ServerEntry) => Promise<string>;
}

/** Creates the reads of a host; nothing is read yet. */
export function createResourceReads(parts: ResourceReadParts): ResourceReads {
  const { links, clock, entries, store } = parts;
  // In the order in which they were read.
  const kept = new Map<string, Kept>();
  let bytes = 0;
  /** How often each server has said that something may differ. */
  const changes = new Map<ServerName, number>();

  const drop = (id: string): void => {
    bytes -= kept.get(id)?.bytes ?? 0;
    kept.delete(id);
  };
  const keep = (id: string, contents: Kept): void => {
    drop(id);
    if (contents.bytes > MAX_BYTES) return;
    kept.set(id, contents);
    bytes += contents.bytes;
    for (const oldest of kept.keys()) {
      if (bytes <= MAX_BYTES) return;
      drop(oldest);
    }
  };
  const entryOf = (server: ServerName): ServerEntry | undefined =>
    entries().find(({ name, isEnabled }) => name === server && isEnabled);
  /** Whose contents are read now; `undefined` for a server that is not there. A renewed token is another owner: that costs a reading. */
  const ownerOf = async (server: ServerName): Promise<Owner | undefined> => {
    const entry = entryOf(server);
    if (entry === undefined) return undefined;
    const [key, account] = [connectionKey(entry), await parts.signedInAs(entry)];
    return { key, id: `${key}\n${account}`, isSignedIn: account !== "" };
  };
  /** Where contents lie on the disk. Those that a person signed in for do not. */
  const placeOf = (server: ServerName, uri: string, owner: Owner | undefined): ReadPlace | undefined =>
    owner === undefined || owner.isSignedIn ? undefined : { server, uri, identity: owner.key };
  /** What an earlier host has kept: as good as asking where asking needs a connection first. */
  const stored = async (
    server: ServerName,
    uri: string,
    owner: Owner | undefined,
  ): Promise<{ readonly answer: ToolAnswer; readonly isFresh: boolean } | undefined> => {
    const place = placeOf(server, uri, owner);
    const read = place === undefined ? undefined : await store.find(place);
    if (read === undefined) return undefined;
    const isInTime = clock.now() < read.askedAtMs + read.ttlMs;
    return { answer: read.answer, isFresh: isInTime && !(await links.isConnected(server)) };
  };
  /** What is kept in memory for `owner`. */
  const find = (server: ServerName, uri: string, owner: Owner | undefined): Kept | undefined => {
    const found = kept.get(idOf(server, uri));
    return found !== undefined && found.owner === owner?.id ? found : undefined;
  };

  return {
    isKept: async (server, uri) => {
      const owner = await ownerOf(server);
      return (find(server, uri, owner) ?? (await stored(server, uri, owner))) !== undefined;
    },
    forget: (server, uri) => {
      changes.set(server, (changes.get(server) ?? 0) + 1);
      void store.forget(server, uri);
      for (const [id, contents] of kept)
        if (id === idOf(server, uri ?? "") || (uri === undefined && id.startsWith(idOf(server, ""))))
          contents.expiresAtMs = 0;
    },
    read: async (server, uri, signal) => {
      const owner = await ownerOf(server);
      const last = find(server, uri, owner);
      const earlier = last === undefined ? await stored(server, uri, owner) : undefined;
      if (earlier?.isFresh === true) return earlier.answer;
      const ask = async (link: ServerLink): Promise<ToolAnswer> => {
        if (last?.link === link && clock.now() < last.expiresAtMs) return last.answer;
        const [askedAtMs, changesBefore] = [clock.now(), changes.get(server)];
        const { ttlMs, ...answer } = await link.readResource(uri, { signal });
        const id = idOf(server, uri);
        // The config, or who has signed in, may be another by now; the link tells by which entry it was made.
        const ownerNow = await ownerOf(server);
        const isSure = owner !== undefined && link.key === owner.key && ownerNow?.id === owner.id;
        if (ttlMs <= 0 || !isSure || changes.get(server) !== changesBefore) {
          drop(id);
          if ((last ?? earlier) !== undefined) await store.forget(server, uri);
          return answer;
        }
        const size = Buffer.byteLength(stringifyJson(answer.structured ?? null));
        keep(id, { answer, expiresAtMs: askedAtMs + ttlMs, link, owner: owner.id, bytes: size });
        const place = placeOf(server, uri, owner);
        if (place !== undefined) await store.keep(place, { answer, askedAtMs, ttlMs });
        return answer;
      };
      try {
        return await links.use(server, ask, signal);
      } catch (error) {
        const reason = toMcpfsError(error);
        const old = last ?? earlier;
        if (old === undefined || signal.aborted || !UNREACHED.has(reason.code)) throw reason;
        return { ...old.answer, warnings: [oldWarning(server, uri, reason)] };
      }
    },
  };
}

/** A server's name holds no line end, so no two pairs have one id. */
function idOf(server: ServerName, uri: string): string {
  return `${server}\n${uri}`;
}

function oldWarning(server: ServerName, uri: string, reason: McpfsError): string {
  return `${JSON.stringify(uri)} of ${server} is as it was read earlier, and may have changed since. ${reason.message}`;
}
