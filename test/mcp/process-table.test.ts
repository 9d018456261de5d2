import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createProcessTable } from "../../src/mcp/process-table.ts";
import { temporaryFolder, until } from "../servers/servers.ts";

/** A process that starts one child in its own group, one detached from its main thread, and one detached from a worker thread. */
const FAMILY = `
const { spawn } = require("node:child_process");
const { Worker, isMainThread } = require("node:worker_threads");
const sleep = ["-e", "setTimeout(() => {}, 60000)"];
const start = (detached) => console.log((detached ? "detached " : "own ") + spawn(process.execPath, sleep, { detached, stdio: "ignore" }).pid);
if (isMainThread) { start(false); start(true); new Worker(__filename); } else start(true);
setInterval(() => {}, 60000);
`;

const started: ChildProcess[] = [];
const pids: number[] = [];
afterEach(async () => {
  for (const pid of pids.splice(0)) process.kill(pid, "SIGKILL");
  for (const child of started.splice(0)) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});

describe.each(["linux", "darwin"] as const)("the process table of %s", (platform) => {
  // The reading of another POSIX system uses `ps`, which is here too.
  test("finds the groups that a process and its threads started detached, and no other", async () => {
    using folder = temporaryFolder();
    const script = join(folder.path, "family.cjs");
    writeFileSync(script, FAMILY);
    const family = spawn(process.execPath, [script], {
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(family);
    let printed = "";
    family.stdout.on("data", (text) => {
      printed += String(text);
    });
    await until("three children", () => printed.split("\n").length > 3, 10_000);
    const lines = printed
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
    pids.push(...lines.map(([, pid]) => Number(pid)));
    const detached = lines.filter(([kind]) => kind === "detached").map(([, pid]) => Number(pid));
    expect(detached).toHaveLength(2);
    const groups = await createProcessTable(platform).strayGroups(family.pid ?? 0);
    expect([...groups].sort()).toEqual([...detached].sort());
  });

  test("finds nothing below a process that is gone", async () => {
    const gone = spawn(process.execPath, ["-e", "0"]);
    await once(gone, "exit");
    expect(await createProcessTable(platform).strayGroups(gone.pid ?? 0)).toEqual([]);
  });
});
