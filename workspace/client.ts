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
  readonly retry: "safe" | "unsafe";
}

interface Door {
  /** Calls a tool by its wire name, such as "crm__get_contact". The wrappers in servers/ do it with types. */
  callMCPTool<T = any>(name: string, args?: object): Promise<T>;
  /**
   * The function of a tool by its wire name: what each wrapper is. `Input` may be left out by the caller where all of it
   * is optional; `Output` is `any` where the tool does not say what it answers.
   */
  tool<Input = Record<string, never>, Output = any>(name: string): {} extends Input
    ? (input?: Input) => Promise<Output>
    : (input: Input) => Promise<Output>;
  readonly MCPToolError: abstract new () => MCPToolError;
  readonly mcp: { callTool<T = any>(name: string, args?: object): Promise<T> };
}

export const { callMCPTool, tool, MCPToolError, mcp } = globalThis as unknown as Door;
