/** The name of a script's bundle in frames: `at main (script.js:12:5)`. Lines and columns are the bundle's, from 1. */
export const SCRIPT_FILE = "script.js";
