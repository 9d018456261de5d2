import type { OAuthShape } from "../config/serve-schema.ts";
import { digestText } from "../kernel/digest.ts";
import { type Json, own, parseJson } from "../kernel/json.ts";

/** Who sent a request, by its `Authorization` header. */
export type Caller =
  | { readonly kind: "known"; readonly identity: string }
  /** 401 with nothing said for a request without a token, `invalid_token` for another; 403 `insufficient_scope`. */
  | { readonly kind: "refused"; readonly status: 401 | 403; readonly error: string };

/** Asks an authorization server what a token is worth (RFC 7662). */
export interface Introspection {
  readonly judge: (token: string) => Promise<Caller>;
}

/** A token that was withdrawn works for so long at most. */
const KEEP_MS = 30_000;
const MAX_KEPT = 1_000;
const ASK_MS = 10_000;
const INVALID: Caller = { kind: "refused", status: 401, error: "invalid_token" };

/** Creates the asker. What it hears is kept for a moment, since each request of a client brings its token. */
export function createIntrospection(oauth: OAuthShape): Introspection {
  const kept = new Map<string, { readonly caller: Promise<Caller>; readonly untilMs: number }>();
  return {
    judge: async (token) => {
      const key = digestText(token);
      const now = Date.now();
      const before = kept.get(key);
      if (before !== undefined && before.untilMs > now) return await before.caller;
      if (kept.size >= MAX_KEPT) kept.clear();
      const caller = ask(oauth, token);
      kept.set(key, { caller, untilMs: now + KEEP_MS });
      // A fault of the authorization server is no answer.
      caller.catch(() => kept.delete(key));
      return await caller.catch(() => INVALID);
    },
  };
}

async function ask(oauth: OAuthShape, token: string): Promise<Caller> {
  const credentials = `${encodeURIComponent(oauth.clientId)}:${encodeURIComponent(oauth.clientSecret)}`;
  const response = await fetch(oauth.introspection, {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
    },
    body: new URLSearchParams({ token, token_type_hint: "access_token" }),
    redirect: "error",
    signal: AbortSignal.timeout(ASK_MS),
  });
  if (!response.ok) throw new Error(`introspection answered ${response.status}`);
  return callerOf(oauth, parseJson(await response.text()));
}

/** A token must be alive, meant for this server (RFC 8707), and have the scopes. */
function callerOf(oauth: OAuthShape, answer: Json): Caller {
  const expiry = own(answer, "exp");
  if (own(answer, "active") !== true) return INVALID;
  if (typeof expiry === "number" && expiry * 1_000 <= Date.now()) return INVALID;
  const audience = own(answer, "aud");
  const meant = Array.isArray(audience) ? (audience as readonly Json[]) : [audience];
  if (!meant.some((one) => typeof one === "string" && plain(one) === plain(oauth.resource))) return INVALID;
  const scope = own(answer, "scope");
  const scopes = typeof scope === "string" ? scope.split(" ") : [];
  if (oauth.scopes?.some((needed) => !scopes.includes(needed)))
    return { kind: "refused", status: 403, error: "insufficient_scope" };
  const subject = own(answer, "sub") ?? own(answer, "client_id");
  return typeof subject === "string" ? { kind: "known", identity: `oauth:${subject}` } : INVALID;
}

function plain(address: string): string {
  return address.replace(/\/$/, "");
}
