/** What the guest library and the host agree on; both sides import this file. */

/** The guest library is evaluated under this name; frames that hold it are ours and are not shown. */
export const PRELUDE_FILE = "mcpfs:prelude";

/** What the host function gives instead of a call's number. `taken`: a console line, which has no number. */
export const REFUSED = { taken: 0, tooLarge: -1, tooMany: -2, malformed: -3 } as const;

/** Stands for a part of an error that cannot be read: its getter throws, or there is no memory left to build it. */
export const UNREADABLE_PART = "(it could not be read)";

/**
 * Numbers that both sides read and write without a call. `id`, `nowMs` and `isError` are the host's, of the answer that it
 * delivers; `outcome` and `openCalls` the guest's: how the script ended, and answers that something in it still waits for.
 */
export const REGISTER = { id: 0, nowMs: 1, isError: 2, outcome: 3, openCalls: 4 } as const;
export const REGISTERS = 5;
export const OUTCOME = { none: 0, value: 1, thrown: 2 } as const;

/** The functions that the guest library hands to the host, before the script is there. */
export interface GuestHooks {
  /** Takes the buffer of the registers. */
  readonly attach: (buffer: ArrayBuffer) => void;
  /**
   * Gives the run its clock, random numbers and `args`. Text of `args` that begins with `mark` is an integer beyond
   * a double; `nonce` marks such integers on their way out.
   */
  readonly start: (
    nonce: string,
    seed: string,
    nowMs: number,
    argsText: string,
    mark: string,
    argumentBytes: number,
  ) => void;
  /** Follows the evaluated module to the run's value. */
  readonly follow: () => void;
  /** Notes that the module did not parse, or threw before it awaited anything. */
  readonly fail: (thrown: unknown) => void;
  /** Hands over the answer to the call that the registers name. */
  readonly deliver: (text: string, mark?: string) => void;
  /** Tells a thrown value as JSON text. */
  readonly describe: (thrown: unknown) => string;
  /** JSON text of the value; empty for `undefined`. */
  readonly valueText: () => string;
  readonly thrownValue: () => unknown;
  /** How often the script read the clock since it last moved. */
  readonly clockReads: () => number;
  /** The script's stack at this moment. */
  readonly stack: () => string;
  /** The stack of the line that made an open call. */
  readonly stackOfCall: (id: number) => string;
}
