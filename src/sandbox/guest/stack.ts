import { PRELUDE_FILE } from "../guest-contract.ts";
import { indexOf, NativeError, slice } from "./primordials.ts";

/** Deeper stacks say nothing more, and a script may build one of any length. */
const MAX_STACK_LENGTH = 16_384;

/** The stack of the script's own frames at this moment, one `    at …` a line. */
export function callerStack(): string {
  return scriptFrames(new NativeError().stack);
}

/** `stack` without frames of this library. */
export function scriptFrames(stack: unknown): string {
  if (typeof stack !== "string") return "";
  let shown = "";
  for (let start = 0; start < stack.length && shown.length < MAX_STACK_LENGTH; ) {
    const found = indexOf(stack, "\n", start);
    const end = found === -1 ? stack.length : found;
    const line = slice(stack, start, end);
    if (line !== "" && indexOf(line, PRELUDE_FILE) === -1) shown += shown === "" ? line : `\n${line}`;
    start = end + 1;
  }
  return slice(shown, 0, MAX_STACK_LENGTH);
}
