import { timingSafeEqual } from "node:crypto";
import type { ServeConfig } from "../config/parse-serve.ts";
import { digestText } from "../kernel/digest.ts";
import { LOCAL } from "./clients.ts";
import { type Caller, createIntrospection, type Introspection } from "./introspection.ts";

/** Tells callers apart. */
export interface HttpIdentity {
  /** Whether nobody has to show a token now. */
  readonly isOpen: () => boolean;
  readonly of: (authorization: string | undefined) => Promise<Caller>;
}

/** Whoever asks a server that wants no token. */
const ANYBODY: Caller = { kind: "known", identity: LOCAL };

/**
 * Creates the check. Tokens come from `serve.clients`, from the variable MCPFS_SERVE_TOKEN (its holder is `local`) and from an
 * authorization server; where there is none of these when it is created, nobody has to show one until there is. Whoever takes the last
 * one out later means to keep its holder out, and lets nobody in by that.
 */
export function createHttpIdentity(config: () => ServeConfig, ownToken: string | undefined): HttpIdentity {
  let known: { readonly oauth: ServeConfig["oauth"]; readonly introspection: Introspection } | undefined;
  const introspectionOf = (oauth: NonNullable<ServeConfig["oauth"]>): Introspection => {
    if (known?.oauth !== oauth) known = { oauth, introspection: createIntrospection(oauth) };
    return known.introspection;
  };
  const wantsNone = (): boolean =>
    ownToken === undefined && config().clients.length === 0 && config().oauth === undefined;
  const beganOpen = wantsNone();
  const isOpen = (): boolean => beganOpen && wantsNone();
  return {
    isOpen,
    of: async (authorization) => {
      if (isOpen()) return ANYBODY;
      const token = /^Bearer +([\w~+/.-]+=*) *$/i.exec(authorization ?? "")?.[1];
      if (token === undefined) return { kind: "refused", status: 401, error: "" };
      const { clients, oauth } = config();
      // All are compared, so that the time tells nothing.
      const fitting = clients.filter((client) => isSame(client.token, token));
      if (fitting[0] !== undefined) return { kind: "known", identity: fitting[0].name };
      if (ownToken !== undefined && isSame(ownToken, token)) return ANYBODY;
      if (oauth !== undefined) return await introspectionOf(oauth).judge(token);
      return { kind: "refused", status: 401, error: "invalid_token" };
    },
  };
}

/** Compares digests, which are of one length. */
function isSame(secret: string, token: string): boolean {
  return timingSafeEqual(Buffer.from(digestText(secret)), Buffer.from(digestText(token)));
}
