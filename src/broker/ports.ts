import type { Json, JsonObject } from "../kernel/json.ts";
import type { Approval, ApprovalQuestion } from "../model/approval.ts";
import type { ToolAnswer } from "../model/call.ts";
import type { AnswerEvent, AskedEvent, CallEvent, DecidedEvent } from "../model/call-event.ts";
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
  readonly warnings: readonly string[];
}

/** A call that policy wants a person to decide. */
export interface Ask extends ApprovalQuestion {
  readonly call: number;
  /** As it is now: an approval for longer than this call holds for this definition only. */
  readonly definition: Tool;
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
  readonly append: (event: CallEvent | AskedEvent | DecidedEvent | AnswerEvent) => void;
}
