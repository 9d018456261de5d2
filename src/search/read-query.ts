/** A query, read: what it says, and what its steps are. */
export interface ReadQuery {
  /** The query with paths, addresses and encoded data replaced by words for what they are. */
  readonly text: string;
  /** The parts of a request that asks for several things, in order; empty for one thing. */
  readonly steps: readonly string[];
  /** Steps that it needs without saying so: `tomorrow` needs today's date. */
  readonly implied: readonly string[];
}

/** What stands after the first page is material to work on, not a request. */
const MAX_QUERY = 1_500;
/** More steps than this get no turn among the first hits. */
const MAX_STEPS = 8;

/**
 * Reads a query as a person means it. A path says which kind of file is meant and not which tool (`/home/me/git/a.xlsx` is about
 * spreadsheets); a URL says its site; a long run of base64 says nothing. Someone who says `tomorrow` needs the date, whoever wants something
 * saved in a text file needs to write one, whoever gives a URL may need to fetch it.
 */
export function readQuery(query: string): ReadQuery {
  const short = query.slice(0, MAX_QUERY).replace(ENCODED, " ");
  const implied = new Set<string>();
  const text = short.replace(PLACE, (place, at: number) => {
    if (/^https?:/.test(place)) {
      implied.add(FETCH_PAGE);
      return ` ${siteOf(place)} url `;
    }
    if (TEXT_FILE.test(place) && SAVING.test(short.slice(0, at))) implied.add(WRITE_FILE);
    return ` ${kindOf(place)} `;
  });
  if (RELATIVE_DATE.test(short)) implied.add(CURRENT_DATE);
  const steps = stepsOf(text);
  return { text, steps: steps.length < 2 ? [] : steps.slice(0, MAX_STEPS), implied: [...implied] };
}

const WRITE_FILE = "write file text content";
const CURRENT_DATE = "current date time";
const FETCH_PAGE = "fetch url web page content";

const ENCODED = /[A-Za-z0-9+/=]{60,}/g;
/** A URL, a path of two parts or more, or the name of a file. */
const PLACE =
  /https?:\/\/[^\s,;)'"<>]+|(?:[A-Za-z]:)?[\\/~.]?(?:[\\/][\w.@+-]+){2,}|\b[\w-]+\.(?:md|txt|csv|json|html?|py|tsx?|jsx?|ya?ml|xlsx?|docx?|pptx?|pdf|png|jpe?g|svg|wav|mp3|mp4|bib|log)\b/g;
const TEXT_FILE =
  /\.(?:md|markdown|txt|csv|json|html?|py|tsx?|jsx?|ya?ml|xml|log|bib|tex|sql|css|sh|rs|go|java|toml)$/i;
/** The place follows a word for making something, in the same sentence. */
const SAVING =
  /\b(?:sav|writ|stor|export|output|put|draft|creat|generat|produc|record|log)\w*\b[^.]{0,120}$/i;
const RELATIVE_DATE =
  /\b(?:today|tomorrow|yesterday|tonight|right now|now|(?:next|this|last|past|coming) (?:\w+ )?(?:hours?|days?|weeks?|weekend|months?|quarter|years?|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|near future|in \d+ (?:hours|days|weeks|months)|last \d+ ?h)\b/i;

/** `www.youtube.com` is `youtube`. */
function siteOf(url: string): string {
  if (!URL.canParse(url)) return "";
  const labels = new URL(url).hostname.split(".");
  return labels.filter((label) => !/^(?:www|com|org|net|io|co)$/.test(label)).join(" ");
}

const KINDS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/\.(?:xlsx?|csv)$/i, "excel spreadsheet"],
  [/\.pptx?$/i, "powerpoint presentation"],
  [/\.docx?$/i, "word document"],
  [/\.pdf$/i, "pdf"],
  [/\.(?:png|jpe?g|gif|webp|svg)$/i, "image"],
  [/\.(?:mp3|wav|flac|ogg)$/i, "audio"],
  [/\.(?:mp4|mov|mkv)$/i, "video"],
];

function kindOf(path: string): string {
  const kind = KINDS.find(([pattern]) => pattern.test(path));
  if (kind !== undefined) return kind[1];
  if (/\.\w{1,5}$/.test(path)) return "file";
  return `${path.split(/[\\/]/).findLast((part) => part !== "") ?? ""} directory`;
}

/** Cut at ends of sentences, commas, and the words that join two wishes. */
function stepsOf(text: string): readonly string[] {
  return text
    .split(
      /(?<=[.!?;:])\s+|\n+|[。！？；，]|,?\s+(?:and then|then|and also|and)\s+|,\s+|\s+(?=saved?\b|stored?\b|export\b|including\b|using\b)/i,
    )
    .map((step) => step.trim())
    .filter((step) => step !== "");
}
