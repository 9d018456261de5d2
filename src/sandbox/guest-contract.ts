/** What the guest library and the host agree on; both sides import this file. */

/** The guest library is evaluated under this name; frames that hold it are ours and are not shown. */
export const PRELUDE_FILE = "mcpfs:prelude";

/** What the host function gives instead of a call's number. `taken`: a console line, which has no number. */
export const REFUSED = { taken: 0, tooLarge: -1, tooMany: -2, malformed: -3 } as const;

/** Stands for a part of an error that cannot be read: its getter throws, or there is no memory left to build it. */
export const UNREADABLE_PART = "(it could not be read)";

/** The functions that the guest library hands to the host, before the script is there. */
export interface GuestHooks {
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
  /** Hands over the answer to a call. */
  readonly deliver: (id: number, nowMs: number, isError: boolean, text: string, mark: string) => void;
  /** Tells a thrown value as JSON text. */
  readonly describe: (thrown: unknown) => string;
  readonly hasOutcome: () => boolean;
  readonly isValue: () => boolean;
  /** JSON text of the value; empty for `undefined`. */
  readonly valueText: () => string;
  readonly thrownValue: () => unknown;
  /** Answers that something in the guest still waits for. */
  readonly openCalls: () => number;
  /** How often the script read the clock since it last moved. */
  readonly clockReads: () => number;
  /** The script's stack at this moment. */
  readonly stack: () => string;
}
