import type { Clock } from "../../kernel/clock.ts";
import { type McpfsError, toMcpfsError } from "../../kernel/errors.ts";
import { stringifyJson } from "../../kernel/json.ts";
import type { ServerLink } from "../../mcp/server-link.ts";
import type { ToolAnswer } from "../../model/call.ts";
import type { ServerName } from "../../model/names.ts";
import { connectionKey, type ServerEntry } from "../../model/server-entry.ts";
import type { Links } from "./started-servers.ts";

/**
 * Reads resources, and keeps in this host's memory what its server allows to keep (`ttlMs`; MCP 2026-07-28, caching). What is kept
 * belongs to one entry of the config with its credentials, so both scopes, `private` and `public`, hold for it.
 */
export interface ResourceReads {
  /**
   * The contents of a resource: kept ones while they are fresh; else asked for. Where asking fails since the server cannot be
   * reached, old contents are given with a warning.
   * @throws McpfsError as {@link ServerLink.readResource} does
   */
  readonly read: (server: ServerName, uri: string, signal: AbortSignal) => Promise<ToolAnswer>;
  /** True where something is kept, fresh or not: reading needs no connection then. */
  readonly isKept: (server: ServerName, uri: string) => boolean;
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
  /** The entry, with its credentials, by which they were read. */
  readonly key: string;
  readonly bytes: number;
}

/** A host keeps so much, and forgets what was read longest ago. */
const MAX_BYTES = 32 * 1024 * 1024;
/** What a lost server, and nothing else, excuses. */
const UNREACHED: ReadonlySet<string> = new Set(["SERVER_FAILED", "SERVER_TIMEOUT", "OUTCOME_UNKNOWN"]);

/** Creates the reads of a host; nothing is read yet. @param entries the config's servers as they are now */
export function createResourceReads(
  links: Links,
  clock: Clock,
  entries: () => readonly ServerEntry[],
): ResourceReads {
  // In the order in which they were read.
  const kept = new Map<string, Kept>();
  let bytes = 0;

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
  const entryKey = (server: ServerName): string | undefined => {
    const entry = entries().find(({ name }) => name === server);
    return entry === undefined || !entry.isEnabled ? undefined : connectionKey(entry);
  };
  /** What is kept under the credentials that the config has now. */
  const find = (server: ServerName, uri: string): Kept | undefined => {
    const found = kept.get(idOf(server, uri));
    return found !== undefined && found.key === entryKey(server) ? found : undefined;
  };

  return {
    isKept: (server, uri) => find(server, uri) !== undefined,
    forget: (server, uri) => {
      for (const [id, contents] of kept)
        if (id === idOf(server, uri ?? "") || (uri === undefined && id.startsWith(idOf(server, ""))))
          contents.expiresAtMs = 0;
    },
    read: async (server, uri, signal) => {
      const last = find(server, uri);
      const ask = async (link: ServerLink): Promise<ToolAnswer> => {
        if (last?.link === link && clock.now() < last.expiresAtMs) return last.answer;
        const askedAtMs = clock.now();
        const { ttlMs, ...answer } = await link.readResource(uri, { signal });
        const [id, key] = [idOf(server, uri), entryKey(server)];
        if (ttlMs <= 0 || key === undefined) drop(id);
        else {
          const size = Buffer.byteLength(stringifyJson(answer.structured ?? null));
          keep(id, { answer, expiresAtMs: askedAtMs + ttlMs, link, key, bytes: size });
        }
        return answer;
      };
      try {
        return await links.use(server, ask, signal);
      } catch (error) {
        const reason = toMcpfsError(error);
        if (last === undefined || signal.aborted || !UNREACHED.has(reason.code)) throw reason;
        return { ...last.answer, warnings: [oldWarning(server, uri, reason)] };
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
