import type { ExportName, FolderName, ListingKey, ServerName, WireName } from "./names.ts";

/**
 * `mcpfs.lock.json`: names given to tools and digests of accepted definitions. Committed. A name in it never moves
 * to another tool, and stays when the tool goes.
 */
export interface Lock {
  readonly servers: ReadonlyMap<ServerName, LockedServer>;
  /** Digests of the generated files outside `servers/<server>/`, by slashed path: how a hand edit is noticed. */
  readonly files: ReadonlyMap<string, string>;
}

export interface LockedServer {
  readonly folder: FolderName;
  readonly tools: ReadonlyMap<ListingKey, LockedTool>;
  /** Names of what the server offers besides tools, by keys that say the kind: `prompt:summary`, `resource:read`. */
  readonly offers?: ReadonlyMap<string, LockedTool>;
}

export interface LockedTool {
  readonly wire: WireName;
  readonly export: ExportName;
  /** The name from which the two above were made, where a rename of the config gave another than the raw one. */
  readonly renamed?: string;
  /** Digest of the accepted definition; absent when the tool is gone. */
  readonly digest?: string;
}

/** The lock of a workspace that was never synced. */
export const EMPTY_LOCK: Lock = { servers: new Map(), files: new Map() };
