import type { ServerName } from "./names.ts";

/** What a sync found and did. */
export interface SyncReport {
  readonly servers: readonly SyncedServer[];
  readonly files: { readonly written: number; readonly deleted: number; readonly unchanged: number };
  /** True when files had to be written or deleted, or would have to be in a check. */
  readonly isStale: boolean;
  /** True when something that mcpfs did not write stands where a file of the tree belongs. */
  readonly isBlocked: boolean;
  /** What concerns no single server: a hand-edited file that was replaced, a foreign file in the way. */
  readonly warnings: readonly string[];
  /** Tools whose observed type is new or wider, in a sync that was asked to learn. */
  readonly learned: readonly { readonly server: string; readonly tool: string }[];
}

export interface SyncedServer {
  readonly name: ServerName;
  readonly status: "ok" | "stale" | "failed" | "disabled";
  /** Number of tools in the workspace. */
  readonly tools: number;
  /** Raw names, as of the workspace's last state. */
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** What changed in the changed ones. */
  readonly changes: readonly DefinitionChange[];
  /** Those of the changed ones that are held back: the workspace keeps what was accepted. */
  readonly held: readonly string[];
  /** What else is different: `resources`, `prompts`. */
  readonly changedOffers: readonly string[];
  readonly warnings: readonly string[];
  readonly error: { readonly code: string; readonly message: string; readonly hint: string } | null;
}

/** One place of a definition that differs from the accepted one. Texts are on one line and visible. */
export interface DefinitionChange {
  /** Key of the tool. */
  readonly tool: string;
  /** Where in the definition: `inputSchema.properties.bcc`. */
  readonly path: string;
  /** JSON text, cut around what differs; `null` where nothing was. */
  readonly before: string | null;
  /** The same; `null` where nothing is any more. */
  readonly after: string | null;
}
