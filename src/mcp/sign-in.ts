import { randomBytes } from "node:crypto";
import { RegistrationRejectedError } from "@modelcontextprotocol/client";
import { McpfsError } from "../kernel/errors.ts";
import { askToSignIn } from "../kernel/next-steps.ts";
import { unlessAborted } from "../kernel/wait.ts";
import type { CredentialStore, OAuthClient, StoredCredentials } from "../model/credentials.ts";
import { MAX_DURATION_MS } from "../model/run.ts";
import type { HttpTransport, ServerEntry } from "../model/server-entry.ts";
import { type CallbackListener, listenForCallback } from "./callback-listener.ts";
import { createFailures, type Failures } from "./failures.ts";
import { credentialPlace, httpTarget, signsItself } from "./http-target.ts";
import { type Authority, configuredClient, createOAuthRequests, type OAuthRequests } from "./oauth-client.ts";
import { oauthFailure } from "./oauth-failures.ts";
import { createOAuthFetch, isSafeAddress } from "./oauth-fetch.ts";
import { joinScopes } from "./oauth-scopes.ts";

export interface SignInOptions {
  /** Of kind `http` or `sse`. */
  readonly entry: ServerEntry & { readonly transport: HttpTransport };
  readonly store: CredentialStore;
  /** Shows a person the address where consent is given; the sign-in goes on meanwhile. */
  readonly onAddress: (address: string) => void;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** What somebody signed in to. */
export interface SignedIn {
  readonly issuer: string;
  readonly scopes: readonly string[];
}

/** Nobody comes back after so long; the port is free again then. */
const CONSENT_MS = 600_000;

/**
 * Signs in to a server and keeps the credentials: finds its authorization server, registers mcpfs there or takes the config's client,
 * has a person give consent in a browser (authorization code with PKCE), and exchanges the code. With the grant
 * `client_credentials` no person is needed.
 * @throws McpfsError AUTH_REQUIRED (refused), SERVER_FAILED, USAGE (the port is taken, the config has credentials)
 */
export async function signIn(options: SignInOptions): Promise<SignedIn> {
  const { entry, store, signal } = options;
  const { transport, name } = entry;
  if (signsItself(transport)) throw alreadySigned(entry);
  const url = new URL(transport.url);
  const failures = createFailures(entry);
  const settings = transport.oauth ?? { grant: "authorization_code" };
  const fetchFn = createOAuthFetch(url, signal);
  const requests = createOAuthRequests({ server: name, url, settings, fetchFn });
  const place = credentialPlace(transport);
  try {
    const challenge = await challengeOf(entry, signal);
    const found = await requests.find(challenge);
    if (found === undefined && (challenge === undefined || settings.issuer !== undefined))
      throw noSignIn(entry);
    const authority = found ?? requests.guess();
    const client = configuredClient(settings);
    const credentials =
      settings.grant === "client_credentials" && client !== undefined
        ? await requests.own(authority, client)
        : await withConsent({ ...options, requests, authority, client, stored: await store.read(place) });
    await store.exclusive(place, async (held) => await held.write(credentials));
    const scopes = (credentials.scope ?? "").split(" ").filter((scope) => scope !== "");
    return { issuer: credentials.issuer, scopes };
  } catch (error) {
    if (error instanceof McpfsError) throw error;
    if (signal.aborted) throw signal.reason;
    throw failed(entry, failures, error);
  }
}

/** Forgets the credentials; their authorization server is told so, where it can be (RFC 7009). @returns false where there were none */
export async function signOut({ entry, store, signal }: Omit<SignInOptions, "onAddress">): Promise<boolean> {
  const { transport, name } = entry;
  const url = new URL(transport.url);
  const settings = transport.oauth ?? { grant: "authorization_code" };
  const fetchFn = createOAuthFetch(url, signal);
  const requests = createOAuthRequests({ server: name, url, settings, fetchFn });
  const stored = await store.exclusive(credentialPlace(transport), async (held) => {
    const found = await held.read();
    if (found !== undefined) await held.remove();
    return found;
  });
  // They are gone from here in any case; there they end by themselves.
  if (stored !== undefined) await requests.revoke(stored).catch(() => {});
  return stored !== undefined;
}

function failed({ name }: ServerEntry, failures: Failures, error: unknown): McpfsError {
  return oauthFailure(
    error,
    failures,
    `Signing in to server ${name} failed`,
    `Check "oauth" of ${name} in mcpfs.json, and try again.`,
  );
}

/** What the server says to somebody who is nobody: where its authorization server is, and which scopes it wants. */
async function challengeOf(
  entry: SignInOptions["entry"],
  signal: AbortSignal,
): Promise<Response | undefined> {
  const { url, headers } = httpTarget(entry);
  const isSse = entry.transport.kind === "sse";
  const response = await fetch(url, {
    method: isSse ? "GET" : "POST",
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(Math.min(entry.timeoutMs, MAX_DURATION_MS))]),
    headers: {
      ...headers,
      accept: isSse ? "text/event-stream" : "application/json, text/event-stream",
      ...(isSse ? {} : { "content-type": "application/json" }),
    },
    ...(isSse ? {} : { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) }),
  });
  await response.body?.cancel();
  return response.status === 401 ? response : undefined;
}

interface ConsentOptions extends SignInOptions {
  readonly requests: OAuthRequests;
  readonly authority: Authority;
  /** The config's. */
  readonly client: OAuthClient | undefined;
  readonly stored: StoredCredentials | undefined;
}

async function withConsent(options: ConsentOptions): Promise<StoredCredentials> {
  const { entry, requests, client, signal } = options;
  const before = options.stored?.issuer === options.authority.issuer ? options.stored : undefined;
  const missing = before?.missingScope;
  const authority =
    before === undefined || missing === undefined
      ? options.authority
      : { ...options.authority, scope: joinScopes(options.authority.scope, before.scope, missing) };
  // One that was registered before is known with its own redirect address only, and may have no more than the scopes of then.
  const known = missing === undefined && before?.client.isRegistered === true ? before.client : undefined;
  await using listener = await openListener(entry, client === undefined ? known : undefined);
  const { redirect } = listener;
  const asking =
    client !== undefined
      ? { ...client, redirect }
      : known?.redirect === redirect
        ? known
        : await registered(entry, requests, authority, redirect);
  const state = randomBytes(32).toString("base64url");
  const { address, verifier } = await requests.ask(authority, asking, state);
  // It comes from the server's metadata, and a browser would also open files and programs.
  if (!isSafeAddress(address, new URL(entry.transport.url)))
    throw new McpfsError(
      "SERVER_FAILED",
      `${authority.issuer} wants a page of ${address.protocol} opened for the sign-in.`,
      { hint: "Only https is opened, and pages on this machine for servers on it." },
    );
  const answer = listener.answer(state);
  options.onAddress(address.href);
  const parameters = await inTime(entry, answer, signal);
  const code = parameters.get("code");
  const iss = parameters.get("iss") ?? undefined;
  if (code === null) throw refused(entry, parameters, iss === undefined || iss === authority.issuer);
  return await requests.exchange(authority, asking, { code, iss }, verifier);
}

/** On the port of the config, else on that of the known client, else on any. */
async function openListener(
  { transport }: SignInOptions["entry"],
  known: OAuthClient | undefined,
): Promise<CallbackListener> {
  const port = transport.oauth?.callbackPort;
  if (port !== undefined) return await listenForCallback(port);
  const before = known?.redirect === undefined ? 0 : Number(new URL(known.redirect).port);
  return await listenForCallback(before).catch(async () => await listenForCallback(0));
}

async function registered(
  entry: ServerEntry,
  requests: OAuthRequests,
  authority: Authority,
  redirect: string,
): Promise<OAuthClient> {
  const { metadata } = authority;
  if (metadata !== undefined && metadata.registration_endpoint === undefined)
    throw new McpfsError(
      "AUTH_REQUIRED",
      `${authority.issuer}, where users of server ${entry.name} sign in, registers no clients by itself.`,
      {
        hint: `Register a client there with the redirect address http://127.0.0.1:<port>/callback, and put "oauth": {"clientId": …, "callbackPort": …} of ${entry.name} into mcpfs.json.`,
      },
    );
  try {
    return await requests.register(authority, redirect);
  } catch (error) {
    // There is nothing at the address that was guessed.
    if (metadata === undefined && error instanceof RegistrationRejectedError && error.status < 500)
      throw noSignIn(entry);
    throw error;
  }
}

async function inTime<T>(entry: ServerEntry, work: Promise<T>, signal: AbortSignal): Promise<T> {
  const limit = AbortSignal.timeout(CONSENT_MS);
  const nobody = (): McpfsError =>
    new McpfsError("AUTH_REQUIRED", `Nobody signed in to server ${entry.name} within 10 minutes.`, {
      hint: askToSignIn(entry.name),
    });
  return await unlessAborted(work, AbortSignal.any([limit, signal]), {
    toError: () => (signal.aborted ? signal.reason : nobody()),
  });
}

/** RFC 6749, clause 4.1.2.1. @param isFromIssuer false where another one sent the browser back: its words are not shown (RFC 9207) */
function refused(entry: ServerEntry, parameters: URLSearchParams, isFromIssuer: boolean): McpfsError {
  const { shown } = createFailures(entry);
  const words = [parameters.get("error"), parameters.get("error_description")]
    .filter((word) => word !== null && word !== "")
    .join(": ");
  const reason = isFromIssuer && words !== "" ? shown(words) : "the browser came back without a code";
  return new McpfsError("AUTH_REQUIRED", `You did not sign in to server ${entry.name}: ${reason}.`, {
    hint: askToSignIn(entry.name),
  });
}

function alreadySigned({ name }: ServerEntry): McpfsError {
  return new McpfsError(
    "USAGE",
    `The config of server ${name} has credentials itself, and they come first.`,
    {
      hint: `Remove the header Authorization of ${name} from mcpfs.json, or the user from its URL, to sign in instead.`,
    },
  );
}

function noSignIn(entry: ServerEntry): McpfsError {
  return new McpfsError(
    "SERVER_FAILED",
    `Server ${entry.name} does not say where its users sign in: it publishes no OAuth metadata.`,
    {
      hint: `Set "headers" of ${entry.name} in mcpfs.json, for example {"Authorization": "Bearer \${TOKEN}"}.`,
    },
  );
}
