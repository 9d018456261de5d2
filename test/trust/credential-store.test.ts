import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/kernel/log.ts";
import type { CredentialStore, StoredCredentials } from "../../src/model/credentials.ts";
import { createCredentialStore } from "../../src/trust/credential-store.ts";
import { temporaryFolder } from "../servers/servers.ts";

const url = "https://mcp.example/mcp?key=in-the-query";
const own: StoredCredentials = {
  issuer: "https://login.example",
  client: { id: "registered", isRegistered: true, redirect: "http://127.0.0.1:1/callback" },
  accessToken: "access-token",
  refreshToken: "refresh/token+",
  expiresAtMs: 5,
  scope: "a b",
  resource: "https://mcp.example/mcp",
};

const write = async (store: CredentialStore, credentials: StoredCredentials, at = url): Promise<void> =>
  await store.exclusive({ url: at }, (held) => held.write(credentials));

function storeFile(home: string): string {
  const folder = join(home, "credentials");
  const [name = ""] = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return join(folder, name);
}

describe("credentials are kept by address, authorization server and client", () => {
  test("what was written is there for the next process, whole, and for this user only", async () => {
    using home = temporaryFolder();
    await write(createCredentialStore({ MCPFS_HOME: home.path }, createRedactor()), own);
    const redactor = createRedactor();
    const next = createCredentialStore({ MCPFS_HOME: home.path }, redactor);
    expect(await next.read({ url })).toEqual(own);
    expect(await next.read({ url: "https://mcp.example/mcp" })).toBeUndefined();
    expect(statSync(storeFile(home.path)).mode & 0o777).toBe(0o600);
    expect(readFileSync(storeFile(home.path), "utf8")).not.toContain("in-the-query");
    // In the forms in which they may come back.
    expect(redactor.redact("access-token, refresh/token+, refresh%2Ftoken%2B")).toBe(
      "[hidden], [hidden], [hidden]",
    );
  });

  test("those of another client or authorization server are other ones; of our own clients the last counts", async () => {
    using home = temporaryFolder();
    const store = createCredentialStore({ MCPFS_HOME: home.path }, createRedactor());
    const byHand = { ...own, client: { id: "by-hand", isRegistered: false } };
    const elsewhere = { ...own, issuer: "https://other.example" };
    for (const credentials of [own, byHand, elsewhere]) await write(store, credentials);
    expect(await store.read({ url, clientId: "by-hand" })).toEqual(byHand);
    expect(await store.read({ url, clientId: "unknown" })).toBeUndefined();
    expect(await store.read({ url, issuer: own.issuer })).toEqual(own);
    expect(await store.read({ url })).toEqual(elsewhere);
    const renewed = { ...own, client: { id: "registered anew", isRegistered: true } };
    await write(store, renewed);
    expect(await store.read({ url, issuer: own.issuer })).toEqual(renewed);
    await store.exclusive({ url }, (held) => held.remove());
    expect(await store.read({ url })).toBeUndefined();
    expect(await store.read({ url, clientId: "by-hand" })).toEqual(byHand);
    await store.exclusive({ url, clientId: "by-hand" }, (held) => held.remove());
    expect(existsSync(join(home.path, "credentials"))).toBe(true);
    expect(readdirSync(join(home.path, "credentials"))).toEqual([]);
  });

  test("twenty who change them at once do so one after the other, each with what the last one wrote", async () => {
    using home = temporaryFolder();
    const stores = [0, 1].map(() => createCredentialStore({ MCPFS_HOME: home.path }, createRedactor()));
    const count = async (index: number): Promise<void> =>
      await stores[index % 2]?.exclusive({ url }, async (held) => {
        const before = Number((await held.read())?.scope ?? "0");
        await held.write({ ...own, scope: String(before + 1) });
      });
    await Promise.all(Array.from({ length: 20 }, (_, index) => count(index)));
    expect((await stores[0]?.read({ url }))?.scope).toBe("20");
  });

  test("what fails in the work is the work's own error, and nothing is changed", async () => {
    using home = temporaryFolder();
    const store = createCredentialStore({ MCPFS_HOME: home.path }, createRedactor());
    await write(store, own);
    const failure = Object.assign(new Error("cut"), { code: "ECONNRESET" });
    const work = store.exclusive({ url }, async () => {
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(await store.read({ url })).toEqual(own);
  });

  test.each([
    "",
    "{",
    "[]",
    '{"version":2,"credentials":[]}',
    '{"version":1,"credentials":[{"issuer":"x"}]}',
  ])("a file that holds %j is an error, and is not written over", async (text) => {
    using home = temporaryFolder();
    const store = createCredentialStore({ MCPFS_HOME: home.path }, createRedactor());
    await write(store, own);
    writeFileSync(storeFile(home.path), text);
    await expect(store.read({ url })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await expect(write(store, own)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(readFileSync(storeFile(home.path), "utf8")).toBe(text);
  });
});
