import { digestText } from "../kernel/digest.ts";

/** True for a slashed path that stays below the root on every system: no `..`, no drive, no backslash, nothing empty. */
export function isTreePath(path: string): boolean {
  return path
    .split("/")
    .every((part) => /^[^\\:\u0000-\u001f]+$/.test(part) && part !== "." && part !== "..");
}

/**
 * How a written file is recognised: 16 hexadecimal characters of its text's digest. Line ends do not count, since Git turns
 * them on Windows.
 */
export function fileDigest(text: string): string {
  return digestText(text.replaceAll("\r\n", "\n")).slice(0, 16);
}
