import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isAlive, readServerLog, scripted, temporaryFolder, until } from "../servers/servers.ts";
import { makeWorkspace, runCli, startCli, writeFiles } from "./run-cli.ts";

/** A server that does not want to go: ignores the end of stdin and SIGTERM, and has a child that does, too. */
function stubborn(logFile: string): unknown {
  const tools = [
    { name: "hang", inputSchema: { type: "object" } },
    { name: "get", inputSchema: { type: "object" } },
  ];
  return scripted(
    { tools, answers: { hang: { never: true } }, ignoreStdinEnd: true, ignoreTerm: true, grandchild: true },
    logFile,
  );
}

const pids = (logFile: string): readonly number[] => [
  ...new Set(readServerLog(logFile).map((entry) => entry.pid)),
];

async function expectAllGone(logFile: string, least: number): Promise<void> {
  expect(pids(logFile).length).toBeGreaterThanOrEqual(least);
  await until("the end of every process", () => pids(logFile).every((pid) => !isAlive(pid)), 2_000);
}

// M1
describe("no process outlives its command by two seconds", () => {
  test.each<[string, readonly string[]]>([
    ["sync", ["sync"]],
    ["call", ["call", "odd/get"]],
    ["exec", ["exec", "get.ts"]],
    ["an exec that is stopped by a limit", ["exec", "hang.ts", "--timeout", "1s"]],
  ])("%s", async (_name, args) => {
    using folder = temporaryFolder();
    const logFile = join(folder.path, "log");
    await makeWorkspace(folder.path, { odd: stubborn(logFile) });
    writeFiles(folder.path, {
      "get.ts": 'import { get } from "./servers/odd"; await get({});',
      "hang.ts": 'import { hang } from "./servers/odd"; await hang({});',
    });
    await runCli(folder.path, args);
    await expectAllGone(logFile, 4);
  });

  test.each<[string, NodeJS.Signals]>([
    ["killed with -9", "SIGKILL"],
    ["asked to end", "SIGTERM"],
    ["interrupted with Ctrl-C", "SIGINT"],
  ])("an exec that is %s in the middle of a call", async (_name, signal) => {
    using folder = temporaryFolder();
    const logFile = join(folder.path, "log");
    await makeWorkspace(folder.path, { odd: stubborn(logFile) });
    writeFiles(folder.path, { "hang.ts": 'import { hang } from "./servers/odd"; await hang({});' });
    const before = pids(logFile).length;
    const child = startCli(folder.path, ["exec", "hang.ts"]);
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const isCalled = (): boolean =>
      readServerLog(logFile).some((entry) => entry.line?.includes('"tools/call"') ?? false);
    await until("the call", isCalled, 15_000);
    child.kill(signal);
    const code = await ended;
    if (signal !== "SIGKILL") expect(code).toBe(130);
    await expectAllGone(logFile, before + 2);
  });

  test.each<[string, NodeJS.Signals]>([
    ["killed with -9", "SIGKILL"],
    ["interrupted with Ctrl-C", "SIGINT"],
  ])("a watch that is %s", async (_name, signal) => {
    using folder = temporaryFolder();
    const logFile = join(folder.path, "log");
    await makeWorkspace(folder.path, { odd: stubborn(logFile) });
    const child = startCli(folder.path, ["watch"]);
    let printed = "";
    child.stderr.on("data", (text) => {
      printed += String(text);
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    await until("the watch", () => printed.includes("watching"), 15_000);
    child.kill(signal);
    await ended;
    await expectAllGone(logFile, 4);
  });
});
