import { McpfsError } from "../kernel/errors.ts";
import { oneLine } from "../kernel/text.ts";

/**
 * Brackets that may be open at once. QuickJS gives up far below (measured: between 1,000 and 10,000); esbuild does not, but
 * dies at about half a million with a gigabyte of stack and a trace on stderr.
 */
const MAX_DEPTH = 10_000;

/** True when brackets are nested so deeply that a parser may die of it. Brackets in strings count too: it is a rough guard. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    // ( [ {
    if (character === 40 || character === 91 || character === 123) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    }
    // ) ] }
    else if ((character === 41 || character === 93 || character === 125) && depth > 0) depth -= 1;
  }
  return false;
}

/** The error for a script that no parser can read without harm. */
export function tooDeep(name: string): McpfsError {
  return new McpfsError("SCRIPT_ERROR", `The script ${oneLine(name)} is nested too deeply to be read.`, {
    hint: "Build deep data in a loop, or read it with await fs.readFile(…) and JSON.parse.",
    data: { file: name, line: null, column: null },
  });
}
