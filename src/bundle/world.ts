import type { Reader } from "../kernel/errors.ts";

/** What the bundler needs to know of the workspace besides its files. */
export interface BundleWorld {
  /** Absolute path of the workspace. */
  readonly root: string;
  /** Names that a script may use without an import: `logging_getLogs` and the wrapper that exports it. */
  readonly flatNames: ReadonlyMap<
    string,
    { readonly file: string /* servers/logging/getLogs.ts */; readonly export: string }
  >;
  /** By folder: names that the lock knows and that are gone. Importable; calling one throws TOOL_UNAVAILABLE. */
  readonly retired: ReadonlyMap<string, readonly { readonly export: string; readonly wire: string }[]>;
  /** Wire names in `retired` of tools that exist and that no wrapper is made for, since policy denies them: calling one asks the host. */
  readonly hidden: ReadonlySet<string>;
  /** Folders below `servers/` that the config knows, disabled ones too. */
  readonly folders: readonly string[];
  /** Those of them whose server is disabled or gone from the config: all their names are in `retired`. */
  readonly closed: ReadonlySet<string>;
  /** Exports of a server whose names are near to one that it lacks, nearest first. */
  readonly nearest: (folder: string, member: string) => readonly string[];
  /** Who reads what the script says: somebody with a shell, or a client of `serve`. */
  readonly reader: Reader;
  /**
   * What is at a slashed path for whom the script runs: what lies on the disk, another text, or nothing. Without it: what lies on the
   * disk.
   */
  readonly fileAt?: (
    path: string,
  ) => Promise<{ readonly kind: "disk" | "absent" } | { readonly kind: "text"; readonly text: string }>;
  /** Bytes of UTF-8 that the bundle, and each file in it, may take. */
  readonly maxBytes: number;
}

/** A free name with its server, as models write it: `google_drive_getDocument`. */
export function flatName(folder: string, exported: string): string {
  return `${folder.replaceAll(/[^\w$]/g, "_")}_${exported}`;
}
