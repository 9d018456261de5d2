/**
 * Text from servers is untrusted. These functions make it safe to print: nothing in it can move a cursor, hide
 * itself, or turn the reading direction. The characters stay visible as `\u{1b}`.
 */

/**
 * C0 and C1 controls but newline and tab; zero-width and bidirectional marks; line separators; fillers that look like nothing;
 * the byte order mark; tag characters, and variation selectors, which can carry a hidden message (but the two of emoji stay).
 */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|(?!\ufe0e|\ufe0f)\p{DI}/gu;

/** Makes every hidden character of `text` visible; newlines and tabs stay. */
export function visibleText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** True when `text` holds characters that a reader would not see. */
export function hasHiddenText(text: string): boolean {
  HIDDEN.lastIndex = 0;
  return HIDDEN.test(text.replaceAll("\r\n", "\n"));
}

/** `text` on one line, visible, at most `maxLength` characters; a cut is marked with `…`. */
export function oneLine(text: string, maxLength = 120): string {
  const line = visibleText(text).replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length <= maxLength
    ? line
    : `${characters
        .slice(0, maxLength - 1)
        .join("")
        .trimEnd()}…`;
}

/** `text` as it is where it is one plain word, else quoted and visible: what stands beside it cannot be taken for a part of it. Never cut. */
export function quotedWord(text: string): string {
  return /^[\w@%+=:,./${}~?&#-]+$/.test(text) ? text : visibleText(JSON.stringify(text));
}

/** The first sentence of `text` on one line, at most `maxLength` characters: what a listing shows of a description. */
export function firstSentence(text: string, maxLength = 120): string {
  const paragraph =
    visibleText(text)
      .trim()
      .split(/\n\s*\n/, 1)[0] ?? "";
  const line = paragraph.replace(/\s+/g, " ").trim();
  const sentence = SENTENCE.exec(line)?.[0] ?? line;
  return oneLine(sentence, maxLength);
}

/** Ends at `.`, `!` or `?` before a space, not at `e.g.`; at the full stops of Chinese and Japanese, which no space follows. */
const SENTENCE = /^.+?(?:(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx))[.!?](?=\s|$)|[。！？])/iu;

/** `1 tool`, `2 tools`. */
export function count(amount: number, noun: string): string {
  // Looking up the locale costs a third of a millisecond, and most amounts need no comma.
  return `${amount < 1_000 ? amount : amount.toLocaleString("en-US")} ${noun}${amount === 1 ? "" : "s"}`;
}
