/*
 * What broker and journal cost: `npm run bench:broker`. A script in the sandbox makes 1,000 calls, one after the other, to a real
 * server over stdio: once through broker and journal, once through a broker that only passes on. The two are measured in turns. Then
 * the same without a server, which tells what the two cost alone; and a run of 10,000 calls is replayed.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createBroker } from "../dist/broker/broker.js";
import { unwrapAnswer } from "../dist/broker/unwrap-answer.js";
import { createBudget } from "../dist/budget/budget.js";
import { createDoor } from "../dist/engine/call/door.js";
import { createHandOver } from "../dist/engine/call/hand-over.js";
import { openWorkspace } from "../dist/index.js";
import { openJournal } from "../dist/journal/journal.js";
import { callKey } from "../dist/journal/past.js";
import { createRedactor, silentLog } from "../dist/kernel/log.js";
import { openVault } from "../dist/masking/vault.js";
import { createHub } from "../dist/mcp/hub.js";
import { DEFAULT_LIMITS } from "../dist/model/run.js";
import { openFlow } from "../dist/policy/flow.js";
import { createPolicy } from "../dist/policy/policy.js";
import { createSandbox } from "../dist/sandbox/sandbox.js";
import { createStrictValidator, createValidator } from "../dist/schema/validator.js";

const CALLS = 1_000;
const ROUNDS = process.argv.includes("--quick") ? 3 : 9;
const LIMITS = { ...DEFAULT_LIMITS, wallMs: 600_000, cpuMs: 300_000, maxCalls: 1e6, callsPerSecond: 1e6 };
const server = fileURLToPath(new URL("./crashes/server.mjs", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "mcpfs-bench-broker-"));
const clock = { now: () => Date.now() };
const sandbox = createSandbox();
const tool = {
  ...{ method: "tools/call", server: "box", raw: "get", wire: "box__get", file: "servers/box/get.ts" },
  ...{ risk: "read", digest: "d", definition: {}, outputSchema: {} },
  hints: { readOnly: true },
  inputSchema: {
    type: "object",
    properties: { run: { type: "string" }, key: { type: "string" } },
    required: ["run", "key"],
  },
};
const hub = createHub({
  entries: [
    {
      name: "box",
      isEnabled: true,
      transport: {
        kind: "stdio",
        command: process.execPath,
        args: [server, join(folder, "log")],
        env: {},
        cwd: folder,
      },
      timeoutMs: 20_000,
      idleMs: 300_000,
      secrets: [],
      purpose: "",
      onChange: "warn",
      connect: "eager",
      protocol: "auto",
      filter: { isAllowed: () => true, rename: (raw) => raw },
    },
  ],
  log: silentLog,
  clientVersion: "0.0.0-bench",
  filesFolder: folder,
});
const overStdio = {
  call: async (_tool, args, signal) =>
    await hub.use("box", (link) => link.callTool("get", args, { signal }), signal),
};
const answer = { content: [{ type: "text", text: "0123456789ab" }], structured: undefined, isError: false };
const atOnce = { call: async () => answer };

/** Decides nothing and writes nothing: what a host without a broker would do. */
function passOn(caller) {
  return {
    call: async ({ arguments: args, signal }) => ({
      ...unwrapAnswer(tool, await caller.call(tool, args, signal)),
      atMs: clock.now(),
    }),
    effects: () => [],
  };
}

let journals = 0;
let journal;
async function decide(caller, handOver) {
  journals += 1;
  await journal?.close();
  journal = await openJournal({
    path: join(folder, `run${journals}`, "journal.jsonl"),
    ...{ runId: "bench", key: "0".repeat(64), durability: "process", print: createRedactor().printJson },
  });
  const record = (event) => {
    journal.append(event);
    if (event.event === "answer") handOver.recorded(callKey(event.call));
  };
  return createBroker({
    ...{
      tools: { find: () => tool, check: async () => ({ tool, fillsDefaults: false, warnings: [] }) },
      vault: openVault,
      validator: createValidator(),
    },
    ...{
      budget: createBudget(LIMITS, clock),
      policy: createPolicy({ preset: "balanced", rules: [] }, createStrictValidator()),
      approvals: { decisionFor: async () => undefined },
      flow: openFlow,
      journal: { append: record },
    },
    ...{ caller, limits: LIMITS, clock },
  });
}

/** Milliseconds of one call of a script, on the clock and of this process's CPU time (the server's own is not in it). */
async function perCall(makeBroker) {
  const handOver = createHandOver();
  const broker = await makeBroker(handOver);
  const { signal } = new AbortController();
  const door = createDoor({
    ...{ broker, caller: "exec", builtin: undefined, handOver, redactor: createRedactor(), clock, signal },
    ...{ onWarning() {}, onDiverged() {} },
  });
  const marks = [];
  const end = await sandbox.run({
    code: `const one = (n) => callMCPTool("box__get", { run: "bench", key: "k" + n });
      for (let n = 0; n < 20; n += 1) await one(n);
      await callMCPTool("mark");
      for (let n = 0; n < ${CALLS}; n += 1) await one(n);
      await callMCPTool("mark");`,
    ...{ args: null, limits: LIMITS, seed: "bench", nowMs: 0, onLog() {} },
    onCall: async (call) => {
      if (call.name !== "mark") return await door.answer(call);
      marks.push({ clock: performance.now(), cpu: process.cpuUsage() });
      return { kind: "ok", text: "null", nowMs: 0 };
    },
  });
  if (end.kind !== "value") throw new Error(`The script did not end well: ${JSON.stringify(end)}`);
  const [begin, over] = marks;
  const { user, system } = process.cpuUsage(begin.cpu);
  const { user: after, system: systemAfter } = process.cpuUsage(over.cpu);
  const cpuUs = user + system - after - systemAfter;
  return { clock: (over.clock - begin.clock) / CALLS, cpu: cpuUs / 1_000 / CALLS };
}

const median = (values) => [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];

/** Both brokers in turns; of each the least time, to which other work on the machine has added least. */
async function compare(caller) {
  const times = { ours: [], passing: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.passing.push(await perCall(() => passOn(caller)));
    times.ours.push(await perCall((handOver) => decide(caller, handOver)));
  }
  const least = (of, what) => Math.min(...times[of].map((time) => time[what]));
  return {
    ...{ ours: least("ours", "clock"), passing: least("passing", "clock") },
    ...{ oursCpu: least("ours", "cpu"), passingCpu: least("passing", "cpu") },
  };
}

/** A whole `mcpfs exec` of a thousand calls, start and end of the process included. */
function wholeRunMs(root) {
  const script = join(root, "calls.ts");
  writeFileSync(
    script,
    `for (let n = 0; n < ${CALLS}; n += 1) await box_get({ run: "bench", key: "k" + n });\nexport default 1;`,
  );
  const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
  const times = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [cli, "exec", script, "--max-calls", "2000"], {
      cwd: root,
    });
    if (status !== 0) throw new Error(String(stderr));
    times.push(performance.now() - start);
  }
  return median(times);
}

async function replayMs(root) {
  const workspace = await openWorkspace(root);
  const limits = { maxCalls: 20_000, callsPerSecond: 1_000_000, wallMs: 600_000 };
  const source = (end) => ({
    path: undefined,
    name: "many.ts",
    text: `for (let n = 0; n < 10000; n += 1) await box_get({ run: "bench", key: "k" + n });\n${end}`,
  });
  const { runId } = await workspace.run(source("throw new Error('no');"), { limits });
  const times = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    const end = round === 4 ? "export default 1;" : `throw new Error('no ${round}');`;
    const report = await workspace.resume(runId, source(end));
    if (report.calls.ok !== 10_000) throw new Error(`replayed ${report.calls.ok} calls`);
    times.push(performance.now() - start);
  }
  await workspace.close();
  return median(times);
}

process.env.MCPFS_HOME = join(folder, "home");
const root = join(folder, "workspace");
try {
  const stdio = await compare(overStdio);
  const alone = await compare(atOnce);
  await Promise.all([hub.close(), sandbox.close(), journal.close()]);
  const made = mkdtempSync(`${root}-`);
  const box = { command: process.execPath, args: [server, join(folder, "log")] };
  writeFileSync(join(made, "mcpfs.json"), JSON.stringify({ mcpServers: { box } }));
  const workspace = await openWorkspace(made);
  await workspace.trust();
  await workspace.sync();
  await workspace.close();
  const wholeMs = wholeRunMs(made);
  const replayed = await replayMs(made);
  const costMs = alone.ours - alone.passing;
  const share = (costMs * CALLS * 100) / wholeMs;
  const us = (ms) => `${(ms * 1_000).toFixed(0)} µs`;
  const check = (isGood) => (isGood ? "✓" : "✗");
  const ratio = stdio.ours / stdio.passing;
  console.log(
    `a call over stdio: ${us(stdio.ours)}; passed on: ${us(stdio.passing)}; ratio ${ratio.toFixed(2)}, at most 1.3 ${check(ratio <= 1.3)}`,
  );
  console.log(
    `a call without a server: ${us(alone.ours)}; passed on: ${us(alone.passing)}; broker and journal cost ${us(costMs)}`,
  );
  console.log(
    `processor time of a call over stdio, without the server's: ${us(stdio.oursCpu)}; passed on: ${us(stdio.passingCpu)}`,
  );
  console.log(
    `a run of 1,000 stdio calls (mcpfs exec): ${wholeMs.toFixed(0)} ms; broker and journal ${share.toFixed(1)} % of it, at most 3 ${check(share <= 3)}`,
  );
  console.log(`replay of 10,000 calls: ${replayed.toFixed(0)} ms, at most 2000 ${check(replayed <= 2_000)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
