import { type Json, stringifyJson } from "../kernel/json.ts";

/** A value as the last line of a command: strings as they are, all else as one line of JSON. */
export function formatValue(value: Json): string {
  return typeof value === "string" ? value : stringifyJson(value);
}
