import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  type FetchLike,
  fetchToken,
  type OAuthClientMetadata,
  type OAuthTokens,
  refreshAuthorization,
  registerClient,
  resourceUrlFromServerUrl,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { McpfsError } from "../kernel/errors.ts";
import { own } from "../kernel/json.ts";
import type { OAuthClient, OAuthSettings, StoredCredentials } from "../model/credentials.ts";
import type { ServerName } from "../model/names.ts";
import { withOfflineAccess } from "./oauth-scopes.ts";

/** An authorization server and what it is asked for. */
export interface Authority {
  readonly issuer: string;
  /** Where its metadata were looked for. */
  readonly address: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
  /** What the credentials are for (RFC 8707), as the server names itself. */
  readonly resource: string | undefined;
  readonly scope: string | undefined;
}

/** Where a person gives consent, and what proves later that it was we who asked (PKCE, RFC 7636). */
export interface Consent {
  readonly address: URL;
  readonly verifier: string;
}

/** What the redirect brought back. */
export interface Callback {
  readonly code: string;
  /** RFC 9207. */
  readonly iss: string | undefined;
}

/** The requests of OAuth for one server, in our words. They reject with whatever the SDK throws. */
export interface OAuthRequests {
  /** The authorization server of the server that answered with `challenge` (401), or `undefined` where none is named. */
  readonly find: (challenge: Response | undefined) => Promise<Authority | undefined>;
  /**
   * Where the authorization server of a server is that publishes nothing of it and wants credentials: on its own origin, by the
   * addresses of revision 2025-03-26.
   */
  readonly guess: () => Authority;
  readonly register: (authority: Authority, redirect: string) => Promise<OAuthClient>;
  readonly ask: (authority: Authority, client: OAuthClient, state: string) => Promise<Consent>;
  readonly exchange: (
    authority: Authority,
    client: OAuthClient,
    callback: Callback,
    verifier: string,
  ) => Promise<StoredCredentials>;
  /** New ones from the refresh token, at the authorization server that issued it and at no other. */
  readonly refresh: (stored: StoredCredentials, refreshToken: string) => Promise<StoredCredentials>;
  /** Tells the authorization server that they are not used any more, where it wants to know (RFC 7009). */
  readonly revoke: (stored: StoredCredentials) => Promise<void>;
  /** Those of mcpfs itself (RFC 6749, clause 4.4). */
  readonly own: (authority: Authority, client: OAuthClient) => Promise<StoredCredentials>;
}

/** Creates them; nothing is asked yet. */
export function createOAuthRequests(options: {
  readonly server: ServerName;
  readonly url: URL;
  readonly settings: OAuthSettings;
  readonly fetchFn: FetchLike;
}): OAuthRequests {
  const { server, url, settings, fetchFn } = options;

  const find: OAuthRequests["find"] = async (challenge) => {
    const { resourceMetadataUrl, scope } =
      challenge === undefined ? {} : extractWWWAuthenticateParams(challenge);
    const info = await discoverOAuthServerInfo(url, {
      fetchFn,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    });
    const { authorizationServerMetadata: metadata, resourceMetadata, authorizationServerUrl: address } = info;
    if (metadata === undefined) return undefined;
    const { issuer } = metadata;
    if (settings.issuer !== undefined && settings.issuer !== issuer)
      throw new McpfsError(
        "AUTH_REQUIRED",
        `Server ${server} names ${issuer} for signing in, and "oauth.issuer" in mcpfs.json is ${settings.issuer}.`,
        { hint: "Correct it, if you know that authorization server. Nothing was sent to it." },
      );
    const resource = resourceMetadata?.resource;
    if (resource !== undefined && !isResourceOf(url, resource))
      throw new McpfsError(
        "SERVER_FAILED",
        `Server ${server} at ${url.origin} says that it is ${resource}: credentials for that one would be of no use here.`,
        { hint: `Check "url" of ${server} in mcpfs.json.` },
      );
    const wanted = settings.scopes?.join(" ") ?? scope ?? resourceMetadata?.scopes_supported?.join(" ");
    return { issuer, address, metadata, resource, scope: withOfflineAccess(wanted, metadata, settings) };
  };

  return {
    find,
    guess: () => {
      const { origin } = url;
      const scope = settings.scopes?.join(" ");
      return { issuer: origin, address: origin, metadata: undefined, resource: undefined, scope };
    },
    register: async ({ address, metadata, scope }, redirect) => {
      const clientMetadata = registration(redirect, metadata);
      const registered = await registerClient(address, {
        clientMetadata,
        fetchFn,
        ...(metadata === undefined ? {} : { metadata }),
        ...(scope === undefined ? {} : { scope }),
      });
      const { client_id: id, client_secret: secret } = registered;
      const method = registered.token_endpoint_auth_method ?? clientMetadata.token_endpoint_auth_method;
      return {
        id,
        isRegistered: true,
        redirect,
        ...(secret === undefined || secret === "" ? {} : { secret }),
        ...(method === undefined ? {} : { method }),
      };
    },
    ask: async (authority, client, state) => {
      const { authorizationUrl, codeVerifier } = await startAuthorization(authority.address, {
        ...partsOf(authority),
        clientInformation: informationOf(client),
        redirectUrl: client.redirect ?? "",
        state,
        ...(authority.scope === undefined ? {} : { scope: authority.scope }),
      });
      return { address: authorizationUrl, verifier: codeVerifier };
    },
    exchange: async (authority, client, { code, iss }, verifier) => {
      const granted = await exchangeAuthorization(authority.address, {
        ...partsOf(authority),
        clientInformation: informationOf(client),
        authorizationCode: code,
        codeVerifier: verifier,
        redirectUri: client.redirect ?? "",
        fetchFn,
        ...(iss === undefined ? {} : { iss }),
      });
      return credentialsOf(granted, authority, client);
    },
    refresh: async ({ issuer, client, resource, scope }, refreshToken) => {
      // Asked for each time, since endpoints move; at the issuer, so that the server cannot have it sent elsewhere.
      const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
      const authority = { issuer, address: issuer, metadata, resource, scope };
      const granted = await refreshAuthorization(issuer, {
        ...partsOf(authority),
        clientInformation: informationOf(withSecret(client, settings)),
        refreshToken,
        fetchFn,
      });
      return credentialsOf(granted, authority, client);
    },
    revoke: async ({ issuer, client, refreshToken, accessToken }) => {
      const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
      const endpoint = own(metadata, "revocation_endpoint");
      const token = refreshToken ?? accessToken;
      if (typeof endpoint !== "string" || token === undefined) return;
      await fetchFn(endpoint, revocation(withSecret(client, settings), token));
    },
    own: async (authority, client) => {
      const { scope, address } = authority;
      const information = informationOf(client);
      const granted = await fetchToken(
        {
          redirectUrl: undefined,
          clientMetadata: { redirect_uris: [] },
          clientInformation: () => ({ ...information, issuer: authority.issuer }),
          prepareTokenRequest: () =>
            new URLSearchParams({
              grant_type: "client_credentials",
              ...(scope === undefined ? {} : { scope }),
            }),
          // Of the flows with a person; never asked for here.
          tokens: () => undefined,
          saveTokens: () => {},
          redirectToAuthorization: () => {},
          saveCodeVerifier: () => {},
          codeVerifier: () => "",
        },
        address,
        { ...partsOf(authority), fetchFn },
      );
      // Whoever has the secret needs no refresh token (RFC 6749, clause 4.4.3), so none is kept.
      const { refresh_token: _, ...kept } = granted;
      return credentialsOf(kept, authority, client);
    },
  };
}

/** The client that the config names; its secret is never stored, since the config has it. */
export function configuredClient(settings: OAuthSettings): OAuthClient | undefined {
  const { clientId } = settings;
  return clientId === undefined ? undefined : withSecret({ id: clientId, isRegistered: false }, settings);
}

function withSecret(client: OAuthClient, { clientSecret }: OAuthSettings): OAuthClient {
  return client.isRegistered || clientSecret === undefined ? client : { ...client, secret: clientSecret };
}

function isResourceOf(url: URL, resource: string): boolean {
  return (
    URL.canParse(resource) &&
    checkResourceAllowed({ requestedResource: resourceUrlFromServerUrl(url), configuredResource: resource })
  );
}

/** A program on this machine keeps no secret, so it asks for none where it may. */
function registration(
  redirect: string,
  metadata: AuthorizationServerMetadata | undefined,
): OAuthClientMetadata {
  const methods = metadata?.token_endpoint_auth_methods_supported ?? ["none"];
  const method = ["none", "client_secret_basic", "client_secret_post"].find((known) =>
    methods.includes(known),
  );
  return {
    client_name: "mcpfs",
    redirect_uris: [redirect],
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
  };
}

function revocation({ id, secret, method }: OAuthClient, token: string): RequestInit {
  if (secret !== undefined && method !== "client_secret_post") {
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
    return { method: "POST", headers: { authorization }, body: new URLSearchParams({ token }) };
  }
  const client = { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) };
  return { method: "POST", body: new URLSearchParams({ token, ...client }) };
}

function partsOf({ metadata, resource }: Authority): {
  readonly metadata?: AuthorizationServerMetadata;
  readonly resource?: string;
} {
  return {
    ...(metadata === undefined ? {} : { metadata }),
    ...(resource === undefined ? {} : { resource }),
  };
}

function informationOf({ id, secret, method }: OAuthClient): {
  client_id: string;
  client_secret?: string;
  token_endpoint_auth_method?: string;
} {
  return {
    client_id: id,
    ...(secret === undefined ? {} : { client_secret: secret }),
    ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
  };
}

function credentialsOf(
  granted: OAuthTokens,
  { issuer, resource, scope: asked }: Authority,
  client: OAuthClient,
): StoredCredentials {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = granted;
  // RFC 6749, clause 5.1: left out where it is what was asked for.
  const scope = granted.scope || asked;
  const { secret, ...withoutSecret } = client;
  return {
    issuer,
    client: client.isRegistered ? client : withoutSecret,
    accessToken,
    ...(refreshToken === undefined || refreshToken === "" ? {} : { refreshToken }),
    ...(seconds === undefined ? {} : { expiresAtMs: Date.now() + seconds * 1000 }),
    ...(scope === undefined || scope === "" ? {} : { scope }),
    ...(resource === undefined ? {} : { resource }),
  };
}
