import type { Json, JsonObject } from "../kernel/json.ts";
import type { Approval, ApprovalQuestion } from "../model/approval.ts";
import type { CallOutcome, ToolAnswer } from "../model/call.ts";
import type { AnswerEvent, AskedEvent, CallEvent, DecidedEvent, RefusedEvent } from "../model/call-event.ts";
import type { CallEffect } from "../model/run.ts";
import type { Tool } from "../model/tool.ts";

/** Answers "which tool is this, and is it still what the workspace says?". */
export interface ToolSource {
  /** The tool of this name. @throws McpfsError TOOL_UNKNOWN, TOOL_UNAVAILABLE */
  readonly find: (name: string) => Tool;
  /**
   * Compares a tool with what its server lists now, connecting where that is needed.
   * @returns the tool as it is now, and what the run's report should say: its definition changed since the last sync
   * @param args as the caller gave them: which resource is to be read
   * @throws McpfsError TOOL_UNAVAILABLE when it is gone, POLICY_DENIED for a resource that the config hides, the errors of connecting
   */
  readonly check: (tool: Tool, signal: AbortSignal, args: Json) => Promise<CurrentTool>;
}

/** A tool as its server lists it now. */
export interface CurrentTool {
  readonly tool: Tool;
  /** True where the config wants defaults of the schema filled in. */
  readonly fillsDefaults: boolean;
  /** True where the call gets placeholders as they are: it goes to a language model, which must not see what they stand for. */
  readonly keepsPlaceholders?: boolean;
  readonly warnings: readonly string[];
}

/** A call that policy wants a person to decide. */
export interface Ask extends ApprovalQuestion {
  readonly call: number;
  /** As it is now: an approval for longer than this call holds for this definition only. */
  readonly definition: Tool;
  /** True for a call that may have taken effect before: no grant and no decision about other calls covers it. */
  readonly isRepeat: boolean;
}

/**
 * Knows what persons have decided: before the run (grants), in an earlier part of it (its journal), or now (a terminal, a client).
 * The broker is its only user.
 */
export interface Approvals {
  /**
   * Resolves when it is decided, or with `undefined` when nobody who could decide is there: then the call waits.
   * @throws McpfsError CONFIG_INVALID when the store of grants cannot be understood
   */
  readonly decisionFor: (ask: Ask, signal: AbortSignal) => Promise<Approval | undefined>;
}

/** Sends one call to its server. The broker is its only user. */
export interface ToolCaller {
  readonly call: (tool: Tool, args: JsonObject, signal: AbortSignal) => Promise<ToolAnswer>;
}

/** The part of a journal that a broker writes. */
export interface CallRecord {
  readonly append: (event: CallEvent | RefusedEvent | AskedEvent | DecidedEvent | AnswerEvent) => void;
}

/** What is known of a call from an earlier attempt of the run. */
export type Recalled =
  /** It was never made, or never left: it is decided and made like any other. */
  | { readonly kind: "new" }
  /** It went out, and nobody knows what it did, or it failed: made again only where that is harmless or a person says so. */
  | { readonly kind: "again"; readonly before: CallEffect }
  | { readonly kind: "answered"; readonly before: CallEffect; readonly outcome: RecordedOutcome };

/** How a call ended, and when that was recorded: what the caller's clock shows then. */
export type RecordedOutcome = CallOutcome & { readonly atMs: number };

/** Calls that earlier attempts of the same run made. */
export interface PastCalls {
  readonly effects: readonly CallEffect[];
  /**
   * Asked once for each call, in the order in which they are made, before anything is decided about it. Settles when it is its turn.
   * @throws McpfsError REPLAY_DIVERGED when another call was recorded in its place
   */
  readonly recall: (call: number, name: string, args: Json) => Promise<Recalled>;
}
