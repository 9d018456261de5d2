import type { RunReport } from "../../model/run.ts";

/** How a run ended, by what its last event says; without one its process ended before it could say so. */
export function endKind(kind: string | undefined): RunReport["kind"] {
  return kind === "ok" || kind === "failed" || kind === "suspended" ? kind : "stopped";
}
