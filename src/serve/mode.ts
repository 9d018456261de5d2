import type { ServeConfig } from "../config/parse-serve.ts";
import type { ServeMode } from "../model/serve-mode.ts";
import type { Catalog } from "../model/tool.ts";
import { directTools } from "./direct-tools.ts";

/** What a client gets. */
export type SettledMode = Exclude<ServeMode, "auto">;

/** What all definitions would cost a client's model. */
export interface DirectCost {
  readonly tools: number;
  /** Tokens of a language model, estimated. */
  readonly tokens: number;
  /** Of the context window: 0.05 is five percent. */
  readonly share: number;
}

/** A token is about four characters of English or JSON. */
const CHARACTERS_PER_TOKEN = 4;

/** Measures what `direct` would hand out. */
export function directCost(catalog: Catalog, config: Pick<ServeConfig, "contextTokens">): DirectCost {
  const tools = directTools(catalog);
  const characters = tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
  const tokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
  return { tools: tools.length, tokens, share: tokens / config.contextTokens };
}

/** `auto` hands out all tools while they are cheap, and means scripts otherwise. */
export function settleMode(mode: ServeMode, cost: DirectCost, config: ServeConfig): SettledMode {
  if (mode !== "auto") return mode;
  // Nothing is known of the servers yet.
  if (cost.tools === 0) return "code";
  return cost.share <= config.directShare ? "direct" : "code";
}
