/** What the config says about signing in to a server over HTTP (`oauth`). Values may be secrets: never print them. */
export interface OAuthSettings {
  /** Who signs in: a person in a browser, or mcpfs itself with its secret. */
  readonly grant: "authorization_code" | "client_credentials";
  /** A client that was registered by hand; absent where mcpfs registers itself. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** What is asked for; absent: what the server asks for. */
  readonly scopes?: readonly string[];
  /** The only authorization server that gets the secret and the user's consent; absent: the one that the server names. */
  readonly issuer?: string;
  /** Port of the redirect address on this machine, where the authorization server wants to know it beforehand. */
  readonly callbackPort?: number;
}

/** A client of an authorization server: RFC 6749, clause 2. */
export interface OAuthClient {
  readonly id: string;
  readonly secret?: string;
  /** How the secret is sent (`client_secret_basic`), as the registration says; absent: what the server supports. */
  readonly method?: string;
  /** True where mcpfs registered it itself (RFC 7591), for `redirect`. */
  readonly isRegistered: boolean;
  readonly redirect?: string;
}

/** What an authorization server gave this user for one server. Values are secrets: never print them. */
export interface StoredCredentials {
  /** The authorization server: what it issued goes to no other. */
  readonly issuer: string;
  readonly client: OAuthClient;
  /** Absent once the authorization server has said that it gives no new one. */
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** When the access token is over, by this machine's clock; absent where the server does not say. */
  readonly expiresAtMs?: number;
  /** As granted, where the server says. */
  readonly scope?: string;
  /** What the server has wanted since and was not granted: the next sign-in asks for it too. */
  readonly missingScope?: string;
  /** The resource (RFC 8707) that they are for, as the server names itself. */
  readonly resource?: string;
}

/** Whose credentials are meant. */
export interface CredentialPlace {
  /** The server's address. */
  readonly url: string;
  /** The config's client and authorization server; credentials of others are not those. */
  readonly clientId?: string | undefined;
  readonly issuer?: string | undefined;
}

/** What may be done with a place's credentials while nobody else, in any process, changes them. */
export interface HeldCredentials {
  readonly read: () => Promise<StoredCredentials | undefined>;
  readonly write: (credentials: StoredCredentials) => Promise<void>;
  /** Forgets them. */
  readonly remove: () => Promise<void>;
}

/** Credentials of this user, kept outside of every workspace. Whatever it hands out, the redactor knows. */
export interface CredentialStore {
  /** @throws McpfsError CONFIG_INVALID where the file cannot be read or understood */
  readonly read: (place: CredentialPlace) => Promise<StoredCredentials | undefined>;
  /**
   * Works with a place's credentials alone, one task of one process at a time: read again inside, since another may have
   * renewed them meanwhile.
   * @throws McpfsError WORKSPACE_BUSY, CONFIG_INVALID, FILE_FAILED
   */
  readonly exclusive: <T>(place: CredentialPlace, work: (held: HeldCredentials) => Promise<T>) => Promise<T>;
}
