import { createHash } from "node:crypto";
import { stableJson } from "./json.ts";

/** SHA-256 of `text` in lower-case hexadecimal, 64 characters. */
export function digestText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** SHA-256 of a JSON value, independent of the order of its keys, in lower-case hexadecimal. */
export function digestJson(value: unknown): string {
  return digestText(stableJson(value));
}
