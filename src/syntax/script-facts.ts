import { importedServers } from "./imports.ts";
import { parseScript } from "./parse.ts";
import { readTopLevel } from "./top-level.ts";

/** What a listing shows of a script: the servers that it imports, and what it exports. */
export interface ScriptFacts {
  /** Folders below `servers/`. Sorted. */
  readonly servers: readonly string[];
  /** `default` included. In the order of the text. */
  readonly exports: readonly string[];
}

/** Reads a file of the workspace by its slashed path; `undefined` for text that does not parse. */
export function scriptFacts(text: string, file: string): ScriptFacts | undefined {
  const parsed = parseScript(text);
  return parsed && { servers: importedServers(parsed, file), exports: readTopLevel(parsed).exports };
}
