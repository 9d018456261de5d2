// The conformance table: `npm run conformance [-- --ours | --peers] [-- --only <text>] [-- --write]`.
//   --ours   our column only          --peers  the others' only
//   --only   probes whose id or family holds this text
//   --write  puts the table into docs/conformance.md; what was not run stays as it is there
// Exit code 1 when a probe of ours is not right.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { judgeOurs, judgePeer, latenessOurs, notForPeer } from "./judge.mjs";
import { installPeer, PEERS } from "./peers.mjs";
import { PROBES } from "./probes/all.mjs";
import { NOT_RUN, printTable, readTable, writeTable } from "./table.mjs";

const { values: options } = parseArgs({
  options: {
    ours: { type: "boolean" },
    peers: { type: "boolean" },
    only: { type: "string" },
    write: { type: "boolean" },
  },
});
const probes = PROBES.filter(
  ({ id, family }) => options.only === undefined || id.includes(options.only) || family === options.only,
);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** A peer's process gets its deadline, this long beside it for its own start and end, and is then killed. */
const PEER_GRACE_MS = 8_000;
/** The longest that a probe of ours may take before its host counts as hung. */
const OUR_HOST_MS = 120_000;
/** A run that was late, or had no time left to tell its line, is tried again: other work on the machine is not ours. */
const TRIES = 5;

const known = options.write ? readTable() : new Map();
const results = new Map(
  PROBES.map(({ id }) => {
    const { ours = NOT_RUN, peers = {} } = known.get(id) ?? {};
    return [id, { ours: ours === "right" ? "" : ours === "n/a" ? NOT_RUN : ours, peers }];
  }),
);
const installed = new Map();

if (options.peers !== true) await runOurs();
if (options.ours !== true) await runPeers();
printTable(probes, results);
if (options.write) writeTable(PROBES, results);
const wrong = options.peers === true ? [] : probes.filter((probe) => results.get(probe.id).ours !== "");
process.exitCode = wrong.length === 0 ? 0 : 1;

async function runOurs() {
  let host = await startHost();
  for (const probe of probes) {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask(host, probe, attempt > 1);
      if (answer.kind === "died" || answer.kind === "hung") {
        results.get(probe.id).ours = `the host ${answer.kind}`;
        host.child.kill("SIGKILL");
        host = await startHost();
        break;
      }
      const fault = judgeOurs(probe, answer, answer.emptyMs);
      results.get(probe.id).ours = fault;
      const isTimed =
        probe.want.end === "time" ||
        latenessOurs(probe, answer.observed, answer.emptyMs) > 0 ||
        probe.isTimed === true;
      if (fault === "" || !isTimed || attempt === TRIES) break;
    }
    const { ours } = results.get(probe.id);
    console.log(
      `${ours === "" ? "  right" : "! WRONG"}  ${probe.family}/${probe.id}${ours === "" ? "" : `: ${ours}`}`,
    );
  }
  const exited = new Promise((resolve) => host.child.once("exit", resolve));
  host.child.send({ kind: "end" });
  const code = await Promise.race([
    exited,
    new Promise((resolve) => setTimeout(resolve, 10_000, "hung").unref()),
  ]);
  if (code !== 0) {
    host.child.kill("SIGKILL");
    throw new Error(`The host did not end by itself (${code}): something holds it open.`);
  }
}

async function startHost() {
  const child = fork(here("our-host.mjs"), [], { serialization: "advanced", execArgv: ["--expose-gc"] });
  const ready = await next(child, OUR_HOST_MS);
  if (ready.kind !== "ready") throw new Error(`The host did not start: it ${ready.kind}.`);
  return { child };
}

async function ask({ child }, probe, isRepeated) {
  const answer = next(child, OUR_HOST_MS);
  child.send({ kind: "probe", id: probe.id, isRepeated });
  return await answer;
}

/** The next message of a child; `died` or `hung` where there is none. */
function next(child, withinMs) {
  return new Promise((resolve) => {
    const done = (answer) => {
      clearTimeout(timer);
      child.off("message", done);
      child.off("exit", onExit);
      resolve(answer);
    };
    const onExit = () => done({ kind: "died" });
    const timer = setTimeout(() => done({ kind: "hung" }), withinMs);
    child.on("message", done);
    child.on("exit", onExit);
  });
}

async function runPeers() {
  for (const peer of PEERS) {
    const found = installPeer(peer);
    installed.set(peer.key, found);
    if (found.problem !== undefined) console.log(`${peer.name} ${peer.version} is skipped: ${found.problem}`);
  }
  const jobs = PEERS.filter((peer) => installed.get(peer.key).folder !== undefined).flatMap((peer) =>
    probes.map((probe) => ({ peer, probe })),
  );
  const work = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      const { peer, probe } = job;
      const reason = notForPeer(probe, peer);
      const word = reason === undefined ? await wordFor(peer, probe) : "n/a";
      results.get(probe.id).peers[peer.key] = word;
      if (word !== "n/a") console.log(`  ${word.padEnd(14)}  ${peer.key}  ${probe.id}`);
    }
  };
  await Promise.all([work(), work()]);
}

/** A peer that was late is tried again, as ours is. */
async function wordFor(peer, probe) {
  for (let attempt = 1; ; attempt += 1) {
    const word = judgePeer(probe, await probePeer(peer, probe));
    if (word !== "late" || attempt === TRIES) return word;
  }
}

async function probePeer(peer, probe) {
  const { limits = {}, times = 1 } = probe;
  const deadlineMs = Math.min(limits.cpuMs ?? 20_000, limits.wallMs ?? 20_000);
  const child = fork(here("peer-host.mjs"), [peer.key, installed.get(peer.key).folder, probe.id], {
    serialization: "advanced",
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  try {
    const ready = await next(child, 30_000);
    if (ready.kind !== "ready") return ready;
    return await next(child, deadlineMs * Math.min(times, 3) + PEER_GRACE_MS);
  } finally {
    child.kill("SIGKILL");
  }
}
