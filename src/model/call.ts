import type { ErrorCode } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";

/** What a call did, as far as anybody knows. */
export type Effect = "done" | "failed" | "unknown" | "never-sent";

/** Whether making the same call again is harmless. */
export type Retry = "safe" | "unsafe";

/** A block of a tool's answer, as received: untrusted. */
export type ContentBlock = Json;

/** What a server answered to `tools/call`, as received. */
export interface ToolAnswer {
  readonly content: readonly ContentBlock[];
  /** `structuredContent`, where the answer has one. */
  readonly structured: Json | undefined;
  readonly isError: boolean;
  /** What the run's report should say of it: that it is old. */
  readonly warnings?: readonly string[];
}

/** An error that reaches the guest as an `MCPToolError`, or a caller as the end of a call. */
export interface CallError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  /** For a client of `serve`, where that is another. */
  readonly clientHint?: string;
  readonly server: string;
  readonly tool: string;
  readonly retry: Retry;
  /** The blocks of an answer that said `isError`. */
  readonly content: readonly ContentBlock[];
}

/** How a call ended: the value that the script gets, or the error that it can catch. */
export type CallOutcome =
  | {
      readonly kind: "ok";
      readonly value: Json | undefined;
      /** The JSON text of `value`, where somebody has printed it already: answers may be large. */
      readonly valueText?: string | undefined;
      readonly content: readonly ContentBlock[];
      readonly warnings: readonly string[];
    }
  | { readonly kind: "error"; readonly error: CallError; readonly warnings: readonly string[] };
