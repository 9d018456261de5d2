// A workspace of 300 servers with 10,000 tools, each server a process of its own: cold sync, syncs without a change, and a
// watch that has nothing to do. Prints one line a figure with its bound; exits 1 when a bound is broken.
// Usage: node bench/scale.mjs [servers] [tools in all] [seconds of watching]          (after npm run build; Linux)
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const [servers = 300, tools = 10_000, watchSeconds = 30] = process.argv.slice(2).map(Number);
const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const serverFile = fileURLToPath(new URL("scale-server.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mcpfs-scale-"));
const log = join(folder, "starts.log");
const env = { ...process.env, MCPFS_HOME: join(folder, "home") };
let broken = 0;

try {
  writeFileSync(log, "");
  baseline("node -e 0, s", Math.min(...[1, 2, 3].map(() => timed("-e", "0"))));
  const perServer = (at) => Math.floor(tools / servers) + (at < tools % servers ? 1 : 0);
  const mcpServers = Object.fromEntries(
    Array.from({ length: servers }, (_, at) => [
      `area-${String(at).padStart(3, "0")}`,
      { command: process.execPath, args: [serverFile, String(at), String(perServer(at)), log] },
    ]),
  );
  writeFileSync(join(folder, "mcpfs.json"), JSON.stringify({ mcpServers }));
  run("trust", "--yes");

  const cold = run("--json", "sync");
  const report = JSON.parse(cold.stdout);
  const failed = report.servers.filter((server) => server.status !== "ok");
  for (const { name, error } of failed.slice(0, 3))
    console.log(`  ${name}: ${error?.code}: ${error?.message}`);
  figure(
    "tools in the workspace",
    report.servers.reduce((sum, server) => sum + server.tools, 0),
    tools,
    "exactly",
  );
  figure("cold sync, s", cold.seconds, 60);
  figure("servers starting at once", mostAtOnce(), 16);
  const offline = Math.min(...[1, 2, 3].map(() => run("sync", "--offline").seconds));
  figure("sync without a change, no server asked, s", offline, 1);
  const again = run("--json", "sync");
  figure("sync without a change, all servers asked, s", again.seconds, 60);
  const { files } = JSON.parse(again.stdout);
  figure("files written by it", files.written + files.deleted, 0, "exactly");
  figure("ls of one server, s", run("ls", "area-000").seconds, 1);
  figure("search, s", run("search", "export a deployment").seconds, 2);
  await watchIdle();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(broken === 0 ? 0 : 1);

/** Seconds that a bare Node.js takes for it. */
function timed(...args) {
  const start = performance.now();
  spawnSync(process.execPath, args);
  return (performance.now() - start) / 1000;
}

function run(...args) {
  const start = performance.now();
  const { stdout, stderr, status } = spawnSync(process.execPath, [cli, "-C", folder, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 30,
    env,
  });
  if (status !== 0 && !args.includes("--json")) throw new Error(`${args.join(" ")}: ${stderr}`);
  return { stdout, seconds: (performance.now() - start) / 1000 };
}

/** The most servers that were between their start and their list at one moment. */
function mostAtOnce() {
  let open = 0;
  let most = 0;
  for (const line of readFileSync(log, "utf8").trim().split("\n").sort()) {
    open += line.includes(" start ") ? 1 : -1;
    most = Math.max(most, open);
  }
  return most;
}

async function watchIdle() {
  const start = performance.now();
  const watch = spawn(process.execPath, [cli, "-C", folder, "watch"], { env });
  let printed = "";
  for (const stream of [watch.stdout, watch.stderr]) stream.on("data", (text) => (printed += String(text)));
  const ended = new Promise((resolve) => watch.once("close", resolve));
  while (!printed.includes("watching ")) await sleep(50);
  figure("watch ready, s", (performance.now() - start) / 1000, 60);
  await sleep(10_000);
  const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await sleep(1000);
  const before = [watch, bare].map(({ pid }) => cpuSeconds(pid));
  await sleep(watchSeconds * 1000);
  const [ofWatch, ofBare] = [watch, bare].map(
    ({ pid }, at) => ((cpuSeconds(pid) - before[at]) / watchSeconds) * 100,
  );
  bare.kill();
  baseline("a bare timer once a second, % of a core", ofBare);
  figure("watch idle, % of a core", ofWatch, 1);
  figure("watch idle, MB", memoryMb(watch.pid), 250);
  const children = pids();
  watch.kill("SIGINT");
  await ended;
  await sleep(500);
  figure("server processes left", children.filter(isAlive).length, 0, "exactly");
}

function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function memoryMb(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

function pids() {
  return [
    ...new Set(
      readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[2]),
    ),
  ];
}

function isAlive(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return (
      stat[stat.lastIndexOf(")") + 2] !== "Z" &&
      readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("scale-server")
    );
  } catch {
    return false;
  }
}

/** What the same moment of the same machine gives for nothing. */
function baseline(name, value) {
  console.log(`  ${name.padEnd(46)} ${value.toFixed(2).padStart(8)}   baseline`);
}

function figure(name, value, bound, how = "at most") {
  const isRight = how === "exactly" ? value === bound : value <= bound;
  if (!isRight) broken += 1;
  const shown = Number.isInteger(value) ? value.toLocaleString("en-US") : value.toFixed(2);
  console.log(
    `${isRight ? " " : "!"} ${name.padEnd(46)} ${shown.padStart(8)}   ${how} ${bound.toLocaleString("en-US")}`,
  );
}
