import { McpfsError } from "../kernel/errors.ts";
import { oneLine } from "../kernel/text.ts";

/** Brackets that may be open at once. QuickJS gives up far below: between 1,000 and 10,000 (measured). */
const MAX_OPEN_BRACKETS = 10_000;
/** Operators and words in a row that may nest without a bracket: `!!!x`, `a => b => c`, `a ? b : c ? d : e`, `if (a) if (b)`. */
const MAX_CHAIN = 30_000;
/** Shorter texts cannot nest deeply enough to matter. */
const HARMLESS_LENGTH = 100_000;

/**
 * True when a text is nested so deeply that a parser may die of it. esbuild has no limit of its own: at 100,000 to 500,000
 * levels (measured, by construct) its process ends with a gigabyte of stack and a trace of 200 lines on stderr. This is a rough
 * guard that takes strings for code; what it counts never comes near its bounds in a script that somebody wants to run.
 */
export function isTooDeep(text: string): boolean {
  if (text.length <= MAX_OPEN_BRACKETS) return false;
  // How many links the chain has so far, for each bracket that is open; a comma or semicolon ends the one it stands in.
  const chains = [0];
  for (const [token] of text.matchAll(text.length > HARMLESS_LENGTH ? LINKS : BRACKETS)) {
    const innermost = chains.length - 1;
    if (token === ")" || token === "]" || token === "}") {
      if (innermost > 0) chains.pop();
    } else if (token === "," || token === ";") chains[innermost] = 0;
    else {
      const length = (chains[innermost] ?? 0) + 1;
      if (length > MAX_CHAIN) return true;
      chains[innermost] = length;
      if ((token === "(" || token === "[" || token === "{") && chains.push(0) > MAX_OPEN_BRACKETS)
        return true;
    }
  }
  return false;
}

const BRACKETS = /[()[\]{},;]/g;

/** Besides brackets: what can stand before, between or behind operands again and again and nests when parsed or visited. */
const LINKS =
  /[()[\]{},;!~?:<`]|=>?|\*\*|[-+](?=\s*[-+!~])|\.(?=[\p{ID_Start}$_#])|\b(?:typeof|void|delete|await|yield|new|if|else|for|while|do|with|keyof|readonly|unique|infer|extends)\b/gu;

/** The error for a script that no parser can read without harm. */
export function tooDeep(name: string): McpfsError {
  return new McpfsError("SCRIPT_ERROR", `The script ${oneLine(name)} is nested too deeply to be read.`, {
    hint: "Build deep data in a loop, or read it with await fs.readFile(…) and JSON.parse.",
    data: { file: name, line: null, column: null },
  });
}
