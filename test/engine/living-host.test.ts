import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Host } from "../../src/engine/host.ts";
import { openHost } from "../../src/engine/open-host.ts";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import { createChangeFeed, type WatchEvent, watchWorkspace } from "../../src/engine/watch/watch.ts";
import { createRedactor, silentLog } from "../../src/kernel/log.ts";
import type { ServerName } from "../../src/model/names.ts";
import { isAlive, readServerLog, received, scripted, temporaryFolder, until } from "../servers/servers.ts";

const object = { type: "object" };
const tools = ["get", "slow", "victim", "drop", "storm"].map((name) => ({ name, inputSchema: object }));
const answers = {
  slow: { delayMs: 1_500, text: "late" },
  drop: { removeTool: "victim", text: "dropped" },
  storm: { notifyTimes: 10_000, text: "stormed" },
};

/** A workspace whose host watches it, with one server; synced and ready. */
async function watched(
  folder: string,
): Promise<{ host: Host; log: string; events: WatchEvent[]; end: () => Promise<void> }> {
  const log = join(folder, "log");
  writeConfig(folder, { live: scripted({ tools, answers }, log) });
  const feed = createChangeFeed();
  const host = await openHost({
    root: folder,
    env: { ...process.env, MCPFS_HOME: join(folder, "home") },
    platform: process.platform,
    homeDir: homedir(),
    version: "0",
    log: silentLog,
    redactor: createRedactor(),
    onToolsChanged: feed.push,
  });
  await host.trust();
  const stop = new AbortController();
  const events: WatchEvent[] = [];
  const watching = watchWorkspace(host, feed, {
    onEvent: (event) => events.push(event),
    signal: stop.signal,
  });
  await until("the first sync", () => events.length > 0, 20_000);
  const end = async (): Promise<void> => {
    stop.abort();
    await watching;
    await host.close();
  };
  return { host, log, events, end };
}

function writeConfig(folder: string, mcpServers: object): void {
  writeFileSync(join(folder, "mcpfs.json"), JSON.stringify({ policy: "open", mcpServers }));
}

async function run(host: Host, text: string): Promise<unknown> {
  const report = await host.run({ path: undefined, name: "script.ts", text });
  return report.error ?? report.value;
}

/** A script that keeps calling until the tool is gone, and says how that looked. */
const UNTIL_GONE = (tool: string): string => `
  for (let n = 0; n < 200; n += 1) {
    try { await callMCPTool("live__${tool}", {}); } catch (error) { return error.code; }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return "still there";`;

// M9
describe("a script that runs while its workspace changes", () => {
  test("gets TOOL_UNAVAILABLE from a tool that its server has taken away", async () => {
    using folder = temporaryFolder();
    const { host, end } = await watched(folder.path);
    try {
      const dropped = `await callMCPTool("live__drop", {});`;
      expect(await run(host, `${dropped}${UNTIL_GONE("victim")}`)).toBe("TOOL_UNAVAILABLE");
      expect(await run(host, 'return await callMCPTool("live__get", {});')).toBe("get {}");
    } finally {
      await end();
    }
  });

  test("has its open call answered when the server is switched off, then its connection closes", async () => {
    using folder = temporaryFolder();
    const { host, log, end } = await watched(folder.path);
    try {
      const open = run(host, 'return await callMCPTool("live__slow", {});');
      await until("the call", () => received(log, "tools/call").length > 0, 10_000);
      const gone = run(host, UNTIL_GONE("get"));
      writeConfig(folder.path, { live: { ...scripted({ tools, answers }, log), enabled: false } });
      expect(await gone).toBe("TOOL_UNAVAILABLE");
      expect(await open).toBe("late");
      const [pid] = readServerLog(log).map((entry) => entry.pid);
      await until("the end of the server", () => pid !== undefined && !isAlive(pid), 5_000);
    } finally {
      await end();
    }
  });
});

test("a storm of 10,000 notifications costs a few syncs", async () => {
  using folder = temporaryFolder();
  const { host, log, events, end } = await watched(folder.path);
  try {
    const before = events.length;
    const lists = received(log, "tools/list").length;
    await host.call("live/storm", {});
    await until("a sync", () => events.length > before, 10_000);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(events.length - before).toBeLessThanOrEqual(4);
    // One more for the call that finds the list forgotten.
    expect(received(log, "tools/list").length - lists).toBeLessThanOrEqual(5);
  } finally {
    await end();
  }
});

// M10
describe("a host that does not watch", () => {
  test("closes a connection that nobody uses, and opens it again for the next call", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    writeConfig(folder.path, { live: { ...scripted({ tools, answers }, log), idleMs: 200 } });
    const env = { ...process.env, MCPFS_HOME: join(folder.path, "home") };
    await using host = await openWorkspace(folder.path, { env });
    await host.trust();
    await host.sync();
    const starts = (): readonly number[] => [...new Set(readServerLog(log).map((entry) => entry.pid))];
    const [first] = starts();
    await until("the end of the idle server", () => first !== undefined && !isAlive(first), 10_000);
    const called = await host.call("live/get", {});
    expect(called).toMatchObject({ kind: "ok", value: "get {}", warnings: [] });
    expect(starts()).toHaveLength(2);
    // A call that takes longer than that is not idle.
    expect(await host.call("live/slow", {})).toMatchObject({ kind: "ok", value: "late" });
  });

  test("starts what its caller's digest trusts, and nothing else", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    writeConfig(folder.path, { live: scripted({ tools }, log) });
    const env = { ...process.env, MCPFS_HOME: join(folder.path, "home") };
    await using stranger = await openWorkspace(folder.path, { env });
    expect((await stranger.sync()).servers[0]?.error?.code).toBe("UNTRUSTED");
    expect(readServerLog(log)).toEqual([]);
    await using host = await openWorkspace(folder.path, { env, trust: stranger.trustDigest() });
    expect((await host.sync()).servers[0]?.status).toBe("ok");
    await stranger.trust();
    expect((await stranger.sync()).servers[0]?.status).toBe("ok");
  });
});

test("syncs at once let sixteen servers start together, and one that runs already does not wait for them", async () => {
  using folder = temporaryFolder();
  const log = join(folder.path, "hanging");
  const hanging = Array.from({ length: 20 }, (_, index) => `hanging${index}`);
  const live = scripted({ tools: [{ name: "one", inputSchema: object }] });
  writeConfig(folder.path, {
    live,
    ...Object.fromEntries(hanging.map((name) => [name, scripted({ initialize: { never: true } }, log)])),
  });
  const host = await openHost({
    root: folder.path,
    env: { ...process.env, MCPFS_HOME: join(folder.path, "home") },
    platform: process.platform,
    homeDir: homedir(),
    version: "0",
    log: silentLog,
    redactor: createRedactor(),
  });
  await host.trust();
  const named = (names: readonly string[]): ServerName[] =>
    host
      .config()
      .servers.map(({ name }) => name)
      .filter((name) => names.includes(name));
  await host.sync({ servers: named(["live"]) });
  const starts = (): number => readServerLog(log).filter(({ event }) => event === "start").length;
  const syncs = [hanging.slice(0, 10), hanging.slice(10)].map((names) =>
    host.sync({ servers: named(names) }).catch(() => undefined),
  );
  try {
    await until("sixteen starts", () => starts() === 16, 30_000);
    expect((await host.sync({ servers: named(["live"]) })).servers[0]?.error).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(starts()).toBe(16);
  } finally {
    await host.close();
    await Promise.all(syncs);
  }
}, 60_000);
