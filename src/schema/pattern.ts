/**
 * A regular expression from a server's schema runs in the host, where nothing can interrupt it. So a pattern that can
 * take exponential time, and a text too long to try it on, are not tried: they count as matching, and the server
 * decides.
 */
export const boundedPattern: ((
  pattern: string,
  flags: string,
) => { readonly test: (text: string) => boolean }) & {
  code: string;
} = Object.assign(
  (pattern: string, flags: string): { readonly test: (text: string) => boolean } => {
    const expression = new RegExp(pattern, flags);
    const isBounded = pattern.length <= MAX_PATTERN_LENGTH && !REPEATED_REPEAT.test(pattern);
    return { test: (text) => !isBounded || text.length > MAX_TEXT_LENGTH || expression.test(text) };
  },
  // Ajv wants the source of this function for standalone code, which mcpfs never makes.
  { code: "boundedPattern" },
);

/**
 * The same for schemas of the config, whose author wants an answer and not a guess: what cannot be tried is an error, and never a
 * match.
 * @throws RangeError on making or testing
 */
export const exactPattern: typeof boundedPattern = Object.assign(
  (pattern: string, flags: string): { readonly test: (text: string) => boolean } => {
    if (pattern.length > MAX_PATTERN_LENGTH || REPEATED_REPEAT.test(pattern))
      throw new RangeError("its pattern could take too long to try.");
    const expression = new RegExp(pattern, flags);
    return {
      test: (text) => {
        if (text.length > MAX_EXACT_LENGTH) throw new RangeError("a text is too long for its pattern.");
        return expression.test(text);
      },
    };
  },
  { code: "exactPattern" },
);

const MAX_PATTERN_LENGTH = 300;
/** A pattern of two repeats takes time in proportion to the square: a tenth of a second here. */
const MAX_EXACT_LENGTH = 20_000;
const MAX_TEXT_LENGTH = 2_000;

/** A group that repeats something or chooses, repeated itself: `(a+)+`, `(a|aa)*`. */
const REPEATED_REPEAT = /\((?:[^()\\]|\\.|\([^()]*\))*(?:[+*}]|\|)(?:[^()\\]|\\.|\([^()]*\))*\)[+*{]/;
