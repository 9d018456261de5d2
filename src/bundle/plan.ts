import type { LineShift } from "../syntax/line-shift.ts";
import type { Refusal } from "./refusals.ts";

/** The script that is bundled. */
export interface Entry {
  /** How the user named it. */
  readonly name: string;
  /** As the user wrote it, without a byte order mark. */
  readonly original: string;
  /** What is built: the original, or what became of it. */
  readonly text: string;
  /** How places in `text` and in `original` differ, where they do. */
  readonly shift: LineShift | undefined;
  /** Slashed path below the workspace; `undefined` for stdin and for a script outside. */
  readonly path: string | undefined;
  /** The folder from which its relative imports lead; `undefined` for a script outside. */
  readonly folder: string | undefined;
  readonly isTypeScript: boolean;
}

/** What one build is to do. */
export interface BuildPlan {
  readonly entry: Entry;
  /** Names that a module may use without an import. */
  readonly freeNames: ReadonlySet<string>;
  /** By slashed path of a module below `servers/`: names that it lacks and that become stubs. */
  readonly stubs: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The names under which esbuild asks for the script and for the module of free names. */
export const ENTRY = "mcpfs:script";
export const FREE_NAMES = "mcpfs:free-names";

/** A file that is too large to be bundled. */
export interface TooLarge {
  readonly path: string;
  readonly bytes: number;
}

/** What stands in the `detail` of an esbuild message of ours. */
export type Detail =
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "too-large"; readonly file: TooLarge }
  /** A type that cannot be said as JSON Schema. */
  | { readonly kind: "type"; readonly message: string; readonly hint: string };
