import type { LogBuffer } from "./log-buffer.ts";
import type { OutItem } from "./messages.ts";

/** What left the guest and was not sent yet: console lines and calls in one order. */
export interface Outbox {
  readonly add: (item: OutItem) => void;
  /** @param isWaiting tells the host that the script waits, also when nothing else is to be sent */
  readonly flush: (isWaiting?: boolean) => void;
  /** Age of the oldest line, in milliseconds; 0 when there is none. */
  readonly ageMs: () => number;
}

/** Calls are sent when the guest comes back; a script that makes many without pause is not let fill memory. */
const MAX_ITEMS = 256;

export function createOutbox(
  buffer: LogBuffer,
  post: (items: readonly OutItem[], isWaiting: boolean) => void,
): Outbox {
  let items: OutItem[] = [];
  let oldestMs = 0;
  const flush = (isWaiting = false): void => {
    if (items.length === 0 && !isWaiting) return;
    post(items, isWaiting);
    items = [];
    buffer.clear();
  };
  return {
    add: (item) => {
      if (items.length === 0) oldestMs = performance.now();
      items.push(item);
      if (item.kind === "log" && !buffer.append(item)) {
        flush();
        return;
      }
      if (items.length >= MAX_ITEMS) flush();
    },
    flush,
    ageMs: () => (items.length === 0 ? 0 : performance.now() - oldestMs),
  };
}
