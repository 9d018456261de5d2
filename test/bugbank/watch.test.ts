import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isAlive, readServerLog, received, scripted, temporaryFolder, until } from "../servers/servers.ts";
import { watchedHost, writeServers } from "./watched-host.ts";

const tool = (name: string): object => ({ name, inputSchema: { type: "object" } });

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
