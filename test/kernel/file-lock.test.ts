import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { withFileLock } from "../../src/kernel/file-lock.ts";
import { pause } from "../../src/kernel/wait.ts";

let folder: string;
let path: string;
let program: string;
const children: ChildProcess[] = [];

/** A process that takes the lock and adds one to a file, slowly, as often as it is told; or holds it for ever. */
const PROGRAM = `
import { readFile, writeFile } from "node:fs/promises";
import { withFileLock } from ${JSON.stringify(fileURLToPath(new URL("../../src/kernel/file-lock.ts", import.meta.url)))};
const [path, counter, times] = process.argv.slice(2);
for (let time = 0; time < Number(times); time += 1) {
  await withFileLock(path, async () => {
    const value = Number(await readFile(counter, "utf8"));
    await new Promise((resolve) => setTimeout(resolve, 2));
    await writeFile(counter, String(value + 1));
  });
}
if (times === "hold") {
  await withFileLock(path, async () => {
    console.log("held");
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  });
}
`;

beforeAll(async () => {
  const out = await mkdtemp(join(tmpdir(), "mcpfs-lock-program-"));
  program = join(out, "program.mjs");
  buildSync({
    stdin: { contents: PROGRAM, resolveDir: out, loader: "ts" },
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["write-file-atomic"],
  });
});

afterAll(async () => {
  await rm(join(program, ".."), { recursive: true, force: true });
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcpfs-lock-"));
  path = join(folder, ".mcpfs", "lock");
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

function start(...words: string[]): ChildProcess {
  const child = spawn(process.execPath, [program, path, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return child;
}

async function countUnderLock(processes: number, times: number): Promise<number> {
  const counter = join(folder, "counter");
  await writeFile(counter, "0");
  const ends = Array.from({ length: processes }, () => once(start(counter, String(times)), "exit"));
  for (const end of ends) expect((await end)[0]).toBe(0);
  return Number(await readFile(counter, "utf8"));
}

test("tasks of one process hold it one after the other, also when one fails", async () => {
  let holders = 0;
  const work = async (index: number): Promise<void> => {
    holders += 1;
    expect(holders).toBe(1);
    await pause(1);
    holders -= 1;
    if (index % 3 === 0) throw new Error("work failed");
  };
  const ends = await Promise.allSettled(
    Array.from({ length: 12 }, (_, index) => withFileLock(path, () => work(index))),
  );
  expect(ends.filter((end) => end.status === "rejected")).toHaveLength(4);
  expect(await readdir(join(folder, ".mcpfs"))).toEqual([]);
});

test("whoever waits longer comes first, and what a killed waiter left is removed", async () => {
  const order: number[] = [];
  const waits: Promise<void>[] = [];
  await withFileLock(path, async () => {
    const killed = start("", "hold");
    await pause(700);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    for (let index = 0; index < 10; index += 1) {
      waits.push(withFileLock(path, async () => void order.push(index)));
      await pause(5);
    }
    expect((await readdir(join(folder, ".mcpfs"))).length).toBeGreaterThan(10);
  });
  await Promise.all(waits);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await readdir(join(folder, ".mcpfs"))).toEqual([]);
});

test("processes that add to one file under the lock lose no step and leave no file", async () => {
  expect(await countUnderLock(3, 25)).toBe(75);
  expect(await readdir(join(folder, ".mcpfs"))).toEqual([]);
});

test("the lock of a process killed with -9 is taken over by one waiter at a time", async () => {
  const holder = start("", "hold");
  await once(holder.stdout ?? holder, "data");
  const counting = countUnderLock(3, 10);
  await pause(300);
  expect(await readFile(join(folder, "counter"), "utf8")).toBe("0");
  holder.kill("SIGKILL");
  expect(await counting).toBe(30);
  expect(await readdir(join(folder, ".mcpfs"))).toEqual([]);
});

const dead = { pid: 2 ** 22 + 1, host: hostname(), start: "1", token: "t" };

test.each([
  ["of a process that does not exist", JSON.stringify(dead)],
  ["that was never filled", ""],
  ["cut off", '{"pid":'],
])("an abandoned lock %s is taken over", async (_what, text) => {
  await withFileLock(path, async () => {});
  await writeFile(path, text);
  expect(await withFileLock(path, async () => "mine")).toBe("mine");
});

test.skipIf(process.platform !== "linux")(
  "a lock whose process id went to another process is taken over",
  async () => {
    await withFileLock(path, async () => {});
    await writeFile(path, JSON.stringify({ ...dead, pid: process.ppid }));
    expect(await withFileLock(path, async () => "mine")).toBe("mine");
    await writeFile(path, JSON.stringify({ ...dead, pid: process.pid }));
    expect(await withFileLock(path, async () => "mine")).toBe("mine");
  },
);

test("a lock of another machine is not judged", async () => {
  await withFileLock(path, async () => {});
  await writeFile(path, JSON.stringify({ ...dead, host: "another-machine" }));
  const waiting = withFileLock(path, async () => "mine");
  expect(await Promise.race([waiting, pause(500).then(() => "waits")])).toBe("waits");
  await rm(path);
  expect(await waiting).toBe("mine");
});
