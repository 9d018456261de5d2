import type { FetchLike } from "@modelcontextprotocol/client";
import { joinHints, McpfsError } from "../kernel/errors.ts";
import { askToSignIn } from "../kernel/next-steps.ts";
import type { CredentialStore, HeldCredentials, StoredCredentials } from "../model/credentials.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import { createFailures } from "./failures.ts";
import { credentialPlace, signsItself } from "./http-target.ts";
import { configuredClient, createOAuthRequests, type OAuthRequests } from "./oauth-client.ts";
import { isRefusal, oauthFailure, oauthReason } from "./oauth-failures.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import { joinScopes } from "./oauth-scopes.ts";

/** What signs the requests to one server. */
export interface Credentials {
  /**
   * The access token for a request; `undefined` where nobody has signed in. One that is over is renewed first, where a refresh token does it.
   * @throws McpfsError AUTH_REQUIRED, SERVER_FAILED
   */
  readonly current: () => Promise<string | undefined>;
  /**
   * Another one than `refused`, which the server answered with `challenge` (401); `undefined` where there is none.
   * @throws McpfsError AUTH_REQUIRED, SERVER_FAILED
   */
  readonly another: (refused: string | undefined, challenge: Response) => Promise<string | undefined>;
  /** True where a person could sign in. Never rejects. */
  readonly isOffered: (challenge: Response) => Promise<boolean>;
  /**
   * Remembers a scope that the server wants besides those that were granted. Never rejects.
   * @returns false where the next sign-in will not ask for it: the config says what is asked for, or nobody has signed in
   */
  readonly lacks: (scope: string) => Promise<boolean>;
  /** What must not be shown, of late. */
  readonly secrets: () => readonly string[];
  /** Resolves when nothing is being renewed: what an authorization server has exchanged must reach the disk. */
  readonly settled: () => Promise<void>;
}

/** Access and refresh tokens of the last few renewals: older ones are worth nothing. */
const KEPT_SECRETS = 8;
/** Only a hint hangs on it. */
const OFFER_MS = 5_000;

/**
 * Creates the credentials of one server; `undefined` where the config signs the requests itself, or the server is a program.
 *
 * The store is read for each request, so that a sign-in, a renewal or a forgetting of another process counts at once. A renewal is
 * made by one of all processes, under the store's lock, and only when the store still holds what was refused: refresh tokens may be
 * good for one use, and a second use may revoke them all (RFC 9700, clause 4.14). The SDK's own handling of a 401 does not know
 * which token was refused, so of eight requests each would renew.
 */
export function createCredentials(entry: ServerEntry, store: CredentialStore): Credentials | undefined {
  const { transport } = entry;
  if (transport.kind !== "http" && transport.kind !== "sse") return undefined;
  if (!URL.canParse(transport.url) || signsItself(transport)) return undefined;
  const settings = transport.oauth ?? { grant: "authorization_code" };
  const place = credentialPlace(transport);
  const url = new URL(transport.url);
  let recent: readonly string[] = [];
  const failures = createFailures(entry, () => recent);
  const requestsBy = (fetchFn: FetchLike): OAuthRequests =>
    createOAuthRequests({ server: entry.name, url, settings, fetchFn });
  const requests = requestsBy(createOAuthFetch(url));
  const renewing = new Map<string, Promise<string | undefined>>();

  const noted = (stored: StoredCredentials | undefined): StoredCredentials | undefined => {
    const secrets = [stored?.accessToken, stored?.refreshToken].filter((secret) => secret !== undefined);
    recent = [...new Set([...recent, ...secrets])].slice(-KEPT_SECRETS);
    return stored;
  };

  const failed = (error: unknown): McpfsError =>
    isRefusal(error)
      ? new McpfsError(
          "AUTH_REQUIRED",
          `The client of server ${entry.name} is refused: ${oauthReason(error, failures)}.`,
          { hint: `Check "oauth" of ${entry.name} in mcpfs.json.`, data: { server: entry.name } },
        )
      : oauthFailure(
          error,
          failures,
          `The credentials of server ${entry.name} could not be renewed`,
          joinHints("They are kept. Try again; if it stays so:", askToSignIn(entry.name)),
        );

  const keep = async (held: HeldCredentials, fresh: StoredCredentials): Promise<string | undefined> => {
    noted(fresh);
    await held.write(fresh);
    return fresh.accessToken;
  };

  const refresh = async (held: HeldCredentials, stored: StoredCredentials): Promise<string | undefined> => {
    const { refreshToken, accessToken: _, ...rest } = stored;
    if (refreshToken === undefined) return undefined;
    try {
      const { missingScope } = stored;
      const fresh = await requests.refresh(stored, refreshToken);
      return await keep(held, missingScope === undefined ? fresh : { ...fresh, missingScope });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (error.code === "invalid_grant") await held.write(rest);
      // One that is not known there any more is registered anew; one of the config may have another secret by now.
      else if (stored.client.isRegistered) await held.remove();
      else throw error;
      throw new McpfsError(
        "AUTH_REQUIRED",
        `You are no longer signed in to server ${entry.name}: ${oauthReason(error, failures)}.`,
        { hint: askToSignIn(entry.name), data: { server: entry.name } },
      );
    }
  };

  /** The secret of the config goes to the authorization server of before alone: this server's word is not enough for another one. */
  const ownCredentials = async (
    held: HeldCredentials,
    before: string | undefined,
    challenge: Response,
  ): Promise<string | undefined> => {
    const client = configuredClient(settings);
    const authority = await requests.find(challenge);
    if (client === undefined || authority === undefined) return undefined;
    if (before !== undefined && before !== authority.issuer)
      throw new McpfsError(
        "AUTH_REQUIRED",
        `Server ${entry.name} names ${failures.shown(authority.issuer, 200)} for signing in, and its credentials are of ${failures.shown(before, 200)}.`,
        {
          hint: joinHints(
            "Nothing was sent there. If you know that authorization server:",
            askToSignIn(entry.name),
          ),
          data: { server: entry.name },
        },
      );
    return await keep(held, await requests.own(authority, client));
  };

  /** Runs once for all that were refused the same. */
  const renew = (
    refused: string | undefined,
    challenge: Response | undefined,
  ): Promise<string | undefined> => {
    const key = refused ?? "";
    const running = renewing.get(key);
    if (running !== undefined) return running;
    const work = store
      .exclusive(place, async (held) => {
        const stored = noted(await held.read());
        if (stored?.accessToken !== undefined && stored.accessToken !== refused) return stored.accessToken;
        if (settings.grant === "client_credentials")
          return challenge === undefined ? undefined : await ownCredentials(held, stored?.issuer, challenge);
        return stored === undefined ? undefined : await refresh(held, stored);
      })
      .catch((error: unknown) => {
        throw failed(error);
      })
      .finally(() => renewing.delete(key));
    renewing.set(key, work);
    return work;
  };

  const read = async (): Promise<StoredCredentials | undefined> => {
    try {
      return noted(await store.read(place));
    } catch (error) {
      throw failed(error);
    }
  };

  return {
    current: async () => {
      const stored = await read();
      const isOver = stored?.expiresAtMs !== undefined && stored.expiresAtMs <= Date.now();
      // Credentials of mcpfs itself come from the authorization server that the server's 401 names, so that is waited for.
      return isOver && stored.refreshToken !== undefined && settings.grant !== "client_credentials"
        ? await renew(stored.accessToken, undefined)
        : stored?.accessToken;
    },
    another: async (refused, challenge) => {
      const next = await renew(refused, challenge);
      return next === refused ? undefined : next;
    },
    isOffered: async (challenge) => {
      if (/\bresource_metadata=/.test(challenge.headers.get("www-authenticate") ?? "")) return true;
      const quick = createOAuthFetch(url, AbortSignal.timeout(OFFER_MS));
      const found = await requestsBy(quick)
        .find(challenge)
        .catch(() => undefined);
      return found !== undefined || (await store.read(place).catch(() => undefined)) !== undefined;
    },
    lacks: async (scope) => {
      if (settings.scopes !== undefined || settings.grant === "client_credentials") return false;
      const remember = async (held: HeldCredentials): Promise<boolean> => {
        const stored = await held.read();
        if (stored === undefined) return false;
        const missingScope = joinScopes(stored.missingScope, scope);
        if (missingScope !== stored.missingScope) await held.write({ ...stored, missingScope });
        return true;
      };
      return await store.exclusive(place, remember).catch(() => false);
    },
    secrets: () => recent,
    settled: async () => void (await Promise.allSettled(renewing.values())),
  };
}
