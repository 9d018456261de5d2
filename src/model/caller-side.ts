import type { AskApproval } from "./approval.ts";
import type { CallProgress } from "./call-progress.ts";
import type { AskPerson } from "./question.ts";

/** A folder that a program works in. Untrusted. */
export interface Root {
  readonly uri: string;
  readonly name: string;
}

/**
 * The program that asked for a run or a call, as far as servers may reach it meanwhile. What is absent is answered as the host
 * does for all: where nobody can be asked, with a refusal.
 */
export interface CallerSide {
  readonly askPerson?: AskPerson | undefined;
  /** Decides calls that policy asks about; absent where nobody can: they wait. */
  readonly askApproval?: AskApproval | undefined;
  /** Its own folders, besides the files folder. */
  readonly listRoots?: ((signal: AbortSignal) => Promise<readonly Root[]>) | undefined;
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
}
