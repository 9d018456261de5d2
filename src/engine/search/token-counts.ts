import { join } from "node:path";
import { digestText } from "../../kernel/digest.ts";
import { readIfExists, writeAtomic } from "../../kernel/fsx.ts";
import { isJsonObject, own } from "../../kernel/json.ts";
import { ENCODING } from "../../tokens/encoding.ts";

/** Tokens of texts by a real tokenizer, each text counted once in its life. */
export interface TokenCounts {
  /** Tokens of each text, in the order given. */
  readonly of: (texts: readonly string[]) => Promise<readonly number[]>;
  /**
   * Keeps the counts; `whole` forgets those that nobody asked for, `part` keeps them too. A disk that may not be written only
   * costs time.
   */
  readonly save: (asked: "whole" | "part") => Promise<void>;
}

/** Hexadecimal digits of a text's digest: with 64 bits, ten thousand texts are alike once in 10^11 workspaces. */
const KEY_LENGTH = 16;

/** Opens the counts of a workspace, kept in `.mcpfs/tokens.json` by the digest of what was counted. */
export async function openTokenCounts(root: string): Promise<TokenCounts> {
  const path = join(root, ".mcpfs", "tokens.json");
  const before = readCounts(await readIfExists(path));
  const asked = new Map<string, number>();
  let isNew = false;
  return {
    of: async (texts) => {
      const counts: number[] = [];
      for (const text of texts) {
        const key = digestText(text).slice(0, KEY_LENGTH);
        const known = asked.get(key) ?? before.get(key);
        const tokens = known ?? (await import("../../tokens/tokenizer.ts")).exactTokens(text);
        isNew ||= known === undefined;
        asked.set(key, tokens);
        counts.push(tokens);
      }
      return counts;
    },
    save: async (kind) => {
      if (!isNew && (kind === "part" || asked.size === before.size)) return;
      const kept = kind === "whole" ? asked : new Map([...before, ...asked]);
      const text = `${JSON.stringify({ encoding: ENCODING, counts: Object.fromEntries(kept) })}\n`;
      await writeAtomic(path, text).catch(() => {});
    },
  };
}

function readCounts(text: string | undefined): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const kept = parsed(text ?? "null");
  if (own(kept, "encoding") !== ENCODING) return found;
  const counts = own(kept, "counts");
  for (const [key, tokens] of Object.entries(isJsonObject(counts) ? counts : {}))
    if (typeof tokens === "number") found.set(key, tokens);
  return found;
}

/** A file that a crash or a person spoilt is made anew. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
