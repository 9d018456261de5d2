import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import type { Host } from "../../src/engine/host.ts";
import { openHost } from "../../src/engine/open-host.ts";
import { createRedactor, silentLog } from "../../src/kernel/log.ts";
import { createCredentialStore } from "../../src/trust/credential-store.ts";
import { writeFiles } from "../cli/run-cli.ts";
import { httpServer } from "../servers/http-server.ts";
import { answerModern } from "../servers/modern-http.ts";
import { temporaryFolder, until } from "../servers/servers.ts";

/** A server of revision 2026-07-28 whose resources say how often they were read, and for how long that holds. */
function countingServer(): { handler: ReturnType<typeof createMcpHandler>; reads: Map<string, number> } {
  const reads = new Map<string, number>();
  const times: Readonly<Record<string, number>> = { long: 60_000, short: 1_000, never: 0 };
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(
        { name: "web", version: "1" },
        { capabilities: { resources: { listChanged: true, subscribe: true } } },
      );
      for (const [name, ttlMs] of Object.entries(times))
        server.registerResource(
          name,
          `test://${name}`,
          { cacheHint: { ttlMs, cacheScope: "private" } },
          (uri) => {
            reads.set(name, (reads.get(name) ?? 0) + 1);
            return { contents: [{ uri: uri.href, text: `${name} ${reads.get(name)}` }] };
          },
        );
      return server;
    },
    { legacy: "reject" },
  );
  return { handler, reads };
}

function writeConfig(folder: string, url: string, token: string): void {
  const web = { url, headers: { "x-token": token }, timeoutMs: 5_000 };
  writeFileSync(join(folder, "mcpfs.json"), JSON.stringify({ policy: "open", mcpServers: { web } }));
}

/** Time goes on only where a test says so: a busy machine takes seconds for a call. */
let nowMs = 1_800_000_000_000;

async function opened(folder: string, url: string): Promise<Host> {
  writeConfig(folder, url, "one");
  const host = await openedAgain(folder);
  await host.trust();
  expect((await host.sync()).servers[0]?.error).toBeNull();
  return host;
}

/** A later host of a user, which has asked no server yet. */
async function openedAgain(folder: string, user = "home"): Promise<Host> {
  return await openHost({
    root: folder,
    env: { ...process.env, MCPFS_HOME: join(folder, user) },
    platform: process.platform,
    homeDir: folder,
    version: "0",
    log: silentLog,
    redactor: createRedactor(),
    clock: { now: () => nowMs },
  });
}

async function read(host: Host, name: string): Promise<unknown> {
  const outcome = await host.call("web__read_resource", { uri: `test://${name}` });
  if (outcome.kind === "error") return outcome.error.code;
  const [content] = outcome.value as { text: string }[];
  return outcome.warnings.length === 0 ? content?.text : [content?.text, ...outcome.warnings];
}

// M7
describe("a resource that was read", () => {
  test("is kept as long as its server allows, and asked for again after that", async () => {
    using folder = temporaryFolder();
    const { handler } = countingServer();
    await using web = await httpServer((exchange) => answerModern(handler, exchange));
    await using host = await opened(folder.path, web.url);
    for (const want of ["long 1", "long 1"]) expect(await read(host, "long")).toBe(want);
    for (const want of ["never 1", "never 2"]) expect(await read(host, "never")).toBe(want);
    for (const want of ["short 1", "short 1"]) expect(await read(host, "short")).toBe(want);
    nowMs += 1_001;
    expect(await read(host, "short")).toBe("short 2");
  });

  test("is old at once when its server says that it, or the list, has changed", async () => {
    using folder = temporaryFolder();
    const { handler, reads } = countingServer();
    await using web = await httpServer((exchange) => answerModern(handler, exchange));
    await using host = await opened(folder.path, web.url);
    expect(await read(host, "long")).toBe("long 1");
    await until("the subscription", () =>
      web
        .received("subscriptions/listen")
        .some(({ params }) => JSON.stringify(params).includes("test://long")),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    handler.notify.resourceUpdated("test://long");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await read(host, "long")).toBe("long 2");
    handler.notify.resourcesChanged();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await read(host, "long")).toBe("long 3");
    expect(reads.get("long")).toBe(3);
  });

  test("is given as it was, with a warning, while its server cannot be reached; what may not be kept is not", async () => {
    using folder = temporaryFolder();
    const { handler } = countingServer();
    const web = await httpServer((exchange) => answerModern(handler, exchange));
    await using host = await opened(folder.path, web.url);
    expect(await read(host, "short")).toBe("short 1");
    expect(await read(host, "never")).toBe("never 1");
    await web[Symbol.asyncDispose]();
    nowMs += 1_001;
    expect(await read(host, "short")).toEqual([
      "short 1",
      expect.stringMatching(
        /^"test:\/\/short" of web is as it was read earlier, and may have changed since\. /,
      ),
    ]);
    expect(await read(host, "never")).toBe("SERVER_FAILED");
    // Nothing of one user's is given to another.
    writeConfig(folder.path, web.url, "two");
    await host.reloadConfig();
    await host.trust();
    expect(await read(host, "short")).toBe("SERVER_FAILED");
  });

  test("is asked for again under other credentials, however long it may be kept", async () => {
    using folder = temporaryFolder();
    const { handler } = countingServer();
    await using web = await httpServer((exchange) => answerModern(handler, exchange));
    await using host = await opened(folder.path, web.url);
    expect(await read(host, "long")).toBe("long 1");
    writeConfig(folder.path, web.url, "two");
    await host.reloadConfig();
    await host.trust();
    expect(await read(host, "long")).toBe("long 2");
  });
});

/** What the host before has left on the disk. */
function keptFiles(folder: string): readonly { readonly mode: number; readonly text: string }[] {
  const reads = join(folder, ".mcpfs", "reads");
  if (!existsSync(reads)) return [];
  return readdirSync(reads).map((name) => ({
    mode: statSync(join(reads, name)).mode & 0o777,
    text: readFileSync(join(reads, name), "utf8"),
  }));
}

describe("what was read is there for the next host", () => {
  test("as long as it holds, without a connection; after that it is asked for, and given as old where that fails", async () => {
    using folder = temporaryFolder();
    const { handler, reads } = countingServer();
    const web = await httpServer((exchange) => answerModern(handler, exchange));
    {
      await using host = await opened(folder.path, web.url);
      for (const name of ["long", "short", "never"]) expect(await read(host, name)).toBe(`${name} 1`);
    }
    expect(keptFiles(folder.path).map(({ mode }) => mode)).toEqual(
      process.platform === "win32" ? [expect.anything(), expect.anything()] : [0o600, 0o600],
    );
    const before = web.requests.length;
    {
      await using host = await openedAgain(folder.path);
      expect(await read(host, "short")).toBe("short 1");
      expect(web.requests.length).toBe(before);
      nowMs += 1_001;
      expect(await read(host, "short")).toBe("short 2");
      // There is a connection now, so nothing is saved by not asking.
      expect(await read(host, "long")).toBe("long 2");
    }
    await web[Symbol.asyncDispose]();
    nowMs += 1_001;
    await using host = await openedAgain(folder.path);
    expect(await read(host, "long")).toBe("long 2");
    expect(await read(host, "short")).toEqual(["short 2", expect.stringContaining("as it was read earlier")]);
    expect(await read(host, "never")).toBe("SERVER_FAILED");
    expect(reads.get("never")).toBe(1);
    nowMs += 8 * 24 * 60 * 60 * 1_000;
    expect(await read(host, "short")).toBe("SERVER_FAILED");
    nowMs -= 9 * 24 * 60 * 60 * 1_000;
    expect(await read(host, "short")).toBe("SERVER_FAILED");
  });

  test("and for nobody else: not under other credentials, not for another user", async () => {
    using folder = temporaryFolder();
    const { handler } = countingServer();
    const web = await httpServer((exchange) => answerModern(handler, exchange));
    {
      await using host = await opened(folder.path, web.url);
      expect(await read(host, "long")).toBe("long 1");
    }
    await web[Symbol.asyncDispose]();
    writeConfig(folder.path, web.url, "two");
    {
      await using host = await openedAgain(folder.path);
      await host.trust();
      expect(await read(host, "long")).toBe("SERVER_FAILED");
    }
    writeConfig(folder.path, web.url, "one");
    {
      await using host = await openedAgain(folder.path, "another");
      await host.trust();
      expect(await read(host, "long")).toBe("SERVER_FAILED");
    }
    await using host = await openedAgain(folder.path);
    expect(await read(host, "long")).toBe("long 1");
    expect(
      keptFiles(folder.path)
        .map(({ text }) => text)
        .join(),
    ).not.toContain("x-token");
  });

  test("not what its server has said to have changed", async () => {
    using folder = temporaryFolder();
    const { handler } = countingServer();
    await using web = await httpServer((exchange) => answerModern(handler, exchange));
    {
      await using host = await opened(folder.path, web.url);
      expect(await read(host, "long")).toBe("long 1");
      expect(keptFiles(folder.path)).toHaveLength(1);
      await until("the subscription", () =>
        web
          .received("subscriptions/listen")
          .some(({ params }) => JSON.stringify(params).includes("test://long")),
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
      handler.notify.resourcesChanged();
      await until("its end", () => keptFiles(folder.path).length === 0);
    }
    await using host = await openedAgain(folder.path);
    expect(await read(host, "long")).toBe("long 2");
  });

  test("not what holds a secret of the config, and not what a person has signed in for", async () => {
    using folder = temporaryFolder();
    const { handler } = countingServer();
    await using web = await httpServer((exchange) => answerModern(handler, exchange));
    await using host = await opened(folder.path, web.url);
    const secret = { url: web.url, headers: { "x-token": "test://long" } };
    writeFiles(folder.path, { "mcpfs.json": { policy: "open", mcpServers: { web: secret } } });
    await host.reloadConfig();
    await host.trust();
    expect(await read(host, "short")).toBe("short 1");
    expect(keptFiles(folder.path)).toHaveLength(1);
    // Its URI, which stands in its contents, is the token.
    expect(await read(host, "long")).not.toBe("SERVER_FAILED");
    expect(keptFiles(folder.path)).toHaveLength(1);
    await signedIn(folder.path, web.url)("anns-token-1");
    nowMs += 1_001;
    expect(await read(host, "short")).toBe("short 2");
    expect(
      keptFiles(folder.path)
        .map(({ text }) => text)
        .join(),
    ).not.toContain("short 2");
  });
});

/** Does what `mcpfs auth` does at the end of a sign-in. */
function signedIn(folder: string, url: string): (accessToken: string) => Promise<void> {
  const store = createCredentialStore({ MCPFS_HOME: join(folder, "home") }, createRedactor());
  const client = { id: "c", isRegistered: true };
  return async (accessToken) =>
    await store.exclusive({ url: new URL(url).href }, async (held) => {
      await held.write({ issuer: "https://auth.example", client, accessToken });
    });
}

test("what one account has read is not given to another that signs in while the host lives", async () => {
  using folder = temporaryFolder();
  const { handler } = countingServer();
  const web = await httpServer((exchange) => answerModern(handler, exchange));
  const signIn = signedIn(folder.path, web.url);
  await signIn("anns-token-1");
  await using host = await opened(folder.path, web.url);
  for (const want of ["long 1", "long 1"]) expect(await read(host, "long")).toBe(want);
  await signIn("bobs-token-1");
  expect(await read(host, "long")).toBe("long 2");
  expect(keptFiles(folder.path)).toEqual([]);
  await signIn("carols-token-1");
  await web[Symbol.asyncDispose]();
  expect(await read(host, "long")).toBe("SERVER_FAILED");
});
