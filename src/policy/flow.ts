import type { Tool } from "../model/tool.ts";
import type { Decision } from "./decision.ts";

/** Decides where data may go: asked on each call with the servers whose answers the run has already seen. */
export interface FlowPolicy {
  readonly decide: (question: { readonly tool: Tool; readonly sources: ReadonlySet<string> }) => Decision;
}

/** The flow policy of a workspace without rules: any server's data may go to any other. */
export const openFlow: FlowPolicy = {
  decide: () => ({ kind: "allow", rule: "open", reason: "Data may go anywhere." }),
};
