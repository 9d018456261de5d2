/**
 * Words of a text or a name, in small letters: `getContactById` and `get_contact-by-id` give the same four. Where a script writes no
 * spaces, pairs of characters take the place of words.
 */
export function wordsOf(text: string): readonly string[] {
  // Nearly all definitions are ASCII, and that takes a fifth of the time.
  if (!BEYOND_ASCII.test(text)) return (text.match(ASCII_WORD) ?? []).map((word) => word.toLowerCase());
  const found: string[] = [];
  for (const [run] of text.normalize("NFKC").matchAll(RUN)) {
    for (const [word] of run.matchAll(WORD)) {
      if (UNSPACED.test(word)) found.push(...pairsOf(word));
      else found.push(word.toLowerCase());
    }
  }
  return found;
}

const BEYOND_ASCII = /[^\x00-\x7f]/;
const ASCII_WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[A-Z]/g;
const RUN = /[\p{L}\p{M}\p{N}]+/gu;
/** `HTTPServer2` is `HTTP`, `Server`, `2`; `PDF文件` is `PDF`, `文件`. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+|\p{Lu}+(?!\p{Ll})\p{M}*|\p{Lu}?(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}])+|\p{N}+|\p{Lu}/gu;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function pairsOf(run: string): readonly string[] {
  const characters = [...run];
  if (characters.length < 3) return [run];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/**
 * The stem by which a word is found: endings of plurals and verb forms go, and `-ion` of long words, so that `listing contacts`
 * finds `list_contact` and `generation` finds `generate`. English only; other words stay.
 */
export function stemOf(word: string): string {
  if (word.length < 4 || KEPT.has(word) || !/^[a-z]+$/.test(word)) return word;
  let stem = word
    .replace(/ies$/, "y")
    .replace(/(?<=s|x|z|ch|sh)es$/, "")
    .replace(/(?<![su])s$/, "");
  if (stem.length > 5) stem = withoutVerbEnding(stem);
  if (stem !== word && /([bdgkmnprt])\1$/.test(stem)) stem = stem.slice(0, -1);
  if (stem.length >= 8) stem = stem.replace(/(?<=[ts])ion$/, "");
  return stem.length > 3 ? stem.replace(/e$/, "") : stem;
}

/** `-ing` and `-ed` where a word is left: not `string`, `speed`. */
function withoutVerbEnding(word: string): string {
  const [, rest = ""] = /^(.{3,})(?:ing|ed)$/.exec(word) ?? [];
  return /[aeiouy]/.test(rest) ? rest : word;
}

/** Words that look like plurals. */
const KEPT: ReadonlySet<string> = new Set(["news", "series"]);

/** Stems of words that say nothing of what a tool does. Questions are full of them, and so are descriptions. */
export const COMMON_STEMS: ReadonlySet<string> = new Set(
  (
    "a about all also am an and any are as at be been being but by can could did do does done each every few for from " +
    "get give had has have help here how i if in into is it its just let like may me more most my need no not of off on " +
    "only or other our out over own per please same should so some such tell than that the their them then there these " +
    "they this to too up us use used using very via want was we were what when where which who will with would you your " +
    "d ll m re s ve"
  )
    .split(" ")
    .map(stemOf),
);

/** Words by which a request talks about itself more than about the tool: they count less in a long one. */
export const WEAK_STEMS: ReadonlySet<string> = new Set(
  (
    "analyse analysis analyze base best check complete comprehensive create current data deep detail detailed example " +
    "find first five follow following four full generate good great include included including info information " +
    "interesting key last latest list main make new one possible provide quick recent recommend report research " +
    "save show simple specific step summarise summarize summary three today top two"
  )
    .split(" ")
    .map(stemOf),
);

/** Verbs that stand in names everywhere: a name is not worse known because the query lacks one. */
export const COMMON_VERBS: ReadonlySet<string> = new Set(
  "add create delete fetch find get list lookup make query read retrieve run search set show update"
    .split(" ")
    .map(stemOf),
);
