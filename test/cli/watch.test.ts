import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readServerLog, scripted, temporaryFolder, until } from "../servers/servers.ts";
import { makeWorkspace, startCli } from "./run-cli.ts";
import { trustConfig } from "./trust-config.ts";

const tool = (name: string): unknown => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object" },
});

// M8
test("a tool that a running server adds or removes appears and goes as a file, and nothing else is touched", async () => {
  using folder = temporaryFolder();
  const list = join(folder.path, "tools.json");
  writeFileSync(list, JSON.stringify([tool("one"), tool("two")]));
  await makeWorkspace(folder.path, {
    live: scripted({ watchFile: list }),
    still: scripted({ tools: [tool("calm")] }),
  });
  const child = startCli(folder.path, ["watch"]);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += String(text)));
  try {
    await until("the watch", () => printed.includes("watching 2 servers"), 15_000);
    const untouched = ["servers/still/calm.ts", "servers/still/index.ts", "servers/live/one.ts", "client.ts"];
    const before = untouched.map((path) => statSync(join(folder.path, path)).mtimeMs);

    writeFileSync(list, JSON.stringify([tool("one"), tool("two"), tool("three_new")]));
    await until("the new file", () => existsSync(join(folder.path, "servers/live/threeNew.ts")), 10_000);
    await until("the line", () => printed.includes("\nlive: +1 tool\n"), 5_000);
    expect(readFileSync(join(folder.path, "servers/live/index.ts"), "utf8")).toContain("threeNew");

    writeFileSync(list, JSON.stringify([tool("one"), tool("three_new")]));
    await until(
      "the end of the old file",
      () => !existsSync(join(folder.path, "servers/live/two.ts")),
      10_000,
    );
    expect(untouched.map((path) => statSync(join(folder.path, path)).mtimeMs)).toEqual(before);
  } finally {
    child.kill("SIGINT");
    await new Promise((resolve) => child.on("close", resolve));
  }
});

test("an edit of mcpfs.json is followed: a new server appears, a removed one goes; a broken file changes nothing", async () => {
  using folder = temporaryFolder();
  const one = scripted({ tools: [tool("first")] });
  const two = scripted({ tools: [tool("second")] });
  const config = join(folder.path, "mcpfs.json");
  await makeWorkspace(folder.path, { one });
  const child = startCli(folder.path, ["watch"]);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += String(text)));
  const has = (path: string): boolean => existsSync(join(folder.path, path));
  try {
    await until("the watch", () => printed.includes("watching"), 15_000);
    writeFileSync(config, JSON.stringify({ mcpServers: { one, two } }));
    await until("the refusal", () => printed.includes("UNTRUSTED"), 10_000);
    await trustConfig(folder.path);
    await until("the second server", () => has("servers/two/second.ts"), 10_000);
    writeFileSync(config, '{"mcpServers": {');
    await until("the warning", () => printed.includes("CONFIG_INVALID"), 10_000);
    expect(has("servers/one/first.ts") && has("servers/two/second.ts")).toBe(true);
    writeFileSync(config, JSON.stringify({ mcpServers: { two } }));
    await until("the end of the first", () => !has("servers/one/first.ts"), 10_000);
    expect(has("servers/two/second.ts")).toBe(true);
  } finally {
    child.kill("SIGINT");
    await new Promise((resolve) => child.on("close", resolve));
  }
});

test("a watch whose reader is gone ends with its servers", async () => {
  using folder = temporaryFolder();
  const list = join(folder.path, "tools.json");
  writeFileSync(list, JSON.stringify([tool("one")]));
  await makeWorkspace(folder.path, { live: scripted({ watchFile: list }) });
  const child = startCli(folder.path, ["watch", "--json"]);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdout.destroy();
  writeFileSync(list, JSON.stringify([tool("one"), tool("two")]));
  expect(await ended).toBe(0);
}, 30_000);

test("a server that dies is told once, comes back with what it lists then, and one that keeps dying is down", async () => {
  using folder = temporaryFolder();
  const list = join(folder.path, "tools.json");
  const log = join(folder.path, "log");
  writeFileSync(list, JSON.stringify([tool("one")]));
  await makeWorkspace(folder.path, {
    live: scripted({ watchFile: list }, log),
    still: scripted({ tools: [tool("calm")] }),
  });
  const child = startCli(folder.path, ["watch"]);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += String(text)));
  const kill = (): void => {
    const { pid } = readServerLog(log).findLast(({ event }) => event === "start") ?? { pid: 0 };
    if (pid > 0) process.kill(pid, "SIGKILL");
  };
  const times = (text: string): number => printed.split(text).length - 1;
  try {
    await until("the watch", () => printed.includes("watching 2 servers"), 15_000);
    writeFileSync(list, "[]");
    await until("the empty list", () => !existsSync(join(folder.path, "servers/live/one.ts")), 10_000);
    const calm = statSync(join(folder.path, "servers/still/calm.ts")).mtimeMs;
    writeFileSync(list, JSON.stringify([tool("one"), tool("while_away")]));
    kill();
    await until("the loss", () => printed.includes("live: lost, connecting again."), 10_000);
    await until("the return", () => printed.includes("live: back, 2 tools"), 40_000);
    expect(existsSync(join(folder.path, "servers/live/whileAway.ts"))).toBe(true);
    expect(printed).toContain("SIGKILL");
    expect(statSync(join(folder.path, "servers/still/calm.ts")).mtimeMs).toBe(calm);
    // A damaged list ends the server at each start.
    writeFileSync(list, "[");
    kill();
    await until("the end of trying", () => printed.includes("live: down"), 60_000);
    expect(times("live: down")).toBe(1);
    expect(times("live: failed")).toBe(0);
    expect(existsSync(join(folder.path, "servers/live/whileAway.ts"))).toBe(true);
  } finally {
    child.kill("SIGINT");
    await new Promise((resolve) => child.on("close", resolve));
  }
}, 120_000);
