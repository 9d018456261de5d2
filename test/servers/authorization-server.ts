import { createServer } from "node:http";
import Provider from "oidc-provider";

/** An authorization server on loopback, by a certified implementation. Goes with `await using`. */
export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string;
  /** Seconds that access tokens live which are issued from now on. Default: an hour. */
  lifetimeSeconds: number;
  /** What its token endpoint granted and refused, in order: `refresh_token`, `refresh_token: invalid_grant`. */
  readonly grants: string[];
  /** Paths asked for so far, with their methods: `POST /token`. */
  readonly requests: string[];
  /** Decides about a request before the server does: `cut` closes the connection, a number is the status answered. */
  interfere: (method: string, path: string) => Interference | Promise<Interference>;
  /** True for an access token that it issued for `resource`, that still counts, and that has `scope`. */
  readonly isValid: (accessToken: string, resource: string, scope?: string) => Promise<boolean>;
  /** Ends access tokens before their time, or all that was granted, as an administrator does. */
  readonly revoke: (what: "access" | "all") => Promise<void>;
}

type Interference = "cut" | number | undefined;

/** A client that is registered by hand. */
export const CONFIDENTIAL = { id: "mcpfs-by-hand", secret: "secret-of-the-client-that-is-registered" };

export interface AuthorizationServerOptions {
  /** False registers no clients by itself. */
  readonly registers?: boolean;
  /** A redirect address of {@link CONFIDENTIAL}. */
  readonly redirect?: string;
  /** True gives a refresh token with the grant client_credentials as well, which RFC 6749, clause 4.4.3, only advises against. */
  readonly refreshesAny?: boolean;
}

/**
 * Starts it: opaque access tokens for any resource, with the scopes `mcp` and `mcp:greet`; refresh tokens for one use, whose second use ends the
 * whole grant.
 */
export async function authorizationServer(
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const grants: string[] = [];
  const requests: string[] = [];
  let handle: (request: any, response: any) => void = () => {};
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    requests.push(`${request.method} ${path}`);
    const interference = await self.interfere(request.method ?? "", path);
    if (interference === "cut") request.socket.destroy();
    else if (interference !== undefined) response.writeHead(interference).end("not now");
    else handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const issued: any[] = [];
  const self: AuthorizationServer = {
    issuer,
    lifetimeSeconds: 3_600,
    grants,
    requests,
    interfere: () => undefined,
    isValid: async (accessToken, resource, scope = "mcp") => {
      for (const kind of [provider.AccessToken, provider.ClientCredentials]) {
        const found = await kind.find(accessToken);
        const scopes: readonly string[] = found?.scope?.split(" ") ?? [];
        if (found?.isValid && found.aud === resource && scopes.includes(scope)) return true;
      }
      return false;
    },
    revoke: async (what) => {
      for (const accessToken of issued) {
        await accessToken.destroy();
        if (what === "all") await provider.RefreshToken.revokeByGrantId(accessToken.grantId);
      }
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const provider = new Provider(issuer, {
    scopes: ["openid", "offline_access", "mcp", "mcp:greet"],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    clients: [
      {
        client_id: CONFIDENTIAL.id,
        client_secret: CONFIDENTIAL.secret,
        application_type: "native",
        redirect_uris: [options.redirect ?? "http://127.0.0.1/callback"],
        grant_types: ["authorization_code", "refresh_token", "client_credentials"],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      registration: { enabled: options.registers ?? true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, audience: string) => ({
          scope: "mcp mcp:greet",
          audience,
          accessTokenFormat: "opaque",
        }),
      },
    },
    ttl: {
      AccessToken: () => self.lifetimeSeconds,
      ClientCredentials: () => self.lifetimeSeconds,
      RefreshToken: 86_400,
      Grant: 86_400,
      Interaction: 600,
      Session: 600,
    },
  });
  provider.on("grant.success", (context: any) => {
    grants.push(context.oidc.params.grant_type);
    const { AccessToken, ClientCredentials } = context.oidc.entities;
    issued.push(AccessToken ?? ClientCredentials);
  });
  provider.on("grant.error", (context: any, error: any) =>
    grants.push(`${context.oidc.params?.grant_type}: ${error.error}`),
  );
  if (options.refreshesAny === true)
    provider.use(async (context: any, next: () => Promise<void>) => {
      await next();
      if (context.path === "/token") context.body.refresh_token ??= "refresh-token-that-nobody-needs";
    });
  handle = provider.callback();
  return self;
}
