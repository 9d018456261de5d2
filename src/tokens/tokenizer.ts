import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/**
 * Tokens of a text, counted by a real tokenizer. This module holds two megabytes of vocabulary and takes 0.2 s to load: import it
 * lazily, and keep counts. The build bundles the tokenizer into this file, so that nobody installs its other 28 MB.
 */
export function exactTokens(text: string): number {
  let tokens = 0;
  let from = 0;
  for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
    tokens += countTokens(text.slice(from, index), PLAIN) + tokensOfRun(run);
    from = index + run.length;
  }
  return tokens + countTokens(text.slice(from), PLAIN);
}

/** The time of the tokenizer grows with the square of a run without a break: 80,000 Chinese characters in one word took 49 s. */
const LONG_RUN = /[\p{L}\p{M}]{400,}|[^\p{L}\p{N}\s]{400,}|\s{400,}/gu;
const PIECE = 200;

function tokensOfRun(run: string): number {
  let tokens = 0;
  for (let at = 0; at < run.length; at += PIECE) tokens += countTokens(run.slice(at, at + PIECE), PLAIN);
  return tokens;
}

/** `<|endoftext|>` in what a server sends is text like any other. */
const PLAIN = { disallowedSpecial: new Set<string>() };
