import type { FetchLike } from "@modelcontextprotocol/client";
import { McpfsError } from "../kernel/errors.ts";

/** An authorization server answers at once or not at all; others may wait for the same lock. */
const ANSWER_MS = 15_000;

/**
 * A `fetch` for metadata and for authorization servers: it carries nothing of the config, and goes only where {@link isSafeAddress}
 * allows, since a server names these addresses. It never follows a redirect by itself: the SDK follows those that stay with the
 * origin.
 */
export function createOAuthFetch(server: URL, signal?: AbortSignal): FetchLike {
  return async (url, init) => {
    const address = new URL(url);
    if (!isSafeAddress(address, server))
      throw new McpfsError(
        "SERVER_FAILED",
        `${server.origin} names ${address.origin} for signing in, which is not reached over https.`,
        { hint: "Ask the makers of the server. Addresses on this machine are used only for servers on it." },
      );
    const limit = AbortSignal.timeout(ANSWER_MS);
    try {
      const signals = [limit, ...(signal === undefined ? [] : [signal])];
      return await fetch(address, { ...init, redirect: "manual", signal: AbortSignal.any(signals) });
    } catch (error) {
      if (!limit.aborted || signal?.aborted === true) throw error;
      // The SDK takes a TypeError alone for trouble of the network, and not for a server without metadata.
      throw new TypeError("no answer in time", { cause: Object.assign(new Error(), { code: "ETIMEDOUT" }) });
    }
  };
}

/** https, or on this machine where the server is, or the server's own origin. */
export function isSafeAddress(address: URL, server: URL): boolean {
  if (address.origin === server.origin) return true;
  if (isLoopback(address)) return isLoopback(server) && /^https?:$/.test(address.protocol);
  return address.protocol === "https:";
}

function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
