import type { Host } from "../engine/host.ts";
import type { ServeMode } from "../model/serve-mode.ts";
import type { ClientCaller } from "../policy/decision.ts";
import { type Mode, recommend } from "../tokens/recommend.ts";
import type { ClientTools } from "./permission.ts";

/** What all definitions would cost a client's model, and which mode is worth it. */
export interface DirectCost {
  readonly tools: number;
  /** Tokens of a language model. */
  readonly tokens: number;
  /** Of the context window, in percent. */
  readonly percent: number;
  readonly recommended: Mode;
}

/** What `direct` would hand out to a client. */
export function directCost(host: Pick<Host, "config">, tools: ClientTools, caller: ClientCaller): DirectCost {
  const amount = tools.permitted(caller).length;
  const tokens = tools.tokens(caller);
  const { mode, percent } = recommend(tokens, host.config().context);
  // Where nothing is known of the servers yet, their tools may be many.
  return { tools: amount, tokens, percent, recommended: amount === 0 ? "code" : mode };
}

/** `auto` is what the definitions are worth. */
export function settleMode(mode: ServeMode, cost: DirectCost): Mode {
  return mode === "auto" ? cost.recommended : mode;
}
