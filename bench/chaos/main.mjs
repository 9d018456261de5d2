// Calls while everything goes wrong: npm run chaos [-- --calls N --minutes M --seed S --keep] (after npm run build; Linux).
// Ten servers over stdio and HTTP, of both generations, are killed, stalled, cut off and changed; the config is edited; hosts are
// killed with -9. In the end, and in pauses between, the tree has to be true, every call must have been made at most once and its
// outcome stand in a journal, and no process may be left. Prints a table; exits 1 on a violation. --keep leaves the folder.
import { fork, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pick, randomOf } from "../fidelity/random.mjs";
import { judgeCalls, judgeMemory, median, megabytes } from "./judge.mjs";
import { descendantsOf, killHost, processesWith, signal, stillRunning } from "./processes.mjs";
import { changeExtras } from "./tools.mjs";
import { createChaosWorkspace } from "./workspace.mjs";

const { values: given } = parseArgs({
  options: {
    calls: { type: "string", default: "20000" },
    minutes: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    keep: { type: "boolean", default: false },
  },
});
const [calls, minutes, seed] = [given.calls, given.minutes, given.seed].map(Number);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const base = mkdtempSync(join(tmpdir(), "mcpfs-chaos-"));
const random = randomOf(seed, "faults");

const FAULT_EVERY_MS = 400;
/** A pause, in which all has to become true, comes after so many calls. */
const CALM_EVERY = 3_000;
const CALM_MS = 60_000;
const READY_MS = 60_000;
/** The reaper's own pause is 0.3 s; the rest is for a loaded machine. */
const ORPHAN_MS = 10_000;
const startedMs = Date.now();
const violations = new Map();
const counts = new Map();
const outcomes = new Map();
const hosts = new Map();
/** Ids by host, of those that were not killed. */
const made = new Map();
const memory = [];
let callCount = 0;
let reads = 0;

const count = (what, by = 1) => counts.set(what, (counts.get(what) ?? 0) + by);
const violate = (what) => {
  const text = what.replaceAll(base, "…");
  if (!violations.has(text)) console.log(`! ${((Date.now() - startedMs) / 1000).toFixed(1)} s: ${text}`);
  violations.set(text, (violations.get(text) ?? 0) + 1);
};

const workspace = await createChaosWorkspace(base, random);
const childEnv = {
  ...process.env,
  CHAOS_ROOT: workspace.root,
  CHAOS_SEED: String(seed),
  MCPFS_HOME: join(base, "home"),
};

function startHost(name, isWatching) {
  const env = { ...childEnv, CHAOS_NAME: name, CHAOS_WATCHES: isWatching ? "1" : "0" };
  const child = fork(here("host.mjs"), { execArgv: ["--expose-gc"], env });
  const host = { name, child, isExpectedToEnd: false, waits: new Map(), servers: new Map() };
  made.set(name, new Set());
  hosts.set(name, host);
  child.on("message", (message) => hear(host, message));
  host.exited = new Promise((resolve) => child.once("exit", resolve));
  void host.exited.then((code) => {
    hosts.delete(name);
    for (const settle of host.waits.values()) settle();
    // 3: the config could not be read at that moment.
    if (!host.isExpectedToEnd && code !== 3) violate(`a host ended by itself with code ${code}`);
  });
  return host;
}

/** What was last heard of each server, for a violation to be understood by. */
const news = new Map();
const MAX_NEWS = 12;
function note(host, { kind, id, server, event, code, during, what }) {
  if (server === undefined) return;
  const words = [kind, event, during, code, id, what?.slice(0, 160)].filter((word) => word !== undefined);
  const line = `${((Date.now() - startedMs) / 1000).toFixed(1)} s ${host.name}: ${words.join(" ")}`;
  news.set(server, [...(news.get(server) ?? []), line].slice(-MAX_NEWS));
}

function hear(host, message) {
  const { kind, id, code, during } = message;
  note(host, message);
  if (kind === "made") {
    callCount += 1;
    made.get(host.name)?.add(id);
  } else if (kind === "outcome") {
    outcomes.set(id, message);
    count(`outcome ${code}`);
    if (!/^[A-Z]+(_[A-Z]+)*$|^ok$/.test(code)) violate(`a call ended as ${code}, which is no code of mcpfs`);
    if (code === "INTERNAL") violate("a call ended as INTERNAL");
  } else if (kind === "violation") violate(message.what);
  else if (kind === "failure") count(`failure in ${during}: ${code}`);
  else if (kind === "memory" && host.name === "a") memory.push(message);
  else if (kind === "event") {
    count(`watch: ${message.event}`);
    if (message.server !== undefined) host.servers.set(message.server, message.event);
  }
  host.waits.get(kind)?.();
}

/** Waits until a host says so, or is gone. */
const until = (host, kind) => new Promise((resolve) => host.waits.set(kind, resolve));

const faults = {
  "server killed": { share: 5, make: () => killServer() },
  "server stalled": { share: 4, make: () => stallServer() },
  "list changed": { share: 4, make: () => changeExtras(pick(random, workspace.servers).listFile, random) },
  "list changed often": { share: 1, make: () => changeOften() },
  "config edited": { share: 3, make: () => workspace.edit() },
  "host killed": { share: 1, make: () => replaceHost() },
};
const choices = Object.entries(faults).flatMap(([name, { share }]) => Array(share).fill(name));

function anyServerProcess() {
  const ports = workspace.servers.map(({ process: child }) => child?.pid).filter((pid) => pid !== undefined);
  const pids = processesWith(base).map(({ pid }) => pid);
  return pick(random, [...new Set([...pids, ...ports])]);
}

function killServer() {
  const pid = anyServerProcess();
  if (pid !== undefined) signal(pid, "SIGKILL");
}

const stalled = new Set();
function stallServer() {
  const pid = anyServerProcess();
  if (pid === undefined) return;
  signal(pid, "SIGSTOP");
  stalled.add(pid);
  setTimeout(() => wake(pid), 500 + random() * 3_500);
}
function wake(pid) {
  if (stalled.delete(pid)) signal(pid, "SIGCONT");
}

async function changeOften() {
  const { listFile } = pick(random, workspace.servers);
  for (let time = 0; time < 20; time += 1) {
    changeExtras(listFile, random);
    utimesSync(listFile, new Date(), new Date());
    await pause(10);
  }
}

let generation = 0;
/** The second host: killed in the middle of what it does, and followed by another, which watches every other time. */
let second;
async function replaceHost() {
  if (second !== undefined) await endBy(second, () => killHost(second.child.pid, ORPHAN_MS));
  generation += 1;
  second = startHost(`b${generation}`, generation % 2 === 0);
}

async function endBy(host, end) {
  host.isExpectedToEnd = true;
  made.delete(host.name);
  const left = await end();
  for (const { command } of left)
    violate(`a process outlived its host by ${ORPHAN_MS} ms: ${command.slice(0, 200)}`);
  await host.exited;
}

/** No faults for a while: what is in the tree now has to become what the servers list. */
async function calm() {
  for (const pid of [...stalled]) wake(pid);
  workspace.restore();
  if (second === undefined || !hosts.has(second.name)) await replaceHost();
  const told = [...hosts.values()].map((host) => {
    const done = until(host, "calm");
    host.child.send("calm");
    return done;
  });
  await Promise.race([Promise.all(told), pause(CALM_MS)]);
  const stopBy = Date.now() + CALM_MS;
  while (workspace.untrue().length > 0 && Date.now() < stopBy) await pause(50);
  for (const { name, kind } of workspace.untrue())
    violate(
      [
        `the tree of ${name} (${kind}) is not what it lists, ${CALM_MS} ms after the last fault; heard of it:`,
        ...(news.get(name) ?? []),
      ].join("\n    "),
    );
  count("pauses in which the tree became true");
  // The last sync may still be at work on the files beside the definitions.
  await pause(500);
  const left = readdirSync(join(workspace.root, "servers"), { recursive: true }).filter((name) =>
    /\.\d{5,}$/.test(name),
  );
  for (const name of left) violate(`a temporary file was left: ${name}`);
}

async function chaos(host) {
  const stopBy = startedMs + minutes * 60_000;
  let nextCalm = CALM_EVERY;
  while (callCount < calls && Date.now() < stopBy) {
    const fault = pick(random, choices);
    count(`fault: ${fault}`);
    await faults[fault].make();
    await pause(random() * 2 * FAULT_EVERY_MS);
    if (!hosts.has(host.name)) return;
    if (second !== undefined && !hosts.has(second.name)) await replaceHost();
    if (callCount < nextCalm || callCount >= calls) continue;
    nextCalm += CALM_EVERY;
    await calm();
    for (const one of hosts.values()) one.child.send("go");
  }
  await calm();
}

async function finish(host) {
  if (second !== undefined && hosts.has(second.name)) {
    const below = descendantsOf(second.child.pid);
    const ended = until(second, "ended");
    second.isExpectedToEnd = true;
    second.child.send("end");
    if (!(await Promise.race([Promise.all([ended, second.exited]).then(() => true), pause(CALM_MS)])))
      violate("a host did not end in order");
    await pause(500);
    for (const { command } of stillRunning(below))
      violate(`a process outlived a host that ended in order: ${command}`);
  }
  const ids = [...made.values()].flatMap((own) => [...own]);
  await endBy(host, () => killHost(host.child.pid, ORPHAN_MS));
  const ports = new Set(workspace.servers.map(({ process: child }) => child?.pid));
  for (const { pid, command } of processesWith(base))
    if (!ports.has(pid)) violate(`a process is left: ${command}`);
  // What was learned from the last answers stands in the tree after the next sync only.
  cli("sync", "--offline");
  const check = cli("sync", "--check");
  if (check.status !== 0)
    violate(`sync --check after the run exits ${check.status}: ${check.stdout}${check.stderr}`);
  return ids;
}

function cli(...words) {
  const args = [here("../../dist/cli.js"), "-C", workspace.root, ...words];
  return spawnSync(process.execPath, args, { encoding: "utf8", env: childEnv });
}

// Its esbuild has words of its own when it is killed.
const reader = fork(here("reader.mjs"), { env: childEnv, stdio: ["ignore", "ignore", "ignore", "ipc"] });
reader.on("message", (message) => {
  if (message.kind === "violation") violate(message.what);
  else reads = message.reads;
});
console.log(`chaos: up to ${calls} calls or ${minutes} minutes, seed ${seed}`);
const long = startHost("a", true);
await Promise.race([until(long, "ready"), pause(READY_MS)]);
await chaos(long);
const ids = hosts.has(long.name) ? await finish(long) : [];
reader.kill();
workspace.close();

const judged = judgeCalls({ root: workspace.root, logFile: workspace.logFile, outcomes, made: ids });
for (const fault of judged.faults) violate(fault);
const leak = judgeMemory(memory);
if (leak !== undefined) violate(leak);
printTable();
if (!given.keep) rmSync(base, { recursive: true, force: true, maxRetries: 5 });
else console.log(base);
process.exit(violations.size === 0 ? 0 : 1);

function printTable() {
  const rows = [
    ["seconds", Math.round((Date.now() - startedMs) / 1000)],
    ["calls made", callCount],
    ["calls recorded in journals", judged.recorded],
    ["calls received by servers", judged.received],
    ...Object.entries(judged.effects).map(([effect, number]) => [
      `recorded as ${effect === "open" ? "sent, and no more: the host was killed" : effect}`,
      number,
    ]),
    ...[...counts].sort(([a], [b]) => a.localeCompare(b)),
    ["files read while they were written", reads],
    [
      "heap of the long-lived host, MB: after the start, at the end",
      `${megabytes(median(memory.slice(0, 5)))}, ${megabytes(median(memory.slice(-5)))}`,
    ],
    [
      "its resident memory, MB: after the start, at the end",
      [memory[0], memory.at(-1)].map((sample) => megabytes(sample?.rss ?? 0)).join(", "),
    ],
    ["violations", violations.size],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${String(value).padStart(8)}`);
}
