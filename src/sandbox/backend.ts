import type { SandboxEnd, SandboxJob } from "../model/sandbox.ts";

/** What runs one job at a time in each of its threads or processes. */
export interface Backend {
  readonly run: (job: SandboxJob & { readonly signal: AbortSignal }) => Promise<SandboxEnd>;
  readonly warm: () => Promise<void>;
  /** Ends the spare; runs were stopped before. */
  readonly close: () => Promise<void>;
}
