import type { Json, JsonObject } from "../kernel/json.ts";
import type { ToolAnswer } from "../model/call.ts";
import type { AnswerEvent, CallEvent } from "../model/call-event.ts";
import type { Tool } from "../model/tool.ts";

/** Answers "which tool is this, and is it still what the workspace says?". */
export interface ToolSource {
  /** The tool of this name. @throws McpfsError TOOL_UNKNOWN, TOOL_UNAVAILABLE */
  readonly find: (name: string) => Tool;
  /**
   * Compares a tool with what its server lists now, connecting where that is needed.
   * @returns what the run's report should say: its definition changed since the last sync
   * @param args as the caller gave them: which resource is to be read
   * @throws McpfsError TOOL_UNAVAILABLE when it is gone, POLICY_DENIED for a resource that the config hides, the errors of connecting
   */
  readonly check: (tool: Tool, signal: AbortSignal, args: Json) => Promise<readonly string[]>;
}

/** Sends one call to its server. The broker is its only user. */
export interface ToolCaller {
  readonly call: (tool: Tool, args: JsonObject, signal: AbortSignal) => Promise<ToolAnswer>;
}

/** The part of a journal that a broker writes. */
export interface CallRecord {
  readonly append: (event: CallEvent | AnswerEvent) => void;
}
