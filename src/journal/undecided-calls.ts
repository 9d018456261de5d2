import type { AskedEvent } from "../model/call-event.ts";
import type { JournalEvent } from "./events.ts";

/** Calls that a suspended run was asked about and that nobody has decided yet, in the order in which they were made. */
export function undecidedCalls(events: readonly JournalEvent[]): readonly AskedEvent[] {
  const waiting = new Map<number, AskedEvent>();
  for (const event of events) {
    // Each attempt asks anew for what it still needs.
    if (event.event === "resume") waiting.clear();
    if (event.event === "asked") waiting.set(event.call, event);
    if (event.event === "decided" || event.event === "call" || event.event === "refused")
      waiting.delete(event.call);
  }
  return [...waiting.values()].sort((one, other) => one.call - other.call);
}
