import { z } from "zod";
import { type ContextLimits, DEFAULT_CONTEXT } from "../tokens/recommend.ts";

/** What `context` of the file says. */
export type ContextShape = { readonly [Key in keyof ContextLimits]?: number | undefined };

const WINDOW = "a whole number of tokens, at least 1000";
const PERCENT = "a number from 0 to 100";
const percent = z.number({ error: PERCENT }).min(0, { error: PERCENT }).max(100, { error: PERCENT });

const contextObject = z.looseObject(
  {
    windowTokens: z
      .int({ error: WINDOW })
      .min(1_000, { error: WINDOW })
      .describe(`Size of the context window of your model. Default ${DEFAULT_CONTEXT.windowTokens}.`)
      .optional(),
    directPercent: percent
      .describe(
        `Share of the window up to which all definitions may be handed to the model. Default ${DEFAULT_CONTEXT.directPercent}.`,
      )
      .optional(),
    discoverPercent: percent
      .describe(
        `Share up to which definitions on demand are enough; above it, scripts. Default ${DEFAULT_CONTEXT.discoverPercent}.`,
      )
      .optional(),
  },
  { error: "an object with windowTokens, directPercent and discoverPercent" },
);

/** The context window of the user's model, and how much of it definitions may take. */
export const contextSchema: z.ZodType<ContextShape> = contextObject;

/** The keys that `context` may have. */
export const CONTEXT_KEYS: readonly string[] = Object.keys(contextObject.shape);

/** The limits with what the file leaves out filled in. */
export function readContext(shape: ContextShape = {}): ContextLimits {
  const { windowTokens, directPercent, discoverPercent } = shape;
  return {
    windowTokens: windowTokens ?? DEFAULT_CONTEXT.windowTokens,
    directPercent: directPercent ?? DEFAULT_CONTEXT.directPercent,
    discoverPercent: discoverPercent ?? DEFAULT_CONTEXT.discoverPercent,
  };
}
