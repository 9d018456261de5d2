import type { ServerName } from "./names.ts";

/** How far a call is, as its server reports it: untrusted. */
export interface CallProgress {
  readonly server: ServerName;
  /** What was asked for: a tool's, prompt's or resource's name. */
  readonly what: string;
  readonly done: number;
  readonly total: number | undefined;
  readonly message: string;
  /** True for the last one: the call has ended. */
  readonly isOver: boolean;
}
