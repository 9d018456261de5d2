/** How tools are handed to a model: all definitions at once, definitions on demand, or scripts. The words of `serve --mode`. */
export type Mode = "direct" | "discover" | "code";

/** When each way is worth it: the config's `context`. */
export interface ContextLimits {
  /** Size of the model's context window. */
  readonly windowTokens: number;
  /** Share of the window, in percent, up to which all definitions may be handed out. */
  readonly directPercent: number;
  /** Share up to which definitions on demand are enough. */
  readonly discoverPercent: number;
}

/** MCP's guide for clients advises to leave direct calls somewhere between 1 and 5 percent of the window. */
export const DEFAULT_CONTEXT: ContextLimits = {
  windowTokens: 200_000,
  directPercent: 1,
  discoverPercent: 5,
};

export interface Recommendation {
  readonly mode: Mode;
  /** Of the window, in percent, for all definitions together. */
  readonly percent: number;
}

/** Which way to take, by the share of the window alone: a number of tools says little, since definitions differ a hundredfold in length. */
export function recommend(definitionTokens: number, limits: ContextLimits): Recommendation {
  const percent = (definitionTokens / limits.windowTokens) * 100;
  const mode =
    percent <= limits.directPercent ? "direct" : percent <= limits.discoverPercent ? "discover" : "code";
  return { mode, percent };
}
