import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isAlive, readServerLog, received, scripted, temporaryFolder, until } from "../servers/servers.ts";
import { watchedHost, writeServers } from "./watched-host.ts";

const tool = (name: string): object => ({ name, inputSchema: { type: "object" } });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** When each file below a folder was written. */
function timesOf(folder: string): Readonly<Record<string, number>> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    files
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [path, statSync(join(folder, path)).mtimeMs]),
  );
}

// M8
describe("watch-restart-kills-inflight", () => {
  test("a call outlives two edits of its server; then its process goes, and the next run is of the new config", async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "log");
    const spec = (answer: string): Record<string, unknown> => ({
      tools: [tool("slow")],
      answers: { slow: { delayMs: 2_500, text: answer } },
    });
    const still = scripted({ tools: [tool("calm")] });
    writeServers(folder.path, { s: scripted(spec("old"), log), still });
    await using watched = await watchedHost(folder.path);
    const { host } = watched;
    const call = async (): Promise<unknown> => {
      const text = 'return await callMCPTool("s__slow", {});';
      return (await host.run({ path: undefined, name: "script.ts", text })).value;
    };
    const open = call();
    await until("the call", () => received(log, "tools/call").length === 1, 10_000);
    const [first = 0] = readServerLog(log).map(({ pid }) => pid);
    writeServers(folder.path, { s: scripted(spec("new"), log), still });
    await new Promise((resolve) => setTimeout(resolve, 700));
    writeServers(folder.path, { still });
    expect(await open).toBe("old");
    await until("the end of its process", () => !isAlive(first), 5_000);
    await until("the end of its wrapper", () => !existsSync(join(folder.path, "servers/s/slow.ts")), 5_000);
    writeServers(folder.path, { s: scripted(spec("new"), log), still });
    await until("its wrapper again", () => existsSync(join(folder.path, "servers/s/slow.ts")), 10_000);
    expect(await call()).toBe("new");
  });
});

describe("watch-self-trigger-loop", () => {
  test("a watch that nobody disturbs writes nothing and computes nothing, and files of scripts do not wake it", async () => {
    using folder = temporaryFolder();
    writeServers(folder.path, { calm: scripted({ tools: [tool("one")] }) });
    await using watched = await watchedHost(folder.path);
    const before = timesOf(folder.path);
    const told = watched.events.length;
    const cpu = process.cpuUsage();
    await pause(2_500);
    mkdirSync(join(folder.path, "skills", "mine"), { recursive: true });
    writeFileSync(join(folder.path, "skills", "mine", "index.ts"), "export default 1;");
    mkdirSync(join(folder.path, "workspace"), { recursive: true });
    writeFileSync(join(folder.path, "workspace", "out.txt"), "written by a script");
    await pause(2_500);
    const { user, system } = process.cpuUsage(cpu);
    // Of five seconds; one turn of a loop that wakes itself takes longer.
    expect((user + system) / 1_000_000).toBeLessThan(2);
    expect(watched.events.length).toBe(told);
    expect(timesOf(folder.path)).toMatchObject(before);
  });
});

describe("watch-only-first-change", () => {
  test("a config that goes missing is told once, changes nothing, and counts again when it is back", async () => {
    using folder = temporaryFolder();
    const first = scripted({ tools: [tool("one")] });
    writeServers(folder.path, { first });
    await using watched = await watchedHost(folder.path);
    const failures = (): number => watched.events.filter(({ kind }) => kind === "failed").length;
    rmSync(join(folder.path, "mcpfs.json"));
    await until("the loss", () => failures() === 1, 10_000);
    await pause(3_000);
    expect(failures()).toBe(1);
    expect(existsSync(join(folder.path, "servers/first/one.ts"))).toBe(true);
    writeServers(folder.path, { first, second: scripted({ tools: [tool("two")] }) });
    await until("the second server", () => existsSync(join(folder.path, "servers/second/two.ts")), 10_000);
    expect(failures()).toBe(1);
  });
});

describe("one server that does not answer", () => {
  test("keeps no change of another from the tree", async () => {
    using folder = temporaryFolder();
    const list = join(folder.path, "tools.json");
    const other = join(folder.path, "other.json");
    for (const path of [list, other]) writeFileSync(path, JSON.stringify([tool("one")]));
    writeServers(folder.path, {
      live: scripted({ watchFile: list }),
      // The first list is answered in time; from the change on it takes longer than the test.
      stuck: scripted({ watchFile: other, listDelayMs: 4_000 }),
    });
    await using watched = await watchedHost(folder.path);
    expect(watched.events).not.toEqual([]);
    writeFileSync(other, JSON.stringify([tool("one"), tool("two")]));
    await new Promise((resolve) => setTimeout(resolve, 400));
    const startMs = Date.now();
    writeFileSync(list, JSON.stringify([tool("one"), tool("quick")]));
    await until("the change", () => existsSync(join(folder.path, "servers/live/quick.ts")), 4_000);
    expect(Date.now() - startMs).toBeLessThan(3_000);
    expect(existsSync(join(folder.path, "servers/stuck/two.ts"))).toBe(false);
    await until("the late one", () => existsSync(join(folder.path, "servers/stuck/two.ts")), 10_000);
  });
});

describe("an edit of mcpfs.json", () => {
  test("that falls into the first sync is not lost", async () => {
    using folder = temporaryFolder();
    const slow = scripted({ tools: [tool("one")], listDelayMs: 1_500 });
    writeServers(folder.path, { slow });
    const opening = watchedHost(folder.path);
    await new Promise((resolve) => setTimeout(resolve, 900));
    writeServers(folder.path, { slow, late: scripted({ tools: [tool("two")] }) });
    await using watched = await opening;
    expect(watched.events).not.toEqual([]);
    await until("the new server", () => existsSync(join(folder.path, "servers/late/two.ts")), 10_000);
  });
});

describe("a list that was asked for earlier", () => {
  test("does not undo what a later one has written", async () => {
    using folder = temporaryFolder();
    const list = join(folder.path, "tools.json");
    writeFileSync(list, JSON.stringify([tool("one")]));
    writeServers(folder.path, {
      live: scripted({ watchFile: list }),
      slow: scripted({ tools: [tool("calm")], listDelayMs: 2_000 }),
    });
    await using watched = await watchedHost(folder.path);
    // It has the old list of `live` long before `slow` lets it write.
    const whole = watched.host.sync();
    await new Promise((resolve) => setTimeout(resolve, 500));
    writeFileSync(list, JSON.stringify([tool("one"), tool("newer")]));
    await until("the change", () => existsSync(join(folder.path, "servers/live/newer.ts")), 5_000);
    await whole;
    expect(existsSync(join(folder.path, "servers/live/newer.ts"))).toBe(true);
  });
});
