import type { CallError } from "./call.ts";

/**
 * The door is the only crossing between a script and the host: the one function `callMCPTool`. Everything that
 * passes is text or a number, so that a broken guest can hand over nothing else.
 */

/** A call as it leaves the guest. */
export interface DoorCall {
  /** From 1, in the order in which the guest made them; built-in calls count here too. */
  readonly id: number;
  /** Wire name: `crm__get_contact`, `mcpfs__sleep`. Untrusted. */
  readonly name: string;
  /** JSON text of the arguments, integers of any length as plain digits. Untrusted. */
  readonly argumentsText: string;
}

/** The host's answer to one call. Exactly one is given to each call but `mcpfs__log`, which gets none. */
export type DoorAnswer =
  | {
      readonly kind: "ok";
      /** JSON text of the value, integers of any length as plain digits; `undefined` is an empty string. */
      readonly text: string;
      /** The guest's clock from now on, in milliseconds since 1970. */
      readonly nowMs: number;
    }
  | { readonly kind: "error"; readonly error: CallError; readonly nowMs: number };

/**
 * What holds a call up, while it is open: `out` nothing but its own time; `asking` a person who is being asked, so that the run's wall
 * time stands still; `waiting` a person who is not there: the host will not answer it any more.
 */
export type CallState = "out" | "asking" | "waiting";

/** The name of the one built-in call that nobody awaits. */
export const LOG_CALL = "mcpfs__log";

/** One line of console output, as the guest formatted it. */
export interface LogLine {
  readonly level: "debug" | "log" | "info" | "warn" | "error";
  readonly text: string;
}
