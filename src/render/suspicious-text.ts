import type { JsonObject } from "../kernel/json.ts";
import { hasHiddenText, oneLine, visibleText } from "../kernel/text.ts";

/**
 * What makes the text of a definition suspicious: words that are meant for a model and not for a reader, as known attacks use
 * them. Every rule is a habit of text, no proof: `sync` reports what it finds, and changes nothing. On 8,100 published tools
 * the rules together speak up for fewer than one in a thousand.
 */
const RULES: readonly { readonly says: string; readonly pattern: RegExp }[] = [
  {
    says: "tells a model to ignore instructions",
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|any|other|system|your)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules|guidelines|directions)\b/i,
  },
  {
    says: "asks to keep something from the user",
    pattern:
      /\b(?:do not|don't|never|without)\b[^.\n]{0,30}\b(?:tell|inform|mention|reveal|notify|alert|show|disclose)(?:ing)?\b[^.\n]{0,30}\b(?:the )?user\b/i,
  },
  {
    says: "imitates the marks of a prompt",
    pattern:
      /<\/?(?:important|system|instructions?|secret|admin|assistant|hidden|prompt|critical)\b[^>\n]{0,40}>|<\|[a-z_]{2,20}\|>|\[\/?INST\]|<<\/?SYS>>|^[ \t]*(?:system|assistant)[ \t]*:[ \t]/im,
  },
  {
    says: "gives orders about other tools",
    pattern:
      /\b(?:before|prior to|whenever|instead of)\b[^.\n]{0,30}\b(?:us|call|invok|runn)(?:e|ing)\b[^.\n]{0,20}\b(?:any|every|all|other|another)\b[^.\n]{0,12}\btools?\b/i,
  },
  {
    says: "speaks of files that hold secrets, and of reading or passing them on",
    pattern:
      /\b(?:read|open|cat|load|pass|send|include|contents? of)\b[^\n]{0,80}(?:~\/\.ssh|\bid_(?:rsa|ed25519)\b|\.aws\/credentials|\.netrc\b|\/etc\/(?:passwd|shadow)|\.cursor\/mcp\.json|claude_desktop_config)/i,
  },
  {
    says: "asks for what a model knows or keeps",
    pattern:
      /\b(?:send|post|upload|forward|pass|append|include|put|repeat)\b[^.\n]{0,40}\b(?:(?:system|initial) prompt|(?:chat|conversation) history|(?:whole|entire|full|previous) conversation|private keys?|environment variables)\b/i,
  },
];

/** Shorter texts, and those without a space, hold no sentence. */
const MIN_LENGTH = 12;
/** Characters of the text that a report quotes. */
const MAX_QUOTE = 80;

/** Sentences about what is suspicious in a definition, each kind once; empty for nearly all. */
export function suspicionsOf(definition: JsonObject): readonly string[] {
  const texts = textsOf(definition);
  const isHidden = texts.some(hasHiddenText);
  const sentences = isHidden ? [HIDDEN] : [];
  // Hidden characters between letters must not hide the words either.
  const plain = isHidden ? texts.map(withoutHidden) : texts;
  const prose = plain.filter((text) => text.length >= MIN_LENGTH && text.includes(" "));
  for (const { says, pattern } of RULES) {
    const found = prose.map((text) => pattern.exec(text)?.[0]).find((match) => match !== undefined);
    if (found !== undefined)
      sentences.push(`The definition ${says} (${JSON.stringify(oneLine(found, MAX_QUOTE))}).`);
  }
  return sentences;
}

const HIDDEN = "The definition holds characters that a reader does not see; they are shown as \\u{…}.";

function withoutHidden(text: string): string {
  return visibleText(text).replace(/\\u\{[0-9a-f]+\}/g, "");
}

/** All strings of a definition, keys included. */
function textsOf(root: JsonObject): readonly string[] {
  const texts: string[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) {
        texts.push(key);
        open.push(item);
      }
  }
  return texts;
}
