import { InvalidArgumentError } from "commander";
import { parseDuration, parseSize } from "../config/durations.ts";
import { McpfsError } from "../kernel/errors.ts";

/** `5` for an option that counts. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Expected a whole number from 1 on.");
  return Number(text);
}

/** Each use of an option that may be repeated. */
export function repeated(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** `90s`, `5m`, `none` → milliseconds. */
export function duration(text: string): number {
  return explained(() => parseDuration(text, "It"));
}

/** `256mb` → bytes. */
export function size(text: string): number {
  return explained(() => parseSize(text, "It"));
}

/** The command line's parser prints the sentence beside the option's name. */
function explained(read: () => number): number {
  try {
    return read();
  } catch (error) {
    if (error instanceof McpfsError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}
