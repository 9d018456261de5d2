import type { IncomingHttpHeaders } from "node:http";
import { isIPv6 } from "node:net";

/** Who may reach the address at all: what a page in a browser must not forge. */
export interface HttpGuard {
  /** A sentence that says why not, or nothing. */
  readonly refuse: (headers: IncomingHttpHeaders) => string | undefined;
  /** What a browser wants to see before it shows a page the answer. */
  readonly corsHeaders: (headers: IncomingHttpHeaders) => Readonly<Record<string, string>>;
}

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** True for a name or an address that nobody but this machine reaches. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(hostName(host));
}

/**
 * Checks Host and Origin, so that a name of an attacker that leads to this machine (DNS rebinding), or a page of another site, gets
 * nothing (streamable HTTP, Security Warning). Programs send no Origin.
 * @param hosts names and addresses besides those of this machine
 * @param origins pages besides those of this machine, as `https://example.com`
 */
export function createHttpGuard(hosts: readonly string[], origins: readonly string[]): HttpGuard {
  const names = new Set([...LOOPBACK, ...hosts.map(hostName)]);
  const isOurs = (origin: string): boolean => {
    if (origins.includes(origin)) return true;
    return URL.canParse(origin) && LOOPBACK.includes(new URL(origin).hostname);
  };
  return {
    refuse: ({ host, origin }) => {
      const name = nameOf(host);
      if (name === undefined || !names.has(name))
        return "This host name is not one of this server's. serve.hosts in mcpfs.json adds one.";
      if (origin !== undefined && !isOurs(origin))
        return "Pages of this origin may not use this server. serve.origins in mcpfs.json adds one.";
      return undefined;
    },
    corsHeaders: ({ origin }) =>
      origin === undefined || !isOurs(origin)
        ? {}
        : {
            "access-control-allow-origin": origin,
            "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
            "access-control-allow-headers":
              "authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id",
            "access-control-expose-headers": "mcp-session-id, www-authenticate",
            vary: "origin",
          },
  };
}

/** A name or an address as a URL holds it: an IPv6 address in brackets. */
export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** The same in the one form that {@link nameOf} gives too: `FD00:0::5` is `[fd00::5]`. */
function hostName(host: string): string {
  return nameOf(urlHost(host)) ?? host.toLowerCase();
}

/** The host name without its port, or nothing where the header makes no sense. */
function nameOf(host: string | undefined): string | undefined {
  if (host === undefined || /[/\\@?#\s]/.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname.toLowerCase();
}
