import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createRedactor, type Redactor } from "../../src/kernel/log.ts";
import { credentialPlace } from "../../src/mcp/http-target.ts";
import { signIn } from "../../src/mcp/sign-in.ts";
import type { CredentialStore, OAuthSettings } from "../../src/model/credentials.ts";
import type { HttpTransport, ServerEntry } from "../../src/model/server-entry.ts";
import { createCredentialStore } from "../../src/trust/credential-store.ts";
import {
  type AuthorizationServerOptions,
  authorizationServer,
  CONFIDENTIAL,
} from "../servers/authorization-server.ts";
import { browse } from "../servers/browser.ts";
import { protectedServer } from "../servers/protected-server.ts";
import { serverEntry, temporaryFolder, until } from "../servers/servers.ts";
import { namesOf, rawName, rejection, serverName, testHubWith } from "./fixtures.ts";

type WebEntry = ServerEntry & { readonly transport: HttpTransport };

const web = serverName("web");

function entryOf(url: string, oauth?: OAuthSettings): WebEntry {
  const transport: HttpTransport = {
    kind: "http",
    url,
    headers: {},
    ...(oauth === undefined ? {} : { oauth }),
  };
  return { ...serverEntry("web", transport), transport };
}

function storeIn(folder: string): { readonly store: CredentialStore; readonly redactor: Redactor } {
  const redactor = createRedactor();
  return { store: createCredentialStore({ MCPFS_HOME: folder }, redactor), redactor };
}

/** Signs in with a browser that agrees. */
async function signInBy(
  store: CredentialStore,
  entry: WebEntry,
): Promise<Awaited<ReturnType<typeof signIn>>> {
  return await signIn({
    entry,
    store,
    signal: new AbortController().signal,
    onAddress: (address) => void browse(address),
  });
}

/** Somebody who has signed in, with access tokens that live for so many seconds, and a hub with the same store. */
async function signedIn(lifetimeSeconds = 3_600) {
  const authority = await authorizationServer();
  const server = await protectedServer(authority);
  const home = temporaryFolder();
  authority.lifetimeSeconds = lifetimeSeconds;
  const { store, redactor } = storeIn(home.path);
  const entry = entryOf(server.mcp);
  await signInBy(store, entry);
  authority.lifetimeSeconds = 3_600;
  const hub = testHubWith({ credentials: store }, entry);
  const greet = async (name: string) => await (await hub.link(web)).callTool(rawName("greet"), { name });
  return {
    ...{ authority, server, home: home.path, store, redactor, entry, hub, greet },
    stored: () => readStored(home.path),
    [Symbol.asyncDispose]: async () => {
      await hub[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await authority[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

function readStored(home: string): { readonly text: string; readonly path: string; readonly value: any } {
  const folder = join(home, "credentials");
  const [name = ""] = readdirSync(folder).filter((file) => file.endsWith(".json"));
  const text = readFileSync(join(folder, name), "utf8");
  return { text, path: join(folder, name), value: JSON.parse(text).credentials[0] };
}

const refreshes = (grants: readonly string[]): string[] =>
  grants.filter((grant) => grant.startsWith("refresh_token"));

describe("signing in", () => {
  test("finds the authorization server, registers, and gets credentials with which calls are made", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority);
    using home = temporaryFolder();
    const { store } = storeIn(home.path);
    const entry = entryOf(server.mcp);
    expect(await signInBy(store, entry)).toEqual({ issuer: authority.issuer, scopes: ["mcp"] });
    await using hub = testHubWith({ credentials: store }, entry);
    const link = await hub.link(web);
    expect(namesOf(await link.listTools())).toEqual(["greet"]);
    await link.callTool(rawName("greet"), { name: "Ada" });
    expect(server.calls).toEqual(["Ada"]);
    expect(authority.grants).toEqual(["authorization_code"]);
  });

  test("registers once: the next sign-in comes back to the same address as the same client", async () => {
    await using me = await signedIn();
    const { client } = me.stored().value;
    await signInBy(me.store, me.entry);
    expect(me.stored().value.client).toEqual(client);
    expect(me.authority.requests.filter((request) => request === "POST /reg")).toHaveLength(1);
  });

  test("keeps what it got for this user only, and the redactor knows it", async () => {
    await using me = await signedIn();
    const { path, value } = me.stored();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const secret of [value.accessToken, value.refreshToken])
      expect(me.redactor.redact(`it is ${secret}`)).toBe("it is [hidden]");
  });

  test("takes the client of the config where none registers itself; its secret is not stored", async () => {
    const callbackPort = await freePort();
    const redirect = `http://127.0.0.1:${callbackPort}/callback`;
    await using authority = await authorizationServer({ registers: false, redirect });
    await using server = await protectedServer(authority);
    using home = temporaryFolder();
    const { store } = storeIn(home.path);
    const entry = entryOf(server.mcp, {
      grant: "authorization_code",
      clientId: CONFIDENTIAL.id,
      clientSecret: CONFIDENTIAL.secret,
      callbackPort,
    });
    authority.lifetimeSeconds = 1;
    await signInBy(store, entry);
    expect(readStored(home.path).text).not.toContain(CONFIDENTIAL.secret);
    authority.lifetimeSeconds = 3_600;
    await sleep(1_100);
    await using hub = testHubWith({ credentials: store }, entry);
    await (await hub.link(web)).callTool(rawName("greet"), { name: "Ada" });
    expect(authority.grants).toEqual(["authorization_code", "refresh_token"]);
    // Credentials of one client are not those of another.
    expect(await store.read({ url: server.mcp })).toBeUndefined();
  });

  test("says what to do where no client registers itself", async () => {
    await using authority = await authorizationServer({ registers: false });
    await using server = await protectedServer(authority);
    using home = temporaryFolder();
    const error = await rejection(signInBy(storeIn(home.path).store, entryOf(server.mcp)));
    expect(error).toMatchObject({ code: "AUTH_REQUIRED" });
    expect(error.hint).toContain("clientId");
  });

  test("uses no authorization server but the one of the config, where it names one", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority);
    using home = temporaryFolder();
    const entry = entryOf(server.mcp, { grant: "authorization_code", issuer: "https://login.example" });
    const error = await rejection(signInBy(storeIn(home.path).store, entry));
    expect(error).toMatchObject({ code: "AUTH_REQUIRED" });
    expect(error.message).toContain("https://login.example");
    expect(authority.requests.every((request) => request.startsWith("GET /.well-known/"))).toBe(true);
  });

  test("is not there for a server that publishes nothing", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority, { tells: "nothing" });
    using home = temporaryFolder();
    const error = await rejection(signInBy(storeIn(home.path).store, entryOf(server.mcp)));
    expect(error).toMatchObject({ code: "SERVER_FAILED" });
    expect(error.hint).toContain('"headers"');
  });

  test("ends with the reason where the person says no, and with the signal where the wait is broken off", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority);
    using home = temporaryFolder();
    const { store } = storeIn(home.path);
    const entry = entryOf(server.mcp);
    const { signal } = new AbortController();
    const error = await rejection(
      signIn({ entry, store, signal, onAddress: (address) => void browse(address, false) }),
    );
    expect(error).toMatchObject({ code: "AUTH_REQUIRED", hint: 'Run "mcpfs auth web" to sign in.' });
    expect(error.message).toContain("access_denied");
    const stop = new AbortController();
    const stopped = signIn({ entry, store, signal: stop.signal, onAddress: () => stop.abort("enough") });
    expect(await rejection(stopped)).toBe("enough");
  });

  test("takes the answer with its own state alone; a forged one is turned away and changes nothing", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority);
    using home = temporaryFolder();
    const statuses: number[] = [];
    const goOn = async (address: string): Promise<void> => {
      const redirect = new URL(address).searchParams.get("redirect_uri") ?? "";
      for (const forged of [`${redirect}?code=x&state=y`, redirect, new URL("/other", redirect).href])
        statuses.push((await fetch(forged)).status);
      await browse(address);
    };
    const { signal } = new AbortController();
    const { store } = storeIn(home.path);
    const onAddress = (address: string) => void goOn(address);
    await signIn({ entry: entryOf(server.mcp), store, signal, onAddress });
    expect(statuses).toEqual([400, 400, 404]);
  });
});

// The kind of bug bank case client-oauth-refresh-race.
describe("renewing", () => {
  test("eight calls after the access token is over share one renewal, and all are carried out", async () => {
    await using me = await signedIn(1);
    await sleep(1_100);
    const names = Array.from({ length: 8 }, (_, index) => `n${index}`);
    await Promise.all(names.map(me.greet));
    expect([...me.server.calls].sort()).toEqual(names);
    expect(refreshes(me.authority.grants)).toEqual(["refresh_token"]);
  });

  test("a token that the server stops taking in the middle is renewed once, and what it refused is made again, once", async () => {
    await using me = await signedIn();
    await me.greet("before");
    await me.authority.revoke("access");
    await Promise.all(["a", "b", "c"].map(me.greet));
    expect([...me.server.calls].sort()).toEqual(["a", "b", "before", "c"]);
    expect(refreshes(me.authority.grants)).toEqual(["refresh_token"]);
  });

  test("an authorization server that cannot be reached costs the call, and nothing of what is stored", async () => {
    await using me = await signedIn(1);
    const before = me.stored().text;
    await sleep(1_100);
    for (const interference of ["cut", 503] as const) {
      me.authority.interfere = (method) => (method === "POST" ? interference : undefined);
      const error = await rejection(me.greet("early"));
      expect(error).toMatchObject({ code: "SERVER_FAILED" });
      expect(error.hint).toContain("They are kept.");
      expect(me.stored().text).toBe(before);
    }
    me.authority.interfere = () => undefined;
    await me.greet("late");
    expect(me.server.calls).toEqual(["late"]);
  });

  test("what the authorization server does not renew any more asks for a sign-in, and is not offered to it again", async () => {
    await using me = await signedIn();
    await me.greet("before");
    const { refreshToken } = me.stored().value;
    await me.authority.revoke("all");
    const error = await rejection(me.greet("after"));
    expect(error).toMatchObject({ code: "AUTH_REQUIRED", hint: 'Run "mcpfs auth web" to sign in.' });
    const asked = refreshes(me.authority.grants);
    expect(asked).toEqual(["refresh_token: invalid_grant"]);
    expect(await rejection(me.greet("again"))).toMatchObject({ code: "AUTH_REQUIRED" });
    expect(refreshes(me.authority.grants)).toEqual(asked);
    expect(me.stored().text).not.toContain(refreshToken);
    // The client stays known.
    await signInBy(me.store, me.entry);
    await me.greet("at last");
    expect(me.authority.requests.filter((request) => request === "POST /reg")).toHaveLength(1);
  });

  test("a renewal that goes on when the host closes reaches the disk: what was exchanged would be lost", async () => {
    await using me = await signedIn(1);
    const { refreshToken } = me.stored().value;
    await sleep(1_100);
    let isAsked = false;
    me.authority.interfere = async (method) => {
      isAsked ||= method === "POST";
      await sleep(method === "POST" ? 300 : 0);
      return undefined;
    };
    const call = rejection(me.greet("too late"));
    await until("the authorization server is asked", () => isAsked);
    await me.hub.close();
    await call;
    expect(me.stored().value.refreshToken).not.toBe(refreshToken);
    expect(me.server.calls).toEqual([]);
  });

  test("a wrong secret of the config's client is to be corrected there, and signs nobody out", async () => {
    const callbackPort = await freePort();
    const redirect = `http://127.0.0.1:${callbackPort}/callback`;
    await using authority = await authorizationServer({ redirect });
    await using server = await protectedServer(authority);
    using home = temporaryFolder();
    const { store } = storeIn(home.path);
    const withSecret = (clientSecret: string): WebEntry =>
      entryOf(server.mcp, {
        grant: "authorization_code",
        clientId: CONFIDENTIAL.id,
        clientSecret,
        callbackPort,
      });
    await signInBy(store, withSecret(CONFIDENTIAL.secret));
    await authority.revoke("access");
    const before = readStored(home.path).text;
    await using wrong = testHubWith({ credentials: store }, withSecret("not-the-secret-of-the-client"));
    const error = await rejection(wrong.link(web));
    expect(error).toMatchObject({ code: "AUTH_REQUIRED", hint: 'Check "oauth" of web in mcpfs.json.' });
    expect(error.message).toContain("invalid_client");
    expect(readStored(home.path).text).toBe(before);
    await using right = testHubWith({ credentials: store }, withSecret(CONFIDENTIAL.secret));
    await (await right.link(web)).callTool(rawName("greet"), { name: "Ada" });
    expect(server.calls).toEqual(["Ada"]);
  });
});

describe("the grant client_credentials", () => {
  const settings: OAuthSettings = {
    grant: "client_credentials",
    clientId: CONFIDENTIAL.id,
    clientSecret: CONFIDENTIAL.secret,
  };

  /** A server whose client is that of the config, and a hub of somebody with an empty store. */
  async function unattended(options: AuthorizationServerOptions = {}) {
    const authority = await authorizationServer({ registers: false, ...options });
    // Whose authorization server may become another one.
    const named = { ...authority };
    const server = await protectedServer(named);
    const home = temporaryFolder();
    const { store } = storeIn(home.path);
    const entry = entryOf(server.mcp, settings);
    const hub = testHubWith({ credentials: store }, entry);
    const greet = async (name: string) => await (await hub.link(web)).callTool(rawName("greet"), { name });
    return {
      ...{ authority, named, server, store, entry, greet },
      stored: () => readStored(home.path),
      /** Lets the time of the access token pass. */
      expire: async () => {
        await authority.revoke("access");
        await store.exclusive(credentialPlace(entry.transport), async (held) => {
          const stored = await held.read();
          if (stored !== undefined) await held.write({ ...stored, expiresAtMs: Date.now() - 1 });
        });
      },
      [Symbol.asyncDispose]: async () => {
        await hub[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
        await authority[Symbol.asyncDispose]();
        home[Symbol.dispose]();
      },
    };
  }

  test("needs no person", async () => {
    await using me = await unattended();
    await me.greet("Ada");
    await me.authority.revoke("access");
    await Promise.all(["Bob", "Cy"].map(me.greet));
    expect([...me.server.calls].sort()).toEqual(["Ada", "Bob", "Cy"]);
    expect(me.authority.grants).toEqual(["client_credentials", "client_credentials"]);
  });

  test("asks anew when a token is over, and keeps no refresh token that came along", async () => {
    await using me = await unattended({ refreshesAny: true });
    await me.greet("Ada");
    expect(me.stored().value).not.toHaveProperty("refreshToken");
    await me.expire();
    await me.greet("Bob");
    expect(me.server.calls).toEqual(["Ada", "Bob"]);
    expect(me.authority.grants).toEqual(["client_credentials", "client_credentials"]);
  });

  test("takes over where a person had signed in with the same client, and that token is over", async () => {
    const callbackPort = await freePort();
    await using me = await unattended({ redirect: `http://127.0.0.1:${callbackPort}/callback` });
    await signInBy(
      me.store,
      entryOf(me.server.mcp, { ...settings, grant: "authorization_code", callbackPort }),
    );
    await me.expire();
    await me.greet("Ada");
    expect(me.server.calls).toEqual(["Ada"]);
    expect(me.authority.grants).toEqual(["authorization_code", "client_credentials"]);
  });

  test("gives the secret to no other authorization server than before, unless somebody signs in there", async () => {
    await using me = await unattended();
    await me.greet("Ada");
    const before = me.stored().text;
    await using other = await authorizationServer({ registers: false });
    Object.assign(me.named, other);
    const error = await rejection(me.greet("Bob"));
    expect(error).toMatchObject({
      code: "AUTH_REQUIRED",
      message: `Server web names ${other.issuer} for signing in, and its credentials are of ${me.authority.issuer}.`,
    });
    expect(error.hint).toContain('"mcpfs auth web"');
    expect(other.requests.filter((request) => !request.startsWith("GET /.well-known/"))).toEqual([]);
    expect(me.stored().text).toBe(before);
    await signInBy(me.store, me.entry);
    await me.greet("Cy");
    expect(me.server.calls).toEqual(["Ada", "Cy"]);
  });
});

describe("a server that wants another scope", () => {
  test("is asked for by the next sign-in, besides those that were granted", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority, { wantsScope: true });
    using home = temporaryFolder();
    const { store } = storeIn(home.path);
    const entry = entryOf(server.mcp);
    await signInBy(store, entry);
    await using hub = testHubWith({ credentials: store }, entry);
    const greet = async () => await (await hub.link(web)).callTool(rawName("greet"), { name: "Ada" });
    const error = await rejection(greet());
    expect(error).toMatchObject({ code: "AUTH_REQUIRED", hint: 'Run "mcpfs auth web" to sign in.' });
    expect(error.message).toContain("mcp:greet");
    expect((await signInBy(store, entry)).scopes).toEqual(["mcp", "mcp:greet"]);
    await greet();
    expect(server.calls).toEqual(["Ada"]);
  });

  test("is not, where the config says what is asked for", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority, { wantsScope: true });
    using home = temporaryFolder();
    const { store } = storeIn(home.path);
    const entry = entryOf(server.mcp, { grant: "authorization_code", scopes: ["mcp"] });
    await signInBy(store, entry);
    await using hub = testHubWith({ credentials: store }, entry);
    const call = (await hub.link(web)).callTool(rawName("greet"), { name: "Ada" });
    expect((await rejection(call)).hint).toContain('"oauth.scopes"');
    expect((await signInBy(store, entry)).scopes).toEqual(["mcp"]);
  });
});

describe("nobody has signed in", () => {
  test.each(["answer", "well-known"] as const)(
    "the error names the command where the server tells of it in its %s",
    async (tells) => {
      await using authority = await authorizationServer();
      await using server = await protectedServer(authority, { tells });
      using home = temporaryFolder();
      await using hub = testHubWith({ credentials: storeIn(home.path).store }, entryOf(server.mcp));
      expect(await rejection(hub.link(web))).toMatchObject({
        code: "AUTH_REQUIRED",
        hint: 'Run "mcpfs auth web" to sign in.',
      });
      expect(authority.requests.filter((request) => !request.startsWith("GET /.well-known/"))).toEqual([]);
    },
  );

  test("and names the headers where it does not", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority, { tells: "nothing" });
    using home = temporaryFolder();
    await using hub = testHubWith({ credentials: storeIn(home.path).store }, entryOf(server.mcp));
    const error = await rejection(hub.link(web));
    expect(error).toMatchObject({ code: "AUTH_REQUIRED" });
    expect(error.hint).toContain('Set "headers"');
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
