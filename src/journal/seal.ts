import { hash } from "node:crypto";

/** What the seals of one journal are made with; `runId` makes those of two journals differ. */
export interface SealSource {
  readonly key: string;
  readonly runId: string;
}

/**
 * Seals a line with all before it: a line that was changed, added, moved or taken out is noticed by whoever has the key.
 * @param last the seal of the line before; empty for the first
 */
export function sealOf({ key, runId }: SealSource, last: string, line: string): string {
  // A part of the digest does not tell the state that would be needed to go on from it without the key.
  return hash("sha256", `${key}\n${runId}\n${last}\n${line}`, "base64url").slice(0, SEAL_LENGTH);
}

/** 132 of 256 bits, in base64url. */
const SEAL_LENGTH = 22;

/** A line with its seal as the last member of the object. */
export function sealed(line: string, seal: string): string {
  return `${line.slice(0, -1)},"seal":"${seal}"}`;
}

/** Takes the seal off a line; `undefined` where it has none. */
export function unsealed(text: string): { readonly line: string; readonly seal: string } | undefined {
  const start = text.length - SEAL_LENGTH - TAIL.length - HEAD.length;
  if (!text.startsWith(HEAD, start) || !text.endsWith(TAIL)) return undefined;
  return { line: `${text.slice(0, start)}}`, seal: text.slice(start + HEAD.length, -TAIL.length) };
}

const HEAD = ',"seal":"';
const TAIL = '"}';
