import type { ServerName } from "../model/names.ts";
import type { Hub } from "./hub.ts";
import { isSessionGone } from "./lost-requests.ts";
import type { ServerLink } from "./server-link.ts";

/**
 * Works with a server's link; where the server turns out to have forgotten the session, once more with a new one: a request to a
 * forgotten session was not read, so nothing is done twice.
 * @throws McpfsError as `link` and `work` do
 */
export async function useLink<T>(
  links: Pick<Hub, "link">,
  server: ServerName,
  work: (link: ServerLink) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await work(await links.link(server, signal));
  } catch (error) {
    if (!isSessionGone(error)) throw error;
    return await work(await links.link(server, signal));
  }
}
