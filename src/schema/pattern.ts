import { createBoundedWork } from "../kernel/bounded-work.ts";
import { isQuick, MAX_WAY_BITS, patternCost } from "../kernel/pattern-cost.ts";

/** What Ajv makes of each pattern of a schema. */
type PatternMaker = ((pattern: string, flags: string) => { readonly test: (text: string) => boolean }) & {
  code: string;
};

/** Milliseconds that a validator spends on patterns that do not come to an end. */
const MAX_LOST_MS = 250;

/**
 * A regular expression from a server's schema runs in the host, where nothing else goes on meanwhile. So one that could take long on a
 * text has a bound of time, and one that could take long to compile, or comes when that time is spent, is not tried: the text counts as
 * matching, and the server decides.
 */
export function createBoundedPattern(): PatternMaker {
  let leftMs = MAX_LOST_MS;
  const boundedWork = createBoundedWork();
  return Object.assign(
    (pattern: string, flags: string): ReturnType<PatternMaker> => {
      const expression = new RegExp(pattern, flags);
      const cost = patternCost(pattern);
      return {
        test: (text) => {
          if (isQuick(cost, text.length)) return expression.test(text);
          if (cost.choiceBits > MAX_WAY_BITS || leftMs < 1) return true;
          const startMs = performance.now();
          const isMatch = boundedWork(() => expression.test(text), Math.ceil(leftMs));
          if (isMatch === undefined) leftMs -= performance.now() - startMs;
          return isMatch ?? true;
        },
      };
    },
    // Ajv wants the source of this function for standalone code, which mcpfs never makes.
    { code: "boundedPattern" },
  );
}

/**
 * The same for schemas of the config, whose author wants an answer and not a guess: what cannot be tried is an error, and never a
 * match.
 * @throws RangeError on making or testing
 */
export const exactPattern: PatternMaker = Object.assign(
  (pattern: string, flags: string): ReturnType<PatternMaker> => {
    const cost = patternCost(pattern);
    if (cost.wayBits > MAX_WAY_BITS) throw new RangeError("its pattern could take too long to try.");
    const expression = new RegExp(pattern, flags);
    return {
      test: (text) => {
        if (!isQuick(cost, text.length)) throw new RangeError("a text is too long for its pattern.");
        return expression.test(text);
      },
    };
  },
  { code: "exactPattern" },
);
