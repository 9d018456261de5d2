import type { Json, JsonObject } from "../kernel/json.ts";
import type { AskApproval } from "./approval.ts";
import type { CallProgress } from "./call-progress.ts";
import type { AskPerson } from "./question.ts";

/** A folder that a program works in. Untrusted. */
export interface Root {
  readonly uri: string;
  readonly name: string;
}

/** Sends a client the parameters of `sampling/createMessage`; gives its untrusted result, or `undefined` where none comes. */
export type AskModel = (params: JsonObject, signal: AbortSignal) => Promise<Json | undefined>;

/**
 * The program that asked for a run or a call, as far as servers may reach it meanwhile. What is absent is answered as the host
 * does for all: where nobody can be asked, with a refusal.
 */
export interface CallerSide {
  /** The same for all calls of one client; absent where each call stands for itself. */
  readonly client?: object | undefined;
  readonly askPerson?: AskPerson | undefined;
  /** Decides calls that policy asks about; absent where nobody can: they wait. */
  readonly askApproval?: AskApproval | undefined;
  /** Has its language model answer; absent where it lends none. */
  readonly askModel?: AskModel | undefined;
  /** Its own folders, besides the files folder. */
  readonly listRoots?: ((signal: AbortSignal) => Promise<readonly Root[]>) | undefined;
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
}
