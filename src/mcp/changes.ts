import type { Client } from "@modelcontextprotocol/client";
import { digestJson } from "../kernel/digest.ts";
import { pause, settlesWithin } from "../kernel/wait.ts";
import type { PushEvent } from "./http-wire.ts";
import type { ToolList } from "./list-all.ts";

/** Long enough for a server that tells ten changes in a row, and short beside the 300 ms in which the tree follows. */
const DEBOUNCE_MS = 30;
/** A connect waits so long for the subscription: what changes before it, nobody tells. */
const FIRST_ACK_MS = 2_000;
const FIRST_RETRY_MS = 1_000;

/** Calls `notify` once, 30 ms after the first of several changes. */
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
 * Keeps a subscription to changes of the lists open, as revision 2026-07-28 wants it
 * (`basic/patterns/subscriptions.mdx`); earlier servers tell unasked. The SDK opens it once and leaves it dead after
 * a drop (measured), so it is opened again here, and since nothing is replayed, each reopening counts as a change.
 * A server that does not take it again is gone.
 *
 * The SDK's `listChanged` option is not used: a handler of our own for the same notification would disable it silently.
 */
export async function subscribeToChanges(
  client: Client,
  options: { readonly onChanged: () => void; readonly onLost: () => void; readonly signal: AbortSignal },
): Promise<void> {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const filter = {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  };
  if (client.getProtocolEra() !== "modern" || Object.keys(filter).length === 0) return;
  let acknowledge: () => void = () => {};
  const acknowledged = new Promise<void>((resolve) => {
    acknowledge = resolve;
  });
  void keepListening(client, filter, options, (isFirst) => {
    if (isFirst) acknowledge();
    else options.onChanged();
  });
  if (!(await settlesWithin(acknowledged, FIRST_ACK_MS))) void acknowledged.then(options.onChanged);
}

async function keepListening(
  client: Client,
  filter: Parameters<Client["listen"]>[0],
  { onLost, signal }: { readonly onLost: () => void; readonly signal: AbortSignal },
  onOpen: (isFirst: boolean) => void,
): Promise<void> {
  let isFirst = true;
  let waitMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    try {
      const openedAtMs = Date.now();
      const subscription = await client.listen(filter, { signal });
      onOpen(isFirst);
      isFirst = false;
      if ((await subscription.closed) === "graceful") return;
      // One that is cut as soon as it stands is asked for less and less often.
      waitMs = Date.now() - openedAtMs > waitMs ? FIRST_RETRY_MS : Math.min(waitMs * 2, LAST_RETRY_MS);
    } catch {
      if (signal.aborted) return;
      if (!isFirst) return onLost();
      // A server may have no subscriptions although it says so: its calls work all the same.
      waitMs = Math.min(waitMs * 2, LAST_RETRY_MS);
    }
    await pause(waitMs, signal);
  }
}

const LAST_RETRY_MS = 30_000;

/**
 * Judges what becomes of the stream on which an earlier HTTP server tells of changes. The SDK opens it again after a break and gives
 * up after two tries (measured); what changed meanwhile nobody tells. So a stream that came back counts as a change, and one that
 * does not come back is a lost link. A server that never had the stream (405 and the like) just does not tell.
 */
export function keepPush(options: {
  readonly kind: "stdio" | "http" | "sse";
  readonly onChanged: () => void;
  readonly onLost: (words: string) => void;
}): (event: PushEvent) => void {
  let opened = 0;
  return (event) => {
    switch (event) {
      case "opened":
        opened += 1;
        // One that is closed each second would mean a list each second: told at the 2nd, 4th, 8th time.
        if (opened > 1 && Math.log2(opened) % 1 === 0) options.onChanged();
        return;
      case "failed":
        if (opened > 0) options.onLost("closed the stream of changes and does not open it again");
        return;
      case "ended":
        // The old transport has its session in this stream.
        if (options.kind === "sse") options.onLost("closed the connection");
        return;
    }
  };
}

/** Tells when a list is older than its server allows. */
export interface Expiry {
  readonly listed: (list: ToolList) => void;
  readonly cancel: () => void;
}

/** No server is asked more often than that, whatever it says: a time to live is no interval for polling (`caching.mdx`). */
const LEAST_TTL_MS = 5_000;
const MOST_TTL_MS = 60 * 60 * 1_000;

/**
 * Creates the clock of one server's list: `notify` comes when the list is past its `ttlMs`, a little later at random, so that a
 * hundred servers are not asked at once. Each time that the list is still the same, the wait doubles.
 */
export function createExpiry(notify: () => void, random: () => number = Math.random): Expiry {
  let timer: NodeJS.Timeout | undefined;
  let last = "";
  let factor = 1;
  return {
    listed: ({ tools, ttlMs }) => {
      clearTimeout(timer);
      if (ttlMs === undefined || ttlMs <= 0) return;
      const digest = digestJson(tools);
      factor = digest === last ? factor * 2 : 1;
      last = digest;
      const waitMs = Math.min(Math.max(ttlMs, LEAST_TTL_MS) * factor, MOST_TTL_MS);
      timer = setTimeout(notify, waitMs * (1 + random() / 5)).unref();
    },
    cancel: () => clearTimeout(timer),
  };
}
