/** A call that gave no value. It can be caught; `hint` says what to do. */
export interface MCPToolError extends Error {
  readonly server: string;
  readonly tool: string;
  /** TOOL_ERROR (the tool said so), ARGUMENTS_INVALID, POLICY_DENIED, TOOL_UNAVAILABLE, … */
  readonly code: string;
  readonly hint: string;
  /** The blocks of the tool's answer, where it gave one. */
  readonly content: readonly any[];
  /** Whether making the same call again is harmless. */
  readonly retry: "safe" | "unsafe" | "not-needed";
}

interface Door {
  /** Calls a tool by its wire name, such as "crm__get_contact". The wrappers in servers/ do it with types. */
  callMCPTool<T = any>(name: string, args?: object): Promise<T>;
  readonly MCPToolError: abstract new () => MCPToolError;
  readonly mcp: { callTool<T = any>(name: string, args?: object): Promise<T> };
}

export const { callMCPTool, MCPToolError, mcp } = globalThis as unknown as Door;
