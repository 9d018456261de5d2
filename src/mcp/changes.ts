import type { Client } from "@modelcontextprotocol/client";
import { pause, settlesWithin } from "../kernel/wait.ts";

/** A list that changes twenty times in a row is listed again once. */
const DEBOUNCE_MS = 50;
/** A connect waits so long for the subscription: what changes before it, nobody tells. */
const FIRST_ACK_MS = 2_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

/** Calls `notify` once, 50 ms after the first of several changes. */
export interface Debounced {
  readonly changed: () => void;
  readonly cancel: () => void;
}

/** Creates the debounced form of `notify`. Its timer keeps no process alive. */
export function debounce(notify: () => void): Debounced {
  let timer: NodeJS.Timeout | undefined;
  return {
    changed: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        notify();
      }, DEBOUNCE_MS).unref();
    },
    cancel: () => clearTimeout(timer),
  };
}

/**
 * Keeps a subscription to changes of the tool list open, as revision 2026-07-28 wants it
 * (`basic/patterns/subscriptions.mdx`); earlier servers tell unasked. The SDK opens it once and leaves it dead after
 * a drop (measured), so it is opened again here, and since nothing is replayed, each reopening counts as a change.
 *
 * The SDK's `listChanged` option is not used: a handler of our own for the same notification would disable it silently.
 */
export async function subscribeToChanges(
  client: Client,
  changed: () => void,
  signal: AbortSignal,
): Promise<void> {
  if (client.getProtocolEra() !== "modern" || !client.getServerCapabilities()?.tools?.listChanged) return;
  let acknowledge: () => void = () => {};
  const acknowledged = new Promise<void>((resolve) => {
    acknowledge = resolve;
  });
  void keepListening(client, signal, (isFirst) => {
    if (isFirst) acknowledge();
    else changed();
  });
  if (!(await settlesWithin(acknowledged, FIRST_ACK_MS))) void acknowledged.then(changed);
}

async function keepListening(
  client: Client,
  signal: AbortSignal,
  onOpen: (isFirst: boolean) => void,
): Promise<void> {
  let isFirst = true;
  let waitMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    try {
      const subscription = await client.listen({ toolsListChanged: true }, { signal });
      onOpen(isFirst);
      isFirst = false;
      waitMs = FIRST_RETRY_MS;
      if ((await subscription.closed) === "graceful") return;
    } catch {
      // Tried again below; a server that is gone shows at the next call.
    }
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, LAST_RETRY_MS);
  }
}
