import { digestText } from "../kernel/digest.ts";
import { NAME_RULES } from "./rules.ts";
import type { Vendor } from "./vendor.ts";

/**
 * The name under which a vendor knows a tool: its wire name, unless the vendor's rules forbid that. Wire names hold letters, digits
 * and `_`, at most 64, so only one that begins with a digit has to change, and only for Gemini.
 */
export function toolNameFor(vendor: Vendor, wire: string): string {
  const { pattern, maxLength } = NAME_RULES[vendor];
  if (pattern.test(wire) && wire.length <= maxLength) return wire;
  const safe = `_${wire.replaceAll(/[^a-zA-Z0-9_]/g, "_")}`;
  if (safe.length <= maxLength) return safe;
  return `${safe.slice(0, maxLength - DIGEST_LENGTH - 1)}_${digestText(wire).slice(0, DIGEST_LENGTH)}`;
}

const DIGEST_LENGTH = 6;
