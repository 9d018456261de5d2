/*
 * Kills runs (-9) at a random moment and resumes them until they are done: `npm run crashes -- [--runs 1000] [--seed N] [--at-once 2]`.
 * Each random script runs once undisturbed, and once killed one to three times. Then the servers' own log must hold each effect that may
 * not be repeated exactly once, or not more than once where the run reports it as unknown and waits for a person; that person then allows
 * it, and the value must be that of the undisturbed run. Exits 1 when anything else was seen; a failure prints its seed, which runs it again with --runs 1.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openWorkspace } from "../dist/index.js";
import { createRandom, randomScript } from "./crashes/random-script.mjs";

const here = (name) => fileURLToPath(new URL(`./crashes/${name}`, import.meta.url));
const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Date.now() % 1e9) },
    "at-once": { type: "string", default: "2" },
  },
});
const runs = Number(options.runs);
const firstSeed = Number(options.seed);

const root = mkdtempSync(join(tmpdir(), "mcpfs-crashes-"));
process.env.MCPFS_HOME = join(root, "home");
const log = join(root, "effects.log");
writeFileSync(log, "");
writeFileSync(
  join(root, "mcpfs.json"),
  JSON.stringify({
    mcpServers: { box: { command: process.execPath, args: [here("server.mjs"), log] } },
    policy: "open",
    runs: { keepRuns: 1_000_000 },
  }),
);
const workspace = await openWorkspace(root);
await workspace.trust();
await workspace.sync();
const trust = workspace.trustDigest();

/**
 * Runs the host process. It is killed `afterMs` after it began, or, for `mark`, after the first call that the server gets from it for
 * that run.
 */
async function attempt(words, kill) {
  const child = spawn(process.execPath, [here("host.mjs"), root, trust, JSON.stringify(words)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  let timer;
  const die = () => child.kill("SIGKILL");
  const from = statSync(log).size;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
    if (kill === undefined || timer !== undefined || !output.startsWith("begin\n")) return;
    if (kill.mark === undefined) timer = setTimeout(die, kill.afterMs);
    else
      timer = setInterval(() => {
        if (statSync(log).size === from || !readFileSync(log, "utf8").slice(from).includes(kill.mark)) return;
        clearInterval(timer);
        timer = setTimeout(die, kill.afterMs);
      }, 1);
  });
  await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(timer);
  const line = output.split("\n")[1] ?? "";
  return line === "" || !output.endsWith("\n") ? undefined : JSON.parse(line);
}

/** How often each key of a run stands in the servers' log. */
function effectsOf(run) {
  const counts = new Map();
  for (const line of readFileSync(log, "utf8").split("\n")) {
    const [tool, of, key] = line.split(" ");
    if (tool === "add" && of === run) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** The run whose arguments name `run`; several host processes work in one workspace. */
function runIdOf(run) {
  const folder = join(root, ".mcpfs", "runs");
  for (const id of readdirSync(folder)) {
    try {
      const text = readFileSync(join(folder, id, "journal.jsonl"), "utf8");
      if (text.slice(0, text.indexOf("\n")).includes(`"args":{"run":"${run}"}`)) return id;
    } catch {
      // Made, and killed before anything was written.
    }
  }
  return undefined;
}

const totals = { done: 0, unknown: 0, kills: 0, midway: 0 };

/** One script: undisturbed, then killed and resumed. @returns what was wrong, or nothing */
async function crash(seed) {
  const random = createRandom(seed);
  const { text, effects } = randomScript(random);
  const start = performance.now();
  const whole = await workspace.run(
    { path: undefined, name: "crash.ts", text },
    { args: { run: `whole${seed}` } },
  );
  const tookMs = performance.now() - start;
  if (whole.kind !== "ok") return `the undisturbed run ended as ${whole.kind}: ${whole.error?.message}`;

  const run = `crash${seed}`;
  let report;
  let runId;
  for (let kills = 1 + Math.floor(random() * 3); report === undefined; kills -= 1) {
    const words = runId === undefined ? { text, args: { run } } : { resume: runId };
    // Some are killed before the first call, some when all is done; most in between.
    const isEarly = random() < 0.15;
    const kill = isEarly ? { afterMs: random() * 500 } : { mark: ` ${run} `, afterMs: random() * tookMs };
    const before = effectsOf(run).size;
    report = await attempt(words, kills > 0 ? kill : undefined);
    if (report === undefined) totals.kills += 1;
    const after = effectsOf(run).size;
    if (report === undefined && after > before && after < effects.length) totals.midway += 1;
    runId ??= runIdOf(run);
    if (runId === undefined && effectsOf(run).size > 0) return "there are effects, and no journal";
  }
  // Killed after its end, and before anybody heard of it.
  if (report.error?.code === "USAGE") report = (await (await workspace.runs()).read(runId)).report;
  if (report.effects === undefined) return `refused: ${report.error.code}: ${report.error.message}`;
  const counts = effectsOf(run);
  const twice = [...counts].filter(([, count]) => count > 1).map(([key]) => key);
  if (twice.length > 0) return `done twice: ${twice.join(", ")}`;
  // What the script did then (it may have caught that it was refused) is its own affair.
  const isUnknown =
    report.effects.some(({ status, retry }) => status === "unknown" && retry === "unsafe") ||
    report.error?.code === "OUTCOME_UNKNOWN";
  if (isUnknown) totals.unknown += 1;
  if (isUnknown && report.kind !== "suspended") return undefined;
  // A person looks, and lets the calls be made again: only those may then be there twice.
  const allowed = new Set();
  while (report.kind === "suspended") {
    for (const { arguments: given } of report.waiting) allowed.add(given.key);
    await workspace.decideWaiting(runId, { decision: "approved", scope: "call" });
    report = await workspace.resume(runId);
  }
  if (report.kind !== "ok") return `ended as ${report.kind}: ${report.error?.message}`;
  const done = effectsOf(run);
  const often = [...done].filter(([key, count]) => count > (allowed.has(key) ? 2 : 1)).map(([key]) => key);
  if (often.length > 0) return `done too often: ${often.join(", ")}`;
  const missing = effects.filter((key) => !done.has(key));
  if (missing.length > 0) return `never done: ${missing.join(", ")}`;
  if (JSON.stringify(report.value) !== JSON.stringify(whole.value))
    return `another value: ${JSON.stringify(report.value)} instead of ${JSON.stringify(whole.value)}`;
  totals.done += 1;
  return undefined;
}

const failures = [];
let next = 0;
const begun = performance.now();
await Promise.all(
  Array.from({ length: Number(options["at-once"]) }, async () => {
    while (next < runs) {
      const seed = firstSeed + next;
      next += 1;
      const problem = await crash(seed);
      if (problem !== undefined) {
        failures.push({ seed, problem });
        console.log(`✗ seed ${seed}: ${problem}`);
      }
      if (next % 50 === 0)
        console.log(`${next} of ${runs} (${Math.round((performance.now() - begun) / 1_000)} s)`);
    }
  }),
);
await workspace.close();
if (failures.length === 0) rmSync(root, { recursive: true, force: true });
else console.log(`left behind: ${root}`);
console.log(
  `${runs} scripts, seeds ${firstSeed}–${firstSeed + runs - 1}: ${totals.kills} kills, ${totals.midway} of them between two effects;` +
    ` ${totals.unknown} runs reported an unknown outcome and repeated nothing unasked; ${totals.done} went on to the value of an` +
    ` undisturbed run; ${failures.length} failed`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
