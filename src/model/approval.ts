import type { Json } from "../kernel/json.ts";
import type { ApprovalScope, DecidedEvent } from "./call-event.ts";

/** What a person is shown of a call that policy asks about. Names and arguments are untrusted. */
export interface ApprovalQuestion {
  readonly server: string;
  /** Raw name. */
  readonly tool: string;
  /** Secrets are hidden, and personal data stands as placeholders. */
  readonly arguments: Json;
  /** A sentence: why policy asks. */
  readonly reason: string;
  readonly rule: string;
}

/** A decision, who made it, and how far it reaches. */
export interface Approval {
  readonly decision: "approved" | "denied";
  readonly by: DecidedEvent["by"];
  readonly scope: ApprovalScope;
  /** `server/tool` with `*` and `?`, for `run-pattern`. */
  readonly pattern?: string;
  /** Milliseconds since 1970, for `until`. */
  readonly until?: number;
}

/**
 * Asks a person; one question at a time. Resolves with `undefined` when the person puts it off, and when `signal` aborts: the call
 * then waits.
 */
export type AskApproval = (question: ApprovalQuestion, signal: AbortSignal) => Promise<Approval | undefined>;
