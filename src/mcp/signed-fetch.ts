import { McpfsError } from "../kernel/errors.ts";
import { unlessAborted } from "../kernel/wait.ts";
import type { ServerName } from "../model/names.ts";
import type { Credentials } from "./credentials.ts";

/** Sends one request. */
export type Send = (url: URL, init: RequestInit) => Promise<Response>;

/**
 * Creates the `fetch` that signs requests to the server's own origin. A request that the server refuses with 401 was not carried
 * out, so it is made once more where there are other credentials. No header of the config and no access token leaves the origin: a
 * redirect to another one is an error that names both (the SDK follows those that stay).
 */
export function createSignedFetch(
  server: ServerName,
  origin: string,
  credentials: Credentials | undefined,
): Send {
  return async (url, init) => {
    const sender = url.origin === origin ? credentials : undefined;
    const bearer = await unlessAborted(Promise.resolve(sender?.current()), init.signal);
    const response = await fetch(url, signed(init, bearer));
    refuseToLeave(server, url, response);
    if (response.status !== 401 || sender === undefined) return response;
    let other: string | undefined;
    try {
      other = await unlessAborted(sender.another(bearer, response), init.signal);
    } catch (error) {
      await response.body?.cancel();
      throw error;
    }
    if (other === undefined) return response;
    await response.body?.cancel();
    return await fetch(url, signed(init, other));
  };
}

function signed(init: RequestInit, bearer: string | undefined): RequestInit {
  if (bearer === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${bearer}`);
  return { ...init, headers };
}

function refuseToLeave(server: ServerName, from: URL, response: Response): void {
  const location = response.headers.get("location");
  if (response.status < 300 || response.status >= 400 || location === null) return;
  if (!URL.canParse(location, from.href)) return;
  const to = new URL(location, from);
  const isUpgrade =
    to.protocol === "https:" &&
    from.protocol === "http:" &&
    to.hostname === from.hostname &&
    to.port === from.port;
  if (to.origin === from.origin || isUpgrade) return;
  throw new McpfsError(
    "SERVER_FAILED",
    `Server ${server} at ${from.origin} sends requests on to ${to.origin}, which gets neither headers nor credentials of ${server}: the redirect was not followed.`,
    {
      hint: `If ${to.origin}${to.pathname} is the server that you mean, make it the "url" of ${server} in mcpfs.json.`,
      data: { server, from: from.origin, to: to.origin },
    },
  );
}
