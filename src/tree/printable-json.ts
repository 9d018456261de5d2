import { stringifyJson } from "../kernel/json.ts";

/**
 * JSON on one line for a file that is committed: keys in their own order, and what a terminal or an editor would not show
 * (controls, zero-width and bidirectional marks, line separators) as `\u` escapes, which mean the same.
 */
export function printableJson(value: unknown): string {
  return printable(stringifyJson(value));
}

/** The same for JSON text that is laid out already. */
export function printable(json: string): string {
  return json.replace(/[\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|\p{DI}/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      return `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}
