import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { authorizationServer } from "../servers/authorization-server.ts";
import { browse } from "../servers/browser.ts";
import { type ProtectedServer, protectedServer } from "../servers/protected-server.ts";
import { scripted, temporaryFolder, until } from "../servers/servers.ts";
import { type CliResult, jsonOf, runCli, startCli, writeFiles } from "./run-cli.ts";
import { trustConfig, trustHome } from "./trust-config.ts";

/** Longer than a busy machine takes to start a command. */
const SLOW_MS = 50_000;

/** A workspace with the protected server `web`, and `other`, a program. */
async function workspace(folder: string, server: ProtectedServer): Promise<void> {
  const other = scripted({ tools: [{ name: "a", inputSchema: { type: "object" } }] });
  writeFiles(folder, {
    "mcpfs.json": { mcpServers: { web: { url: server.mcp }, other } },
    "eight.ts":
      "const names = Array.from({ length: 8 }, (_, i) => `${args.who}${i}`);\nexport default await Promise.all(names.map((name) => web_greet({ name })));\n",
  });
  await trustConfig(folder);
}

/** Signs in as a person does who opens the address that is printed. */
async function signIn(folder: string, args: readonly string[] = []): Promise<CliResult> {
  const child = startCli(folder, [...args, "auth", "web", "--no-browser"]);
  let stdout = "";
  let stderr = "";
  let isOpened = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    const address = /^ {2}(http\S+)\n/m.exec(stderr)?.[1];
    if (address === undefined || isOpened) return;
    isOpened = true;
    void browse(address);
  });
  child.stdin.end();
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout, stderr };
}

/** What the store holds of the one server. */
function stored(folder: string): any {
  const place = join(trustHome(folder), "credentials");
  const files = readdirSync(place).filter((file) => file.endsWith(".json"));
  return files.flatMap((file) => JSON.parse(readFileSync(join(place, file), "utf8")).credentials)[0];
}

/** The texts of all files of the workspace but the user's own folder. */
function textsOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(trustHome(folder)))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
}

describe("mcpfs auth", () => {
  test("signs in; what it got is used by every command, and stands in no file of the workspace", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority);
    using folder = temporaryFolder();
    await workspace(folder.path, server);
    const { code, stdout, stderr } = await signIn(folder.path, ["--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { server: "web", signedIn: true, issuer: authority.issuer, scopes: ["mcp"] },
    ]);
    const synced = await runCli(folder.path, ["sync"], { env: { MCPFS_DEBUG: "1" } });
    expect(synced.code).toBe(0);
    const ran = await runCli(folder.path, ["exec", "eight.ts", "--", "who=n"], { env: { MCPFS_DEBUG: "1" } });
    expect([ran.code, JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "")[7]]).toEqual([0, "Hello n7"]);
    const { accessToken, refreshToken } = stored(folder.path);
    const seen = [stderr, synced.stdout, synced.stderr, ran.stdout, ran.stderr, textsOf(folder.path)].join(
      "\n",
    );
    for (const secret of [accessToken, refreshToken]) expect(seen).not.toContain(secret);
  });

  // The bug bank case client-oauth-refresh-race.
  test("two processes that start at once after the access token is over renew it once, and all calls succeed", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority);
    using folder = temporaryFolder();
    await workspace(folder.path, server);
    expect((await signIn(folder.path)).code).toBe(0);
    expect((await runCli(folder.path, ["sync"])).code).toBe(0);
    // A sign-in asks the server nothing: no request has to be faster than the second that the token lives.
    authority.lifetimeSeconds = 1;
    expect((await signIn(folder.path)).code).toBe(0);
    authority.lifetimeSeconds = 3_600;
    await sleep(1_100);
    const [grants, calls] = [authority.grants.length, server.calls.length];
    const results = await Promise.all(
      ["a", "b"].map((who) => runCli(folder.path, ["exec", "eight.ts", "--", `who=${who}`])),
    );
    for (const { code, stderr } of results) expect([code, stderr]).toEqual([0, expect.anything()]);
    expect(authority.grants.slice(grants)).toEqual(["refresh_token"]);
    const names = ["a", "b"].flatMap((who) => Array.from({ length: 8 }, (_, index) => `${who}${index}`));
    expect(server.calls.slice(calls).sort()).toEqual(names);
  });

  test("a server that nobody has signed in to costs the others nothing, and no command opens a browser for it", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority);
    using folder = temporaryFolder();
    await workspace(folder.path, server);
    const { env, opened } = fakeBrowser(folder.path);
    const report = await jsonOf(folder.path, ["sync"], { env });
    expect(report.servers).toMatchObject([
      { name: "other", status: "ok", tools: 1 },
      {
        name: "web",
        status: "failed",
        error: { code: "AUTH_REQUIRED", hint: 'Run "mcpfs auth web" to sign in.' },
      },
    ]);
    const call = await runCli(folder.path, ["exec", "-"], {
      env,
      stdin: 'export default await callMCPTool("web__greet", {});',
    });
    expect(call.code).toBe(1);
    expect(existsSync(opened)).toBe(false);
  });

  test("a watch that runs follows a sign-in beside it", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority);
    using folder = temporaryFolder();
    await workspace(folder.path, server);
    const watch = startCli(folder.path, ["watch"]);
    const ended = new Promise((resolve) => watch.on("close", resolve));
    let shown = "";
    for (const stream of [watch.stdout, watch.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        shown += text;
      });
    try {
      await until("the server is refused", () => shown.includes("mcpfs auth web"), SLOW_MS);
      expect((await signIn(folder.path)).code).toBe(0);
      await until(
        "its tools are there",
        () => existsSync(join(folder.path, "servers/web/greet.ts")),
        SLOW_MS,
      );
    } finally {
      watch.kill("SIGINT");
      await ended;
    }
  });

  test.runIf(process.platform === "linux")("opens the address in the browser, as one argument", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority);
    using folder = temporaryFolder();
    await workspace(folder.path, server);
    const { env, opened } = fakeBrowser(folder.path);
    const child = startCli(folder.path, ["auth", "web"], { env });
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.stdin.end();
    while (!existsSync(opened)) await sleep(20);
    const words = JSON.parse(readFileSync(opened, "utf8"));
    expect(words).toEqual([expect.stringContaining(`${authority.issuer}/auth?`)]);
    await browse(words[0]);
    expect(await ended).toBe(0);
  });

  test("ends with Ctrl-C, and listens no more", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority);
    using folder = temporaryFolder();
    await workspace(folder.path, server);
    const child = startCli(folder.path, ["auth", "web", "--no-browser"]);
    const ended = new Promise((resolve) => child.on("close", resolve));
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const address = (): string | undefined => /^ {2}(http\S+)\n/m.exec(stderr)?.[1];
    await until("the address is printed", () => address() !== undefined, SLOW_MS);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    const redirect = new URL(address() ?? "").searchParams.get("redirect_uri") ?? "";
    await expect(fetch(redirect)).rejects.toThrow();
  });

  test("--forget ends what was got, here and at the authorization server", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority);
    using folder = temporaryFolder();
    await workspace(folder.path, server);
    await signIn(folder.path);
    const { refreshToken, client } = stored(folder.path);
    expect(await jsonOf(folder.path, ["auth", "web", "--forget"])).toEqual({
      server: "web",
      signedIn: false,
      issuer: null,
      scopes: [],
    });
    expect(stored(folder.path)).toBeUndefined();
    const again = await fetch(`${authority.issuer}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: refreshToken,
        client_id: client.id,
      }),
    });
    expect(again.status).toBe(400);
    expect((await runCli(folder.path, ["auth", "web", "--forget"])).stderr).toContain("nobody was signed in");
  });

  test("is for servers behind a URL that the config knows, and that are trusted", async () => {
    await using authority = await authorizationServer();
    await using server = await protectedServer(authority);
    using folder = temporaryFolder();
    await workspace(folder.path, server);
    for (const [name, code] of [
      ["other", "USAGE"],
      ["wep", "USAGE"],
    ] as const)
      expect((await jsonOf(folder.path, ["auth", name])).error).toMatchObject({ code });
    writeFiles(folder.path, { "mcpfs.json": { mcpServers: { web: { url: `${server.mcp}?moved` } } } });
    const untrusted = await jsonOf(folder.path, ["auth", "web"], { trusts: false });
    expect(untrusted.error).toMatchObject({ code: "UNTRUSTED" });
  });
});

/** A program in the place of the one that opens browsers: writes its arguments into a file. */
function fakeBrowser(folder: string): {
  readonly env: Readonly<Record<string, string>>;
  readonly opened: string;
} {
  const opened = join(folder, ".mcpfs", "opened.json");
  const bin = join(folder, ".mcpfs", "bin");
  writeFiles(bin, {
    "xdg-open": `#!${process.execPath}\nconst { renameSync, writeFileSync } = require("node:fs");\nwriteFileSync(${JSON.stringify(`${opened}.new`)}, JSON.stringify(process.argv.slice(2)));\nrenameSync(${JSON.stringify(`${opened}.new`)}, ${JSON.stringify(opened)});\n`,
  });
  chmodSync(join(bin, "xdg-open"), 0o755);
  return { env: { PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` }, opened };
}
