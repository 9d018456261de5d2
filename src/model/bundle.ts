/** A script as the user handed it over. */
export interface ScriptSource {
  /** Absolute path, or `undefined` for text from stdin. */
  readonly path: string | undefined;
  /** How the user named it: stands in errors. `script.ts`, `<stdin>`. */
  readonly name: string;
  readonly text: string;
}

/** A script with all it imports, as one ES module for the sandbox. Its default export is the run's value. */
export interface Bundle {
  readonly code: string;
  /** Source map (version 3, JSON) from `code` to the script and workspace files; sources are names to show. */
  readonly map: string;
  /** The files that went in, as names to show: the script, `servers/crm/getContact.ts`, … Sorted. */
  readonly files: readonly string[];
  /** Servers whose wrappers went in, by folder. Sorted. */
  readonly folders: readonly string[];
  readonly warnings: readonly string[];
}

/** The name under which a bundle runs: the file in every frame of a script's stack, `at f (script.js:12:5)`. */
export const SCRIPT_FILE = "script.js";
