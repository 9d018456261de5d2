import type { Client } from "@modelcontextprotocol/client";

/** More resources than that are left to their time to live. */
const MAX_WATCHED = 100;

/**
 * Creates what subscribes to resources whose contents somebody keeps, on servers of revision 2026-07-28 that offer it
 * (`basic/patterns/subscriptions.mdx`; earlier revisions have nothing to keep). One subscription holds all of them, and is made anew
 * when one is added. Where it ends, each of them counts as changed, since nothing is replayed, and is watched again when it is read
 * again. Where the server refuses one, no more are watched: their times to live alone count.
 */
export function createResourceWatch(
  client: Client,
  options: { readonly onChanged: (uri: string) => void; readonly signal: AbortSignal },
): (uri: string) => void {
  const isOffered =
    client.getProtocolEra() === "modern" && client.getServerCapabilities()?.resources?.subscribe === true;
  const watched = new Set<string>();
  let current = new AbortController();
  let isRefused = false;

  const listen = async (uris: readonly string[], mine: AbortController): Promise<void> => {
    const before = current;
    current = mine;
    const signal = AbortSignal.any([mine.signal, options.signal]);
    try {
      const subscription = await client.listen({ resourceSubscriptions: [...uris] }, { signal });
      // Not sooner: nothing may change unseen between the two.
      before.abort();
      await subscription.closed;
    } catch {
      // One that is ended by a newer one before the server has acknowledged it is no refusal.
      if (signal.aborted) return before.abort();
      // A server may have no subscriptions although it says so.
      isRefused = true;
      return;
    }
    if (signal.aborted) return;
    watched.clear();
    for (const uri of uris) options.onChanged(uri);
  };

  return (uri) => {
    if (!isOffered || isRefused || watched.has(uri) || watched.size >= MAX_WATCHED) return;
    watched.add(uri);
    void listen([...watched], new AbortController());
  };
}
