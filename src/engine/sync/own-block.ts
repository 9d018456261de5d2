import { AGENTS_BEGIN, AGENTS_END } from "../../render/agents-block.ts";

/**
 * Puts the part of a shared file that is ours into what the user has: in AGENTS.md the marked block is replaced or
 * appended; in .gitignore the missing lines are appended. Everything else stays byte for byte.
 */
export function mergeOwnBlock(path: string, existing: string, own: string): string {
  return path === ".gitignore" ? appendMissingLines(existing, own) : replaceBlock(existing, own);
}

const BLOCK = new RegExp(`${AGENTS_BEGIN}[\\s\\S]*?${AGENTS_END}(?:\\r?\\n)?`);

/** The block takes the line ends of the file around it: Git turns those of a whole file on Windows. */
function replaceBlock(existing: string, own: string): string {
  const lineEnd = existing.includes("\r\n") ? "\r\n" : "\n";
  const block = own.replaceAll("\n", lineEnd);
  if (BLOCK.test(existing)) return existing.replace(BLOCK, () => block);
  return existing === "" ? own : `${existing.replace(/(?:\r?\n)*$/, lineEnd + lineEnd)}${block}`;
}

function appendMissingLines(existing: string, own: string): string {
  const present = new Set(existing.split(/\r?\n/).map((line) => line.trim()));
  const missing = own.split("\n").filter((line) => line !== "" && !present.has(line));
  if (missing.length === 0) return existing;
  return `${existing}${existing === "" || existing.endsWith("\n") ? "" : "\n"}${missing.join("\n")}\n`;
}
