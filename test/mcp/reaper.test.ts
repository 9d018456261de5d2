import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createReaper } from "../../src/mcp/reaper.ts";
import { isAlive, readServerLog, scripted, temporaryFolder, until } from "../servers/servers.ts";

// In node_modules, so that the packages it imports are found, and git does not see it.
const hostFile = join(import.meta.dirname, `../../node_modules/.cache/mcpfs-test/host-${process.pid}.mjs`);
beforeAll(async () => {
  // Node.js 20 runs no TypeScript.
  await build({
    entryPoints: [join(import.meta.dirname, "host.ts")],
    outfile: hostFile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
});
afterAll(() => {
  rmSync(hostFile, { force: true });
});

/** Everything in the process table that this process started, at any depth; reapers included. */
function descendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // Gone between the listing and the reading.
    }
  }
  const found = [pid];
  for (const parent of found) for (const [child, its] of parents) if (its === parent) found.push(child);
  return found.slice(1);
}

function isReaper(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("trap '' INT TERM HUP");
  } catch {
    return false;
  }
}

async function startHost(
  log: string,
  specs: readonly Record<string, unknown>[],
  setUp = ":",
): Promise<{ host: ChildProcess; pids: number[] }> {
  const commands = specs.map((spec) => scripted(spec, log));
  const run = [process.execPath, hostFile, JSON.stringify(commands)];
  const host = spawn("/bin/sh", ["-c", `${setUp}; exec "$@"`, "sh", ...run], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  host.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await until("the host is connected", () => text.includes("connected"), 20_000);
  // The SDK's client has messages that it prints to stdout, which is the host's answer.
  expect(text).toBe("connected\n");
  const noted = readServerLog(log).filter((entry) => entry.event === "start" || entry.event === "grandchild");
  for (const { pid } of noted) expect(isAlive(pid)).toBe(true);
  // A shell among them may have had a child that is gone by now.
  const pids = [...new Set([...noted.map(({ pid }) => pid), ...descendants(host.pid ?? 0).filter(isAlive)])];
  return { host, pids };
}

const stubborn = { ignoreStdinEnd: true, ignoreTerm: true, grandchild: true };

describe.skipIf(process.platform !== "linux")("no server is left within two seconds", () => {
  test.each([
    ["killed with -9", (host: ChildProcess) => host.kill("SIGKILL")],
    ["ended by SIGTERM", (host: ChildProcess) => host.kill("SIGTERM")],
    ["ended by SIGINT", (host: ChildProcess) => host.kill("SIGINT")],
    ["hung up", (host: ChildProcess) => host.kill("SIGHUP")],
    ["ended by process.exit", (host: ChildProcess) => host.stdin?.write("exit\n")],
    ["ended in order", (host: ChildProcess) => host.stdin?.write("close\n")],
  ])(
    "when the host is %s, not even one that ignores stdin end and SIGTERM, nor its grandchild",
    async (_name, end) => {
      using folder = temporaryFolder();
      const { host, pids } = await startHost(join(folder.path, "log"), [
        stubborn,
        { grandchild: true, capabilities: {} },
      ]);
      // Two servers, two grandchildren with a `sleep` each, and the reaper.
      expect(pids.length).toBeGreaterThanOrEqual(5);
      end(host);
      await until("everything is gone", () => !pids.some(isAlive) && !isAlive(host.pid ?? 0), 2_000);
    },
  );

  test.each(["SIGKILL", "close"])("a grandchild in a group of its own ends too (%s)", async (how) => {
    using folder = temporaryFolder();
    const specs = [{ ...stubborn, grandchild: "detached" }];
    const { host, pids } = await startHost(join(folder.path, "log"), specs);
    if (how === "close") host.stdin?.write("close\n");
    else host.kill("SIGKILL");
    await until("everything is gone", () => !pids.some(isAlive), 2_000);
  });

  test("a Ctrl-C for the whole foreground group does not end the reaper before the host", async () => {
    using folder = temporaryFolder();
    const { host, pids } = await startHost(join(folder.path, "log"), [stubborn]);
    const [reaper = 0] = descendants(host.pid ?? 0).filter(isReaper);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(reaper, signal);
    await sleep(50);
    expect(isAlive(reaper)).toBe(true);
    host.kill("SIGKILL");
    await until("everything is gone", () => !pids.some(isAlive), 2_000);
  });

  test("a reaper that was ended by somebody is replaced and knows what it has to end", async () => {
    using folder = temporaryFolder();
    const { host, pids } = await startHost(join(folder.path, "log"), [stubborn]);
    const reapers = (): number[] => descendants(host.pid ?? 0).filter(isReaper);
    const [first = 0] = reapers();
    process.kill(first, "SIGKILL");
    await until("another reaper runs", () => reapers().some((pid) => pid !== first));
    host.kill("SIGKILL");
    await until("everything is gone", () => !pids.some(isAlive), 2_000);
  });
});

test.skipIf(process.platform !== "linux")(
  "a host that may open no more files fails to start a server, lives on, and starts it when it may again",
  async () => {
    using folder = temporaryFolder();
    const { host, pids } = await startHost(join(folder.path, "log"), [{}], "ulimit -n 200");
    let said = "";
    host.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    host.stdin?.write("exhaust\n");
    await until("it has tried twice or ended", () => said.includes("\n") || host.exitCode !== null, 20_000);
    expect(JSON.parse(said)).toEqual({
      code: "SERVER_FAILED",
      message: expect.stringContaining("EMFILE"),
      hint: expect.stringContaining("ulimit -n"),
      connected: "s0",
    });
    const reapers = descendants(host.pid ?? 0).filter(isReaper);
    expect(reapers).toHaveLength(2);
    pids.push(...descendants(host.pid ?? 0));
    host.kill("SIGKILL");
    await until("everything is gone", () => !pids.some(isAlive), 2_000);
  },
);

describe.skipIf(process.platform === "win32")("the reaper", () => {
  const group = (): ChildProcess => spawn("sleep", ["60"], { detached: true, stdio: "ignore" });

  test("ends what is registered and spares what was taken back", async () => {
    const [kept, ended, alsoEnded] = [group(), group(), group()];
    const reaper = createReaper(process.platform);
    for (const child of [kept, ended, alsoEnded]) reaper.register(child.pid ?? 0);
    reaper.unregister(kept.pid ?? 0);
    await reaper.close();
    await sleep(50);
    expect([kept, ended, alsoEnded].map((child) => isAlive(child.pid ?? 0))).toEqual([true, false, false]);
    kept.kill("SIGKILL");
  });

  test.skipIf(process.platform !== "linux")(
    "ends a server whose start was announced and that the host had no time to register, and none of another host",
    async () => {
      const [reaper, other] = [createReaper(process.platform), createReaper(process.platform)];
      const marked = ({ mark }: typeof reaper): ChildProcess =>
        spawn("sleep", ["60"], { detached: true, stdio: "ignore", env: { [mark.name]: mark.value } });
      reaper.start();
      const [ours, foreign] = [marked(reaper), marked(other)];
      await reaper.close();
      await until("its end", () => !isAlive(ours.pid ?? 0), 2_000);
      expect(isAlive(foreign.pid ?? 0)).toBe(true);
      foreign.kill("SIGKILL");
    },
  );

  test("starts with the first server, and closing it twice is fine", async () => {
    const reapers = (): number[] => descendants(process.pid).filter(isReaper);
    const reaper = createReaper(process.platform);
    expect(reapers()).toEqual([]);
    reaper.start();
    await until("it runs", () => reapers().length === 1);
    await reaper.close();
    await reaper.close();
    expect(reapers().filter(isAlive)).toEqual([]);
  });
});
