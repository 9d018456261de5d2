import type { Host } from "../engine/host.ts";
import type { ServeMode } from "../model/serve-mode.ts";
import { type Mode, recommend } from "../tokens/recommend.ts";
import { toolsOfServers } from "./permission.ts";

/** What all definitions would cost a client's model, and which mode is worth it. */
export interface DirectCost {
  readonly tools: number;
  /** Tokens of a language model. */
  readonly tokens: number;
  /** Of the context window, in percent. */
  readonly percent: number;
  readonly recommended: Mode;
}

/** Measures what `direct` would hand out. */
export async function directCost(host: Host): Promise<DirectCost> {
  const tools = toolsOfServers(await host.catalog()).length;
  const tokens = await host.definitionTokens();
  const { mode, percent } = recommend(tokens, host.config().context);
  // Where nothing is known of the servers yet, their tools may be many.
  return { tools, tokens, percent, recommended: tools === 0 ? "code" : mode };
}

/** `auto` is what the definitions are worth. */
export function settleMode(mode: ServeMode, cost: DirectCost): Mode {
  return mode === "auto" ? cost.recommended : mode;
}
