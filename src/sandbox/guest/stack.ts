import { SCRIPT_FILE } from "../../model/bundle.ts";
import { PRELUDE_FILE } from "../guest-contract.ts";
import { indexOf, lastIndexOf, NativeError, slice } from "./primordials.ts";

/** Deeper stacks say nothing more, and a script may build one of any length. */
const MAX_STACK_LENGTH = 16_384;

/** The stack of the script's own frames at this moment, one `    at …` a line. */
export function callerStack(): string {
  return scriptFrames(new NativeError().stack);
}

/** `stack` without frames of this library, and without those of the engine's own functions that it called. */
export function scriptFrames(stack: unknown): string {
  if (typeof stack !== "string") return "";
  const last = lastIndexOf(stack, PRELUDE_FILE);
  // Nearly always all of our frames come first, and looking for the end of them is ten times as fast.
  if (last !== -1 && stack.length <= MAX_STACK_LENGTH) {
    const end = indexOf(stack, "\n", last);
    if (end !== -1 && indexOf(stack, SCRIPT_FILE) > end) return slice(stack, end + 1, -1);
  }
  let shown = "";
  let native = "";
  for (let start = 0; start < stack.length && shown.length < MAX_STACK_LENGTH; ) {
    const found = indexOf(stack, "\n", start);
    const end = found === -1 ? stack.length : found;
    const line = slice(stack, start, end);
    start = end + 1;
    if (indexOf(line, PRELUDE_FILE) !== -1) native = "";
    else if (indexOf(line, "(native)") !== -1) native += `${line}\n`;
    else if (line !== "") {
      shown += `${native}${line}\n`;
      native = "";
    }
  }
  return slice(shown, 0, shown.length > MAX_STACK_LENGTH ? MAX_STACK_LENGTH : -1);
}
