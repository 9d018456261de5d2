/** How much a regular expression can make V8 do: an upper guess, as powers of two. */
export interface PatternCost {
  /** Ways through the choices in its groups. V8 cannot be interrupted while it compiles them: `(|)` twenty times takes 0.2 s, sixty times years. */
  readonly choiceBits: number;
  /** These, and whether each optional part is there; infinite where something that varies is repeated without end: `(a+)+`. */
  readonly wayBits: number;
  /** Repeats without end: each may end at any place of the text. */
  readonly repeats: number;
}

/** Measured: a way takes up to 0.5 µs, so that all of them take 30 ms. */
export const MAX_WAY_BITS = 16;
/** A step of a repeat takes some nanoseconds, so that all of them take 50 ms. */
const MAX_STEP_BITS = 24;

/** True where the pattern may be tried on a text of so many characters, although nothing can stop it. */
export function isQuick({ wayBits, repeats }: PatternCost, length: number): boolean {
  return wayBits <= MAX_WAY_BITS && wayBits + repeats * Math.log2(Math.max(length, 2)) <= MAX_STEP_BITS;
}

/** A group that is being read: its alternatives so far, the last one open. */
type Group = [PatternCost, ...PatternCost[]];

/** Reads what varies in a pattern of JavaScript; any text has a cost. */
export function patternCost(pattern: string): PatternCost {
  const open: Group[] = [[NOTHING]];
  const add = (part: PatternCost): void => {
    const group = open.at(-1);
    if (group !== undefined) group[group.length - 1] = sum(group.at(-1) ?? NOTHING, part);
  };
  /** What a quantifier that comes next repeats: it has been counted once. */
  let last = NOTHING;
  for (const [token] of pattern.matchAll(TOKENS)) {
    const isEnd = token === ")" && open.length > 1;
    if (isEnd) {
      last = closed(open.pop());
      add(last);
      continue;
    }
    if (token.startsWith("(")) open.push([NOTHING]);
    else if (token === "|") open.at(-1)?.push(NOTHING);
    else if (/^(?:[*+?]|\{\d)/.test(token)) add(repeated(last, token));
    last = NOTHING;
  }
  while (open.length > 1) add(closed(open.pop()));
  // One that is not tied to the beginning is tried at every place.
  const isTied = /^\^[^|]*$/.test(pattern);
  const whole = closed(open[0]);
  return whole.repeats === 0 || isTied ? whole : { ...whole, repeats: whole.repeats + 1 };
}

const NOTHING: PatternCost = { choiceBits: 0, wayBits: 0, repeats: 0 };

/** An escaped sign, a class, the head of a group, `)`, `|`, a quantifier; or one other sign, to which a quantifier may belong. */
const TOKENS =
  /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?(?:<[^=!>][^>]*>|<?[=!]|:)|[()|]|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]/g;

function sum(one: PatternCost, other: PatternCost): PatternCost {
  return {
    choiceBits: one.choiceBits + other.choiceBits,
    wayBits: one.wayBits + other.wayBits,
    repeats: one.repeats + other.repeats,
  };
}

/** Of alternatives one is taken: the ways of all count, and the repeats of the worst. */
function closed(group: Group | undefined): PatternCost {
  const [first = NOTHING, ...others] = group ?? [];
  return others.reduce(
    (one, other) => ({
      choiceBits: bitsOfSum(one.choiceBits, other.choiceBits),
      wayBits: bitsOfSum(one.wayBits, other.wayBits),
      repeats: Math.max(one.repeats, other.repeats),
    }),
    first,
  );
}

/** log2(2^one + 2^other). */
function bitsOfSum(one: number, other: number): number {
  const [most, least] = [Math.max(one, other), Math.min(one, other)];
  return most === Number.POSITIVE_INFINITY ? most : most + Math.log2(1 + 2 ** (least - most));
}

/** What a quantifier adds to a part that has been counted once. */
function repeated(part: PatternCost, quantifier: string): PatternCost {
  const { least, most } = rangeOf(quantifier);
  const varies = part.wayBits + part.repeats > 0;
  if (most === Number.POSITIVE_INFINITY)
    return varies ? { ...NOTHING, wayBits: most } : { ...NOTHING, repeats: 1 };
  const wayBits = Math.log2(Math.max(most - least, 0) + 1);
  if (!varies || most <= 1) return { ...NOTHING, wayBits };
  const times = most - 1;
  return {
    choiceBits: part.choiceBits * times,
    wayBits: part.wayBits * times + wayBits,
    repeats: part.repeats * times,
  };
}

function rangeOf(quantifier: string): { readonly least: number; readonly most: number } {
  const [, least = "", comma = "", most = ""] = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier) ?? [];
  if (least === "") return { least: 0, most: quantifier.startsWith("?") ? 1 : Number.POSITIVE_INFINITY };
  if (comma === "") return { least: Number(least), most: Number(least) };
  return { least: Number(least), most: most === "" ? Number.POSITIVE_INFINITY : Number(most) };
}
